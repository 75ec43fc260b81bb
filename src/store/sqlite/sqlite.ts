// Opens a store in one SQLite file. Opening an up-to-date store takes a few milliseconds.
import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { RepriseError } from '../../errors.ts'
import type { OpenStore, Store } from '../contract/store.ts'
import { refuseNewer, STORE_VERSION } from '../sql/version.ts'
import { sqlStore } from '../sql-store.ts'
import { sqliteDatabase } from './sqlite-connection.ts'
import { storeError } from './sqlite-errors.ts'

/** How a SQLite file is opened. */
export type SqliteOptions = {
  /** How long to wait for another process that holds the write lock; default: 5 seconds. */
  readonly busyTimeoutMs?: number
}

const BUSY_TIMEOUT_MS = 5_000
/** Older versions can lose committed pages when a WAL file is reset. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Keeps the store in one SQLite file. `:memory:` gives a store that ends with its connection. */
export function sqlite(file: string, options: SqliteOptions = {}): OpenStore {
  return () => open(file, options)
}

async function open(file: string, options: SqliteOptions): Promise<Store> {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const connection = connect(file, busyTimeoutMs)
  try {
    const database = sqliteDatabase(connection, busyTimeoutMs)
    const version = versionOf(connection)
    refuseNewer(version)
    if (version < STORE_VERSION) {
      refuseStranger(connection, version)
      const { migrate } = await import('../sql/migrations.ts')
      await migrate(database)
    }
    return sqlStore(database)
  } catch (error) {
    connection.close()
    throw storeError(error, file)
  }
}

function connect(file: string, busyTimeoutMs: number): Database.Database {
  try {
    if (file !== ':memory:') makePrivate(file)
    const database = new Database(file, { timeout: busyTimeoutMs })
    try {
      return configured(database)
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    throw storeError(error, file)
  }
}

/** Only the user may read prompts and answers. SQLite gives its WAL files the mode of the database file. */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const descriptor = openSync(file, 'a', 0o600)
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}

export function configured(database: Database.Database): Database.Database {
  refuseOldSqlite(String(database.prepare('select sqlite_version()').pluck().get()))
  database.pragma('journal_mode = wal')
  // NORMAL loses acknowledged commits when the power fails.
  database.pragma('synchronous = full')
  database.pragma('foreign_keys = on')
  return database
}

export function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest) {
      throw new RepriseError(
        'store-unusable',
        `SQLite ${version} can damage a store; ${OLDEST_SQLITE.join('.')} or newer is needed`,
        'reinstall Reprise with its own better-sqlite3',
      )
    }
  }
}

function versionOf(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/** A database without our version that already holds tables belongs to another program. */
function refuseStranger(database: Database.Database, version: number): void {
  if (version > 0) return
  const tables = database.prepare('select count(*) from sqlite_master').pluck().get()
  if (tables === 0) return
  throw new RepriseError(
    'store-unusable',
    `${database.name} is a database of another program`,
    'point Reprise at a file of its own',
  )
}
