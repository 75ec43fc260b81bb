// Several processes of Reprise over one store in memory. The test decides when time passes and which process dies.
import { createHash } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { Clock } from '../../src/core/world.ts'
import { createReprise } from '../../src/reprise.ts'
import type { RepriseOptions } from '../../src/reprise-options.ts'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { createFakeRunner } from '../../src/testing/fake-runner.ts'
import { smallWorld } from '../../src/testing/in-process-agent.ts'
import { mortal } from '../faults/sequences/mortal-store.ts'

/** When the clock of a simulation begins. */
export const START = Date.parse('2026-11-16T02:00:00Z')

const HOST = 'here'
/** Shorter sleeps are looks at the store, which the test does not want to wait for. */
const SHORT_MS = 1_000
const TIMING = {
  leaseMs: 30_000,
  renewMs: 3_600_000,
  queuePollMs: 1,
  eventBatchMs: 1,
  followPollMs: 5,
}

export type ProcessOptions = Partial<Omit<RepriseOptions, 'store'>> & {
  /** Changes what this process sees of the store, such as a verb that fails. */
  readonly store?: (store: StoreWithWork) => StoreWithWork
}

/** Opens a world with one store, one disk and one agent; `open` starts a process in it. */
export async function processes(script: FakeScript = []) {
  const files = await smallWorld()
  const clock = steppedClock()
  const runner = createFakeRunner({ files, script, clock, hangs: 'until-stopped' })
  const store = await sqlite(':memory:')()
  const dead = new Set<number>()
  let pids = 0
  const keepText = async (text: string) => {
    const path = `/kept/${createHash('sha256').update(text).digest('hex')}`
    await files.write(path, text)
    return path
  }
  const living = new Map<number, { close(): Promise<void> }>()
  onTestFinished(async () => {
    for (const reprise of living.values()) await reprise.close()
    await store.close()
  })
  const open = ({ store: change = same => same, ...options }: ProcessOptions = {}) => {
    const pid = ++pids
    const { store: ours, fate } = mortal(store)
    const keepsQueue = options.keepQueue ? { keepsQueue: true as const } : {}
    const reprise = createReprise({
      agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
      environment: {},
      timing: TIMING,
      ...options,
      store: async () => change(ours),
      dependencies: {
        files,
        runner,
        clock,
        keepText,
        owner: { host: HOST, pid, startTime: '0', ...keepsQueue },
        isAlive: owner => (owner.host === HOST ? !dead.has(owner.pid) : null),
        ...options.dependencies,
      },
    })
    living.set(pid, reprise)
    /** As `kill -9`: nothing that it does reaches the store any more, and others see that it is gone. */
    const die = () => {
      fate.fallAsleep()
      dead.add(pid)
      living.delete(pid)
    }
    return { reprise, fate, die }
  }
  return { files, clock, runner, store, open }
}

/** Time stands still until the test lets it pass. */
function steppedClock(): Clock & { pass(ms: number): void } {
  let now = START
  const sleepers = new Map<() => void, number>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted || ms < SHORT_MS) return void setTimeout(resolve, 1)
        const wake = () => {
          sleepers.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        sleepers.set(wake, now + ms)
        signal?.addEventListener('abort', wake)
      }),
    pass(ms) {
      now += ms
      for (const [wake, until] of [...sleepers]) if (until <= now) wake()
    },
  }
}

/** For what happens in the background: it waits for the condition, however busy the machine is. */
export const eventually = <T>(ask: () => T) => expect.poll(ask, { interval: 5, timeout: 30_000 })
