// One SQLite connection behind the query layer: immediate transactions, kept statements, errors in our words.
import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely'
import { isBusy, storeError } from './sqlite-errors.ts'

/** SQLite waits for a lock without letting anything else in this process happen: only so long, then we wait ourselves. */
const BLOCKING_MS = 20
const PAUSE_MS = { min: 5, max: 50 } as const
/** Lists of ids make statements of many shapes; the rest of ours are a few dozen. */
const MAX_KEPT_STATEMENTS = 256
/** better-sqlite3 compiles a maker of rows for each statement: in a process of one turn that never pays. */
const USES_BEFORE_COMPILED = 5

export class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: Database.Database
  readonly #busyTimeoutMs: number

  constructor(database: Database.Database, busyTimeoutMs: number) {
    super({ database })
    this.#database = database
    this.#busyTimeoutMs = busyTimeoutMs
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#busyTimeoutMs)
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database
  readonly #statements: SqliteDatabase
  readonly #busyTimeoutMs: number

  constructor(database: Database.Database, busyTimeoutMs: number) {
    const statements = keepingStatements(database)
    super({ database: statements })
    this.#statements = statements
    this.#database = database
    this.#busyTimeoutMs = busyTimeoutMs
  }

  /** A deferred transaction that reads and then writes fails in spite of the timeout; only readers may have one. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    if (settings?.accessMode === 'read only') return super.beginTransaction(connection)
    const giveUpAt = performance.now() + this.#busyTimeoutMs
    while (!(await this.#hasBegun(connection, giveUpAt))) {
      await sleep(PAUSE_MS.min + Math.random() * (PAUSE_MS.max - PAUSE_MS.min))
    }
  }

  /** False when the lock is taken and there is time to ask again. */
  async #hasBegun(connection: DatabaseConnection, giveUpAt: number): Promise<boolean> {
    this.#waitAtMost(BLOCKING_MS)
    try {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'))
      return true
    } catch (error) {
      if (isBusy(error) && performance.now() < giveUpAt) return false
      throw error
    } finally {
      this.#waitAtMost(this.#busyTimeoutMs)
    }
  }

  /** By a kept statement: `pragma()` of better-sqlite3 prepares a new one each time. */
  #waitAtMost(busyTimeoutMs: number): void {
    this.#statements.prepare(`pragma busy_timeout = ${busyTimeoutMs}`).all([])
  }

  /** A full disk can make SQLite roll back by itself: asking again would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}

function keepingStatements(database: Database.Database): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare: source => {
      const known = kept.get(source)
      if (known !== undefined) return known
      if (kept.size >= MAX_KEPT_STATEMENTS) kept.clear()
      const statement = translated(database, source)
      kept.set(source, statement)
      return statement
    },
  }
}

function translated(database: Database.Database, source: string): SqliteStatement {
  const inOurWords = <T>(ask: () => T): T => {
    try {
      return ask()
    } catch (error) {
      throw storeError(error, database.name)
    }
  }
  const statement = inOurWords(() => database.prepare<unknown[]>(source))
  const names = statement.reader ? statement.columns().map(column => column.name) : []
  let uses = 0
  const all = (parameters: readonly unknown[]): unknown[] => {
    uses += 1
    if (uses > USES_BEFORE_COMPILED) return statement.raw(false).all(...parameters)
    const rows = statement.raw(true).all(...parameters) as unknown[][]
    return rows.map(row => named(names, row))
  }
  return {
    reader: statement.reader,
    all: parameters => inOurWords(() => all(parameters)),
    run: parameters => inOurWords(() => statement.run(...parameters)),
    iterate: parameters => inOurWords(() => statement.raw(false).iterate(...parameters)),
  }
}

/** A plain loop: `Object.fromEntries` takes several times as long in code that has hardly run. */
function named(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let index = 0
  for (const name of names) {
    row[name] = values[index]
    index += 1
  }
  return row
}
