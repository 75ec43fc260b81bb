// The tables of a store, read from an empty one: every store of this version has the same.
import type { Database } from '../store/sql/dialect.ts'
import { rowsOf } from '../store/sql/plain-sql.ts'
import { raw, sql } from '../store/sql/statement.ts'
import { openSqlite } from '../store/sqlite/sqlite.ts'

export type Table = {
  readonly name: string
  /** In the order of their names. */
  readonly columns: readonly string[]
  /** The primary key. */
  readonly key: readonly string[]
  /** The column that grows by itself, if there is one. */
  readonly growing: string | null
}

/** The pieces of the vault are copied on their own: beside SQLite they are files. */
const OF_THE_VAULT = /^vault_/

/** Each table comes after those that its rows refer to. */
export async function storeTables(): Promise<readonly Table[]> {
  const { database } = await openSqlite(':memory:')
  try {
    const tables = await rowsOf(
      database,
      sql<{ name: string; sql: string }>`
        select name, sql
        from sqlite_master
        where type = 'table'
        order by name
      `,
    )
    const own = tables.filter(({ name }) => !/^sqlite_/.test(name) && !OF_THE_VAULT.test(name))
    const found = new Map<string, Table>()
    while (found.size < own.length) {
      for (const table of own) {
        const needed = await referredBy(database, table.name)
        if (!found.has(table.name) && needed.every(name => found.has(name)))
          found.set(table.name, await tableOf(database, table))
      }
    }
    return [...found.values()]
  } finally {
    await database.close()
  }
}

async function referredBy(database: Database, table: string): Promise<readonly string[]> {
  const keys = await rowsOf(database, raw<{ table: string }>(`pragma foreign_key_list(${table})`))
  return keys.map(key => key.table).filter(name => name !== table)
}

async function tableOf(
  database: Database,
  table: { readonly name: string; readonly sql: string },
): Promise<Table> {
  const info = await rowsOf(
    database,
    raw<{ name: string; pk: number }>(`pragma table_info(${table.name})`),
  )
  const key = info.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
  return {
    name: table.name,
    columns: info.map(({ name }) => name).toSorted(),
    key: key.map(({ name }) => name),
    growing: /autoincrement/i.test(table.sql) ? (key[0]?.name ?? null) : null,
  }
}
