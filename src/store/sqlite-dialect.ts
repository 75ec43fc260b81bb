// What SQLite calls the things in which databases differ.
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'

export const SQLITE: Dialect = {
  name: 'sqlite',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  growingKey: 'integer primary key autoincrement',
  locksRows: false,
  like: 'like',
  dayOf: column => sql<string>`strftime('%Y-%m-%d', ${sql.ref(column)} / 1000, 'unixepoch')`,
  textIn: (column, field) => `json_extract(${column}, '$.${field}')`,
  async version(db) {
    const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db)
    return rows[0]?.user_version ?? 0
  },
  async setVersion(db, version) {
    await sql.raw(`pragma user_version = ${Math.trunc(version)}`).execute(db)
  },
  async damages(db) {
    const pages = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
    const links = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db)
    return [
      ...pages.rows.map(row => row.integrity_check).filter(line => line !== 'ok'),
      ...links.rows.map(row => `a row of ${row.table} points to nothing in ${row.parent}`),
    ]
  },
}
