// One SQLite connection for the store: one user at a time, immediate transactions, cached statements, errors in our words.
import { setTimeout as sleep } from 'node:timers/promises'
import type SqliteFile from 'better-sqlite3'
import type { Database, Dialect, QueryResult, Sql } from '../sql/dialect.ts'
import { firstOf, rowsOf } from '../sql/plain-sql.ts'
import { raw, sql } from '../sql/statement.ts'
import { isBusy, storeError } from './sqlite-errors.ts'

/** SQLite blocks the whole process while it waits for a lock. After this long we wait ourselves, without blocking. */
const BLOCKING_MS = 20
const PAUSE_MS = { min: 5, max: 50 } as const
/** Lists of ids make many different statements; all others together are a few dozen. */
const MAX_KEPT_STATEMENTS = 256

/** How SQLite does what differs between databases. */
export const SQLITE: Dialect = {
  name: 'sqlite',
  reach: 'one-host',
  now: raw(`cast(unixepoch('subsec') * 1000 as integer)`),
  growingKey: 'integer primary key autoincrement',
  bytes: 'blob',
  keyed: 'without rowid',
  // `begin immediate` allows one writer at a time, so there is nothing left to lock.
  lockNames: async () => {},
  lockRows: raw(''),
  like: 'like',
  dayOf: column => `strftime('%Y-%m-%d', ${column} / 1000, 'unixepoch')`,
  textIn: (column, field) => `json_extract(${column}, '$.${field}')`,
  async version(tx) {
    const row = await firstOf(tx, sql<{ user_version: number }>`pragma user_version`)
    return row?.user_version ?? 0
  },
  async setVersion(tx, version) {
    await tx.execute(raw(`pragma user_version = ${Math.trunc(version)}`))
  },
  async damages(tx) {
    const pages = await rowsOf(tx, sql<{ integrity_check: string }>`pragma integrity_check`)
    const links = await rowsOf(tx, sql<{ table: string; parent: string }>`pragma foreign_key_check`)
    return [
      ...pages.map(row => row.integrity_check).filter(line => line !== 'ok'),
      ...links.map(row => `a row of ${row.table} points to nothing in ${row.parent}`),
    ]
  },
}

export function sqliteDatabase(file: SqliteFile.Database, busyTimeoutMs: number): Database {
  const ask = keepingStatements(file)
  const serialize = oneAfterAnother()
  const inside = sqlOn(async (text, values) => ask(text, values))
  const outside = sqlOn((text, values) => serialize(async () => ask(text, values)))

  const begin = async () => {
    const giveUpAt = performance.now() + busyTimeoutMs
    while (!hasBegun(giveUpAt)) {
      await sleep(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min))
    }
  }
  /** False when another process has the lock and there is still time to try again. */
  const hasBegun = (giveUpAt: number): boolean => {
    ask(`pragma busy_timeout = ${BLOCKING_MS}`)
    try {
      ask('begin immediate')
      return true
    } catch (error) {
      if (isBusy(error) && performance.now() < giveUpAt) return false
      throw error
    } finally {
      ask(`pragma busy_timeout = ${busyTimeoutMs}`)
    }
  }

  return {
    ...outside,
    transaction: (access, work) =>
      serialize(async () => {
        // A deferred transaction that reads and then writes can fail despite the timeout, so only readers use one.
        if (access === 'read') ask('begin')
        else await begin()
        try {
          const result = await work(inside)
          ask('commit')
          return result
        } catch (error) {
          // A full disk can make SQLite roll back by itself; a second rollback would hide the first error.
          if (file.inTransaction) ask('rollback')
          throw error
        }
      }),
    close: () => serialize(async () => void file.close()),
  }
}

/** Runs SQL text with its values. */
type Ask = (text: string, values: readonly unknown[]) => Promise<QueryResult<unknown>>

function sqlOn(ask: Ask): Sql {
  return {
    dialect: SQLITE,
    execute: <Row>({ texts, values }: { texts: readonly string[]; values: readonly unknown[] }) =>
      ask(texts.join('?'), values) as Promise<QueryResult<Row>>,
    // The only writer commits in the order in which it writes.
    atEnd: write => write(),
  }
}

/** Queues the work: a statement that runs while a transaction is open would become part of it. */
function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve()
  return async work => {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await before
    try {
      return await work()
    } finally {
      resolve()
    }
  }
}

type KeptStatement = (values: readonly unknown[]) => QueryResult<unknown>

function keepingStatements(file: SqliteFile.Database) {
  const kept = new Map<string, KeptStatement>()
  return (text: string, values: readonly unknown[] = []): QueryResult<unknown> => {
    try {
      const known = kept.get(text)
      if (known !== undefined) return known(values)
      if (kept.size >= MAX_KEPT_STATEMENTS) kept.clear()
      const statement = prepared(file, text)
      kept.set(text, statement)
      return statement(values)
    } catch (error) {
      throw storeError(error, file.name)
    }
  }
}

function prepared(file: SqliteFile.Database, text: string): KeptStatement {
  const statement = file.prepare<unknown[]>(text)
  if (!statement.reader) {
    return values => ({ rows: [], changes: statement.run(...values).changes })
  }
  return values => {
    const rows = statement.all(...values)
    // A statement with `returning` gives one row for each change.
    return { rows, changes: rows.length }
  }
}
