// What SQLite calls the things in which databases differ.
import type { Dialect } from '../sql/dialect.ts'
import { firstOf, rowsOf } from '../sql/plain-sql.ts'
import { raw, sql } from '../sql/statement.ts'

export const SQLITE: Dialect = {
  name: 'sqlite',
  now: raw(`cast(unixepoch('subsec') * 1000 as integer)`),
  growingKey: 'integer primary key autoincrement',
  keyed: 'without rowid',
  locksRows: false,
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
