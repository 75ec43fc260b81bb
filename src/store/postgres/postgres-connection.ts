// A pool of connections to PostgreSQL: transactions that are repeated when that is safe, and errors in our words.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { RepriseError } from '../../errors.ts'
import type { Database, QueryResult, Sql } from '../sql/dialect.ts'
import { raw, type Statement, sql } from '../sql/statement.ts'
import type { Contact } from './contact.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import { FEED_LOCK, POSTGRES } from './postgres-dialect.ts'
import { isAway, isOvertaken, postgresError } from './postgres-errors.ts'
import { toStored } from './stored-text.ts'

/** How often a transaction is repeated because another one was faster. */
const MAX_REPEATS = 20
const PAUSE_MS = { min: 5, max: 60 } as const
/** Between two tries to reach a database that is away. */
const AWAY_PAUSE_MS = 100
/** How long to ask what became of a transaction whose reply was lost. */
const FATE_MS = 5_000

const BEGIN = {
  read: raw('begin isolation level repeatable read read only'),
  // The number of the transaction comes with the same reply. By it the fate of the transaction can be asked for later.
  write: raw(
    'begin isolation level read committed read write; select pg_current_xact_id()::text as xid',
  ),
} as const

export type PostgresConnection = {
  readonly pool: Pool
  /** For messages: without the password. */
  readonly place: string
  /** How long a verb waits for a database that is away. */
  readonly awayMs: number
  /** Until it aborts, a verb waits longer than `awayMs`. */
  readonly patience?: AbortSignal
  readonly contact: Contact
  /**
   * Of this process, one transaction at a time asks for the lock of the feed. If several stood in line and the process were stopped,
   * each of them in turn would keep all other hosts waiting.
   */
  readonly feed: OneAtATime
  /** Closes what else is open. */
  readonly onClose: () => Promise<void>
}

export function postgresDatabase(connection: PostgresConnection): Database {
  const { pool, onClose } = connection
  let closed: Promise<void> | null = null
  const outside: Sql = {
    dialect: POSTGRES,
    execute: statement =>
      repeating(connection, () => ask(pool, statement), {
        // The reply to another statement may have been lost after it was carried out.
        canRepeat: /^\s*select/.test(statement.texts[0] ?? ''),
      }),
    atEnd: write => write(),
  }
  return {
    ...outside,
    transaction: (access, work) =>
      repeating(connection, () => transaction(connection, access, work), { canRepeat: true }),
    // A pool can be ended only once, but several users of a store may each close it.
    close() {
      closed ??= onClose().then(() => pool.end())
      return closed
    },
  }
}

/** The commit was sent, and no answer came. */
class UnknownCommit extends Error {
  override readonly name = 'UnknownCommit'
}

async function repeating<T>(
  connection: PostgresConnection,
  work: () => Promise<T>,
  { canRepeat }: { readonly canRepeat: boolean },
): Promise<T> {
  const { place, contact } = connection
  const mayWait = waitsFor(connection, connection.awayMs)
  for (let repeats = 0; ; repeats += 1) {
    const asked = contact.asks()
    try {
      const result = await work()
      asked.answered()
      return result
    } catch (error) {
      if (isAway(error) || error instanceof UnknownCommit) asked.missed()
      else asked.answered()
      if (error instanceof UnknownCommit) throw unknownCommit(place, error.cause)
      if (isOvertaken(error) && repeats < MAX_REPEATS) {
        await sleep(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min))
      } else if (canRepeat && isAway(error) && mayWait()) {
        await sleep(AWAY_PAUSE_MS)
      } else throw postgresError(error, place)
    }
  }
}

/** Says whether to wait on for a database that is away. */
function waitsFor({ patience }: PostgresConnection, ms: number): () => boolean {
  const giveUpAt = performance.now() + ms
  return () => performance.now() < giveUpAt || patience?.aborted === false
}

async function transaction<T>(
  connection: PostgresConnection,
  access: 'read' | 'write',
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  const client = await connection.pool.connect()
  const last: (() => Promise<void>)[] = []
  const tx: Sql = {
    dialect: POSTGRES,
    execute: statement => ask(client, statement),
    atEnd: async write => void last.push(write),
  }
  let broken = false
  try {
    const xid = await begin(client, access)
    const result = await work(tx)
    const lost = await (last.length === 0
      ? committed(client)
      : connection.feed.run(async () => {
          await writeFeed(tx, last)
          return committed(client)
        }))
    if (lost !== null) await settleFate(connection, xid, lost)
    return result
  } catch (error) {
    broken = isAway(error) || error instanceof UnknownCommit || !(await rolledBack(client))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Gives the number of a transaction that may write. */
async function begin(client: PoolClient, access: 'read' | 'write'): Promise<string | null> {
  const [text = ''] = BEGIN[access].texts
  // Two statements give two results, which the types of pg do not know.
  const results: unknown = await client.query(text)
  const last: unknown = Array.isArray(results) ? results.at(-1) : null
  return (
    (last as { readonly rows: readonly { readonly xid: string }[] } | null)?.rows[0]?.xid ?? null
  )
}

async function writeFeed(tx: Sql, last: readonly (() => Promise<void>)[]): Promise<void> {
  await tx.execute(FEED_LOCK)
  for (const write of last) await write()
}

/** Gives the error when no answer came. */
async function committed(client: PoolClient): Promise<unknown> {
  try {
    await ask(client, raw('commit'))
    return null
  } catch (error) {
    if (isAway(error)) return error
    throw error
  }
}

async function settleFate(
  connection: PostgresConnection,
  xid: string | null,
  lost: unknown,
): Promise<void> {
  const fate = xid === null ? 'aborted' : await fateOf(connection, xid)
  if (fate === 'committed') return
  // Nothing was stored, so the caller may repeat it.
  if (fate === 'aborted') throw lost
  throw new UnknownCommit('the answer to a commit was lost', { cause: lost })
}

/** Asks until the database is back, as long as the verb may wait, and for some seconds in any case; `null`: it does not say. */
async function fateOf(connection: PostgresConnection, xid: string): Promise<string | null> {
  const mayWait = waitsFor(connection, FATE_MS)
  for (;;) {
    try {
      const asked = sql<{ fate: string | null }>`select pg_xact_status(${xid}::xid8) as fate`
      const { rows } = await ask(connection.pool, asked)
      const fate = rows[0]?.fate ?? null
      if (fate !== 'in progress') return fate
    } catch (error) {
      if (!isAway(error)) return null
    }
    if (!mayWait()) return null
    await sleep(AWAY_PAUSE_MS)
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await ask(client, raw('rollback'))
    return true
  } catch {
    return false // The pool must not use this connection again.
  }
}

async function ask<Row>(
  on: Pick<Pool | PoolClient, 'query'>,
  { texts, values }: Statement<Row>,
): Promise<QueryResult<Row>> {
  const text = texts.reduce((before, after, index) => `${before}$${index}${after}`)
  const stored = values.map(value => (typeof value === 'string' ? toStored(value) : value))
  const { rows, rowCount } = await on.query(text, stored)
  return { rows: rows as Row[], changes: rowCount ?? 0 }
}

function unknownCommit(place: string, cause: unknown): RepriseError {
  return new RepriseError(
    'store-unusable',
    `the connection to the database was lost while it stored this, so nobody knows whether it did (${place})`,
    'Look whether it is there before you repeat it: `reprise threads`, `reprise jobs`; a repeated idempotency key does it once.',
    cause,
  )
}
