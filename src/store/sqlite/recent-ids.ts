// Reads the newest ids of a store in a file, for a shell that completes them. It reads only and never waits.
import Database from 'better-sqlite3'
import { type IdKind, newestIds, type RecentId } from '../sql/recent-ids.ts'

/** Throws when the file cannot be read now, or is not a store. */
export function recentIds(file: string, kind: IdKind, prefix: string): readonly RecentId[] {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 0 })
  try {
    const { texts, values } = newestIds(kind, prefix)
    return database.prepare<unknown[], RecentId>(texts.join('?')).all(...values)
  } finally {
    database.close()
  }
}
