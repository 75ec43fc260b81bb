// How a connection to SQLite is set up, apart from sqlite.ts: the types of better-sqlite3 stay out of the public ones.
import type Database from 'better-sqlite3'
import { RepriseError } from '../../errors.ts'

/** Older versions can lose committed pages when a WAL file is reset. */
const OLDEST_SQLITE = [3, 51, 3] as const

export function configured(
  database: Database.Database,
  { durable = true }: { readonly durable?: boolean | undefined } = {},
): Database.Database {
  refuseOldSqlite(String(database.prepare('select sqlite_version()').pluck().get()))
  database.pragma('journal_mode = wal')
  // NORMAL loses acknowledged commits when the power fails.
  database.pragma(`synchronous = ${durable ? 'full' : 'off'}`)
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
