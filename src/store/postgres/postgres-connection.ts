// A pool of connections to PostgreSQL: transactions that are repeated when that is safe, and errors in our words.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { RepriseError } from '../../errors.ts'
import type { Database, QueryResult, Sql } from '../sql/dialect.ts'
import { firstOf } from '../sql/plain-sql.ts'
import { raw, type Statement, sql } from '../sql/statement.ts'
import { FEED_LOCK, POSTGRES } from './postgres-dialect.ts'
import { isAway, isOvertaken, postgresError } from './postgres-errors.ts'
import { toStored } from './stored-text.ts'

/** How often a transaction is repeated because another one was faster. */
const MAX_REPEATS = 20
const PAUSE_MS = { min: 5, max: 60 } as const
/** Between two tries to reach a database that is away. */
const AWAY_PAUSE_MS = 100

const BEGIN = {
  read: raw('begin isolation level repeatable read read only'),
  write: raw('begin isolation level read committed read write'),
} as const

export type PostgresConnection = {
  readonly pool: Pool
  /** For messages: without the password. */
  readonly place: string
  /** How long a verb waits for a database that is away. */
  readonly awayMs: number
  /** Closes what else is open. */
  readonly onClose: () => Promise<void>
}

export function postgresDatabase(connection: PostgresConnection): Database {
  const { pool, place, awayMs, onClose } = connection
  let closed: Promise<void> | null = null
  const outside: Sql = {
    dialect: POSTGRES,
    execute: statement =>
      repeating({ place, awayMs }, () => ask(pool, statement), {
        // The reply to another statement may have been lost after it was carried out.
        canRepeat: /^\s*select/.test(statement.texts[0] ?? ''),
      }),
    atEnd: write => write(),
  }
  return {
    ...outside,
    transaction: (access, work) =>
      repeating({ place, awayMs }, () => transaction(pool, access, work), { canRepeat: true }),
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

type Limits = Pick<PostgresConnection, 'place' | 'awayMs'>

async function repeating<T>(
  { place, awayMs }: Limits,
  work: () => Promise<T>,
  { canRepeat }: { readonly canRepeat: boolean },
): Promise<T> {
  const giveUpAt = performance.now() + awayMs
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof UnknownCommit) throw unknownCommit(place, error.cause)
      if (isOvertaken(error) && repeats < MAX_REPEATS) {
        await sleep(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min))
      } else if (canRepeat && isAway(error) && performance.now() < giveUpAt) {
        await sleep(AWAY_PAUSE_MS)
      } else throw postgresError(error, place)
    }
  }
}

async function transaction<T>(
  pool: Pool,
  access: 'read' | 'write',
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const last: (() => Promise<void>)[] = []
  const tx: Sql = {
    dialect: POSTGRES,
    execute: statement => ask(client, statement),
    atEnd: async write => void last.push(write),
  }
  let broken = false
  try {
    await ask(client, BEGIN[access])
    const result = await work(tx)
    const xid = last.length === 0 ? null : await writeFeed(tx, last)
    await commit(client, pool, xid)
    return result
  } catch (error) {
    broken = isAway(error) || error instanceof UnknownCommit || !(await rolledBack(client))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Gives the number of the transaction, by which its fate can be asked for later. */
async function writeFeed(tx: Sql, last: readonly (() => Promise<void>)[]): Promise<string | null> {
  const locked = await firstOf(tx, FEED_LOCK)
  for (const write of last) await write()
  return locked?.xid ?? null
}

async function commit(client: PoolClient, pool: Pool, xid: string | null): Promise<void> {
  try {
    await ask(client, raw('commit'))
  } catch (error) {
    if (!isAway(error)) throw error
    const fate = xid === null ? null : await fateOf(pool, xid)
    if (fate === 'committed') return
    // Nothing was stored, so the caller may repeat it.
    if (fate === 'aborted') throw error
    throw new UnknownCommit('the answer to a commit was lost', { cause: error })
  }
}

/** Asks until the database is back for a while; `null` when it does not say. */
async function fateOf(pool: Pool, xid: string): Promise<string | null> {
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      const asked = sql<{ fate: string | null }>`select pg_xact_status(${xid}::xid8) as fate`
      const { rows } = await ask(pool, asked)
      const fate = rows[0]?.fate ?? null
      if (fate !== 'in progress') return fate
    } catch (error) {
      if (!isAway(error)) return null
    }
    await sleep(AWAY_PAUSE_MS)
  }
  return null
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
