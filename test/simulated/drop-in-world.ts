// Calls of the agent's executable by another program, with the fake agent in this process in the place of the executable.
import { onTestFinished } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import { DEFAULT_DROP_IN, type DropInSettings } from '../../src/core/drop-in-settings.ts'
import type { Clock } from '../../src/core/world.ts'
import { dropIn } from '../../src/drop-in.ts'
import { createReprise } from '../../src/reprise.ts'
import { DEFAULT_LIMITS, type Forward } from '../../src/runner/runner.ts'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { createFakeRunner } from '../../src/testing/fake-runner.ts'
import { smallWorld } from '../../src/testing/in-process-agent.ts'
import type { MemoryFiles } from '../../src/testing/memory-files.ts'

const ENV = { CLAUDE_CONFIG_DIR: '/config' }
export const STREAM = ['-p', '--output-format', 'stream-json', '--verbose']
const TIMING = { queuePollMs: 1, eventBatchMs: 1, renewMs: 5, followPollMs: 5 }

type Call = {
  readonly stdin?: string
  readonly settings?: Partial<DropInSettings>
  readonly isTerminal?: { stdin: boolean; stdout: boolean; stderr: boolean }
  /** Does not start the agent, but ends like this. */
  readonly ends?: { readonly code: number; readonly stderr?: string }
  /** Changes what this call sees of the store. */
  readonly store?: (store: StoreWithWork) => StoreWithWork
  /** Changes what this call sees of the disk. */
  readonly files?: (files: MemoryFiles) => object
  readonly clock?: Clock
  /** Called when the agent has said everything, before it ends. */
  readonly during?: () => Promise<void>
}

export async function dropInWorld(script: FakeScript = []) {
  const files = await smallWorld()
  const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const store = await sqlite(':memory:')()
  const shared = { ...store, close: async () => {} }
  const common = {
    agents: [claudeCode({ executable: '/bin/agent', env: ENV })],
    environment: {},
    timing: TIMING,
    dependencies: { files, fileWriter: files, runner, keepText: async () => '/kept' } as object,
  }
  const reprise = createReprise({ ...common, store: async () => shared })
  onTestFinished(async () => {
    await reprise.close()
    await store.close()
  })
  const started: (readonly string[])[] = []
  const signals: string[] = []
  const call = (args: readonly string[], given: Call = {}) => {
    const forward: Forward = ({ file, args: made, marker, look }) => {
      started.push(made)
      const running = Promise.withResolvers<{ stop(reason: 'cancelled'): Promise<void> }>()
      const run = async () => {
        if (given.stdin !== undefined) look.stdin?.bytes(new TextEncoder().encode(given.stdin))
        look.stdin?.end()
        if (given.ends) {
          if (given.ends.stderr) look.stderr?.bytes(new TextEncoder().encode(given.ends.stderr))
          await given.during?.()
          return { code: given.ends.code, signal: null }
        }
        const stdin = new TextEncoder().encode(given.stdin ?? '')
        const command = { file, args: made, env: ENV, workDir: '/project', stdin }
        const process = await runner.start(command, marker, DEFAULT_LIMITS)
        running.resolve(process)
        for await (const line of process.lines)
          if (line.kind === 'line') look.stdout?.bytes(new TextEncoder().encode(`${line.text}\n`))
        look.stdout?.end()
        await given.during?.()
        const { code, signal } = await process.exit
        return { code, signal }
      }
      const signal = (name: string) => {
        signals.push(name)
        void running.promise.then(process => process.stop('cancelled'))
      }
      return { pid: 1, ended: run(), signal }
    }
    const changed = {
      ...(given.files && { files: given.files(files) }),
      ...(given.clock && { clock: given.clock }),
    }
    return dropIn(
      {
        ...common,
        store: async () => (given.store ?? (same => same))(shared),
        dependencies: { ...common.dependencies, ...changed } as never,
      },
      {
        ...{ agent: 'claude-code', args, workDir: '/project', env: ENV, forward },
        isTerminal: given.isTerminal ?? { stdin: false, stdout: false, stderr: false },
        settings: { ...DEFAULT_DROP_IN, ...given.settings },
      },
    )
  }
  /** Somebody runs the agent without Reprise. */
  const bare = async (args: readonly string[]) => {
    const command = {
      file: '/bin/agent',
      args,
      env: ENV,
      workDir: '/project',
      stdin: new Uint8Array(),
    }
    const process = await runner.start(command, 'bare', DEFAULT_LIMITS)
    for await (const _ of process.lines);
    await process.exit
  }
  const lastRun = async () => {
    const [run] = await reprise.runs.list()
    if (!run) throw new Error('there is no run')
    return run
  }
  const textsOf = async (threadId: string | null) =>
    (await (await reprise.threads.get(threadId ?? '')).show()).messages.map(({ text }) => text)
  return { files, runner, store, reprise, call, bare, started, signals, lastRun, textsOf }
}

/** A call that ended in order and is on record. */
export const OVER = { kind: 'ended', code: 0, signal: null, trouble: null }
