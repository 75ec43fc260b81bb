// A host for test/faults/chaos.test.ts: it works on jobs and holds conversations until it is killed. It prints what it has been promised.
import { mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RepriseError } from '../../src/errors.ts'
import { claudeCode, createReprise, type LocalReprise, postgres } from '../../src/index.ts'
import type { RepriseOptions } from '../../src/reprise-options.ts'
import type { Store, StoreWithWork } from '../../src/store/contract/store.ts'
import { openPostgresTables } from '../../src/store/postgres/open-postgres.ts'
import { write } from '../../src/store/sql/dialect.ts'
import { appendEvents } from '../../src/store/verbs/runs/events.ts'
import { runnerOnDisk } from './chaos-agent.ts'

export type ChaosHost = {
  /** The directory of the test. */
  readonly root: string
  readonly name: string
  /** As the host reaches it. */
  readonly database: string
  /** The same database, without what the test does to the network. */
  readonly direct: string
  readonly workers: number
  /** For contrast: what is refused because the lease is lost is written all the same. */
  readonly fencing: 'on' | 'off'
  /** How many conversations it holds beside its jobs. */
  readonly streams: number
  /** Without it, leases last as long as usual. */
  readonly leaseMs?: number
}

/** A directory that all hosts have under the same path. */
export const sharedRootOf = ({ root }: Pick<ChaosHost, 'root'>) => join(root, 'shared')
/** A file that the runner inside a host takes for an agent. */
export const executableOf = ({ root }: Pick<ChaosHost, 'root'>) => join(root, 'agent')

export function openChaosHost(
  host: ChaosHost,
  dependencies: NonNullable<RepriseOptions['dependencies']> = {},
): LocalReprise {
  const { root, name, database, workers } = host
  const home = join(root, name)
  mkdirSync(join(home, 'data'), { recursive: true, mode: 0o700 })
  const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') }
  return createReprise({
    store: async () => watched(await postgres(database)(), host),
    agents: [claudeCode({ executable: executableOf(host), env })],
    dataDir: join(home, 'data'),
    host: name,
    worker: { sharedRoots: [sharedRootOf(host)], labels: [] },
    environment: { PATH: process.env.PATH, HOME: home },
    ...(host.leaseMs !== undefined && { timing: { leaseMs: host.leaseMs, renewMs: 1_000 } }),
    workers,
    keepQueue: workers > 0,
    dependencies: {
      runner: runnerOnDisk(),
      ...dependencies,
    },
  })
}

const say = (words: string) => writeSync(1, `${words}\n`)

/** Says what the store refuses because another host has taken over. */
function watched<Watched extends Store | StoreWithWork>(store: Watched, host: ChaosHost): Watched {
  const refused =
    (verb: string, otherwise: () => Promise<void> = async () => {}) =>
    async (error: unknown) => {
      const isLate = error instanceof RepriseError && error.code === 'lease-lost'
      if (isLate) say(`refused ${verb}`)
      if (isLate && host.fencing === 'off') return otherwise()
      throw error
    }
  const { presence } = store
  return {
    ...store,
    appendEvents: (lease, runId, events) =>
      store.appendEvents(lease, runId, events).catch(
        refused('events', async () => {
          const { database } = await openPostgresTables(host.direct, 'whole')
          await write(database, tx => appendEvents(tx, runId, events)).finally(database.close)
        }),
      ),
    startRun: (...start) => store.startRun(...start).catch(throwing(refused('start'))),
    endRun: (...end) => store.endRun(...end).catch(throwing(refused('end'))),
    ...(presence && {
      presence: { ...presence, waiting: patience => watched(presence.waiting(patience), host) },
    }),
  }
}

function throwing(note: (error: unknown) => Promise<void>) {
  return async (error: unknown): Promise<never> => {
    await note(error)
    throw error
  }
}

/** One thread after another, each with a few turns. */
async function talk(reprise: LocalReprise, workDir: string, isOver: () => boolean): Promise<void> {
  mkdirSync(workDir, { recursive: true })
  while (!isOver()) {
    try {
      const thread = await reprise.threads.create({ workDir })
      for (let turns = 0; turns < 5 && !isOver(); turns += 1) {
        const turn = thread.send(`turn ${turns}`)
        const result = turn.result.catch(() => null)
        const { runId } = await turn.submitted
        say(`turn ${runId}`)
        await result
        say('ended')
      }
    } catch {
      // The database is away: nothing was promised.
      await sleep(200)
    }
  }
}

if (process.argv[1]?.endsWith('chaos-host.ts')) {
  const host = JSON.parse(process.argv[2] ?? '{}') as ChaosHost
  let isOver = false
  // Until then it lives; it ends its conversations, and goes on with jobs until it is killed.
  process.stdin.once('data', () => {
    isOver = true
  })
  // The test run died: nothing may be left behind.
  process.stdin.once('end', () => process.exit(1))
  for (;;) {
    const reprise = openChaosHost(host)
    try {
      await reprise.workers()
      say('open')
      const streams = Array.from({ length: host.streams }, (_, stream) =>
        talk(reprise, join(sharedRootOf(host), `${host.name}-${stream}`), () => isOver),
      )
      await Promise.all(streams)
      say('silent')
      await new Promise(() => {})
    } catch {
      // The database is away.
      await reprise.close().catch(() => {})
      await sleep(500)
    }
  }
}
