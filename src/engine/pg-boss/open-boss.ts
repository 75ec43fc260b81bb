// Opens pg-boss on the database of the store: makes or upgrades its schema, and makes a queue when it is first used.
import { PgBoss } from 'pg-boss'
import { RepriseError } from '../../errors.ts'
import type { RunSql, WorkDatabase } from '../../store/contract/work.ts'
import { INDEXES, LOCK_QUEUE, WORK_SCHEMA } from './statements.ts'

export type BossSettings = {
  /** After this long without a heartbeat, another worker gets the work. pg-boss asks for 10 seconds or more. */
  readonly heartbeatSeconds: number
  /** The pause after the first failure; it doubles up to `maxRetrySeconds`. 0: none at all. */
  readonly retrySeconds: number
  readonly maxRetrySeconds: number
}

export type Boss = Pick<PgBoss, 'send' | 'update' | 'fail'> & {
  /** Resolves when the queue is there. */
  ready(queue: string): Promise<void>
}

/** The version of the schema that this pg-boss makes. */
export const WORK_VERSION = 43

/** pg-boss removes rows after this time; we remove ours ourselves. */
const TEN_YEARS_SECONDS = 10 * 365 * 86_400

export async function openBoss(database: WorkDatabase, settings: BossSettings): Promise<Boss> {
  const boss = new PgBoss({
    schema: WORK_SCHEMA,
    db: connectionOf(database.run),
    // An administrator may have made the schema for a user who may not create one.
    createSchema: !(await hasSchema(database.run)),
    // Our consumers look after heartbeats and times themselves, so pg-boss needs no timers.
    supervise: false,
    schedule: false,
    clock: { ...TIMERS, now: () => Date.now() },
  })
  // What fails is an error of the verb that asked for it.
  boss.on('error', () => {})
  await database.transaction(async run => {
    // Several processes may open a new database at once.
    await run(LOCK_QUEUE, ['schema'])
    await refuseNewer(run)
    await boss.start()
    for (const index of INDEXES) await run(index)
  })
  const queues = new Map<string, Promise<void>>()
  const ready = (queue: string): Promise<void> => {
    const known = queues.get(queue) ?? makeQueue(boss, queue, settings)
    queues.set(queue, known)
    // The next use tries again.
    known.catch(() => queues.delete(queue))
    return known
  }
  return {
    ready,
    send: boss.send.bind(boss),
    update: boss.update.bind(boss),
    fail: boss.fail.bind(boss),
  }
}

/** As pg-boss wants a connection. */
export function connectionOf(run: RunSql) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      // Several statements in one text have no rows, whatever the type says: they are passed on as they are.
      rows: (await run<unknown>(text, values)) as unknown[],
    }),
  }
}

async function hasSchema(run: RunSql): Promise<boolean> {
  const [found] = await run<{ id: string | null }>('select to_regnamespace($1)::text as id', [
    WORK_SCHEMA,
  ])
  return found?.id != null
}

/** pg-boss itself would use a newer schema as if it were its own. */
async function refuseNewer(run: RunSql): Promise<void> {
  const table = `${WORK_SCHEMA}.version`
  const [found] = await run<{ id: string | null }>('select to_regclass($1)::text as id', [table])
  if (found?.id == null) return
  const [made] = await run<{ version: number }>(`select version from ${table}`)
  if (made === undefined || made.version <= WORK_VERSION) return
  throw new RepriseError(
    'store-newer',
    `a newer Reprise has upgraded the queue of this database (version ${made.version}; this one knows ${WORK_VERSION})`,
    'Upgrade Reprise, or use another database.',
  )
}

async function makeQueue(boss: PgBoss, queue: string, settings: BossSettings): Promise<void> {
  if ((await boss.getQueue(queue)) === null) await createQueue(boss, queue, settings)
  // Changes nothing. Any verb makes pg-boss remember the queue, so that later ones need no connection for that.
  await boss.touch(queue, NO_WORK)
}

async function createQueue(boss: PgBoss, queue: string, settings: BossSettings): Promise<void> {
  const { heartbeatSeconds, retrySeconds, maxRetrySeconds } = settings
  await boss.createQueue(queue, {
    // One piece of work of an id waits or is out.
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds,
    retryDelay: retrySeconds,
    retryBackoff: retrySeconds > 0,
    ...(retrySeconds > 0 && { retryDelayMax: maxRetrySeconds }),
    retentionSeconds: TEN_YEARS_SECONDS,
    // Dead work stays until it is dispatched anew or cancelled.
    deleteAfterSeconds: 0,
  })
}

const NO_WORK = '00000000-0000-0000-0000-000000000000'

const TIMERS = {
  setTimeout: (act: () => void, ms: number) => setTimeout(act, ms).unref(),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: () => null,
  clearInterval: () => {},
}
