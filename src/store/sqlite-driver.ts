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

/** Times a transaction asks again for the write lock after its timeout has passed. */
const MORE_TRIES = 2
/** Lists of ids make statements of many shapes; the rest of ours are a few dozen. */
const MAX_KEPT_STATEMENTS = 256

export class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database)
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database: keepingStatements(database) })
    this.#database = database
  }

  /** A deferred transaction that reads and then writes fails in spite of the timeout; only readers may have one. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate'
    for (let tries = 0; ; tries++) {
      try {
        await connection.executeQuery(CompiledQuery.raw(begin))
        return
      } catch (error) {
        if (!isBusy(error) || tries >= MORE_TRIES) throw error
        await sleep(20 + Math.random() * 80)
      }
    }
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
  return {
    reader: statement.reader,
    all: parameters => inOurWords(() => statement.all(...parameters)),
    run: parameters => inOurWords(() => statement.run(...parameters)),
    iterate: parameters => inOurWords(() => statement.iterate(...parameters)),
  }
}
