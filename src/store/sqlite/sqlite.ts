// Opens a store in one SQLite file. Opening an up-to-date store takes a few milliseconds.
import { closeSync, fchmodSync, fstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { RepriseError } from '../../errors.ts'
import { makeDirectory } from '../../make-directory.ts'
import type { OpenStore, StoreWithWork } from '../contract/store.ts'
import type { Database as Tables } from '../sql/dialect.ts'
import { refuseNewer, STORE_VERSION, UNFINISHED_COPY } from '../sql/version.ts'
import { sqlStore } from '../sql-store.ts'
import { configured } from './configure.ts'
import { sqliteDatabase } from './sqlite-connection.ts'
import { storeError } from './sqlite-errors.ts'

/** How a SQLite file is opened. */
export type SqliteOptions = {
  /** How long to wait for another process that holds the write lock; default: 5 seconds. */
  readonly busyTimeoutMs?: number | undefined
  /**
   * Whether a commit waits until the disk has it; default: true. Without it, everything is quicker, and a power failure can damage
   * the file: only for a store that can be made again.
   */
  readonly durable?: boolean | undefined
}

const BUSY_TIMEOUT_MS = 5_000
const IN_MEMORY = ':memory:'

/** The first new store in memory, before anything is in it. The next ones are copies: to make one takes many statements. */
let emptyStore: Buffer | null = null

/**
 * Keeps the store in one SQLite file. `:memory:` gives a store that ends with its connection. Several processes may use
 * one file at a time.
 *
 * @example
 * ```ts
 * const reprise = createReprise({ store: sqlite('reprise.db'), agents: [claudeCode()] })
 * ```
 */
export function sqlite(file: string, options: SqliteOptions = {}): OpenStore {
  return async () => (await openSqlite(file, options)).store
}

/** The store and the tables below it. `unfinished`: also a store whose copy was broken off. */
export async function openSqlite(
  file: string,
  options: SqliteOptions = {},
  expected: 'whole' | 'unfinished' = 'whole',
): Promise<{ readonly database: Tables; readonly store: StoreWithWork }> {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const connection = connect(file, { ...options, busyTimeoutMs })
  try {
    const database = sqliteDatabase(connection, busyTimeoutMs)
    const version = versionOf(connection)
    if (expected === 'unfinished' && version === UNFINISHED_COPY)
      return { database, store: sqlStore(database) }
    refuseNewer(version, 'set REPRISE_HOME to another data directory')
    if (version < STORE_VERSION) {
      refuseStranger(connection, version)
      const { migrate } = await import('../sql/migrations.ts')
      await migrate(database)
      if (file === IN_MEMORY) emptyStore ??= connection.serialize()
    }
    return { database, store: sqlStore(database) }
  } catch (error) {
    connection.close()
    throw storeError(error, file)
  }
}

function connect(
  file: string,
  { busyTimeoutMs, durable }: SqliteOptions & { readonly busyTimeoutMs: number },
): Database.Database {
  try {
    if (file !== IN_MEMORY) makePrivate(file)
    const content = file === IN_MEMORY ? emptyStore : null
    const database = new Database(content ?? file, { timeout: busyTimeoutMs })
    try {
      return configured(database, { durable })
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
  makeDirectory(dirname(file))
  const descriptor = openSync(file, 'a', 0o600)
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
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
    'set REPRISE_HOME to a directory of its own',
  )
}
