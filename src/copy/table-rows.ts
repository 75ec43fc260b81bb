// Reads and writes the rows of any table, page by page in the order of its key.
import { inChunks } from '../store/sql/chunks.ts'
import type { Database, Sql } from '../store/sql/dialect.ts'
import { firstOf, rowsOf } from '../store/sql/plain-sql.ts'
import { join, raw, sql } from '../store/sql/statement.ts'
import type { Table } from './catalogue.ts'

export type TableRow = Readonly<Record<string, unknown>>
/** The values of a primary key. */
export type Key = readonly unknown[]

const AT_ONCE = 200

const listed = (columns: readonly string[]) => raw(columns.map(name => `"${name}"`).join(', '))

/** `after`: the key of the last row that is not wanted any more. */
export async function* pagesOf(
  database: Database,
  table: Table,
  after: Key | null,
): AsyncGenerator<readonly TableRow[]> {
  let last = after
  for (;;) {
    const where = last === null ? sql`true` : sql`(${listed(table.key)}) > (${join(last)})`
    const rows = await rowsOf(
      database,
      sql<TableRow>`
        select ${listed(table.columns)}
        from ${raw(table.name)}
        where ${where}
        order by ${listed(table.key)}
        limit ${AT_ONCE}
      `,
    )
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows
    last = keyOfRow(table, end)
  }
}

export function keyOfRow({ key }: Table, row: TableRow): Key {
  return key.map(name => row[name])
}

export async function insertPage(tx: Sql, table: Table, rows: readonly TableRow[]): Promise<void> {
  for (const some of inChunks(rows)) {
    const values = some.map(row => sql`(${join(table.columns.map(name => row[name]))})`)
    await tx.execute(sql`
      insert into ${raw(table.name)} (${listed(table.columns)})
      values ${join(values)}
    `)
  }
}

export async function countRows(database: Sql, { name }: Table): Promise<number> {
  const row = await firstOf(
    database,
    sql<{ rows: number }>`select count(*) as rows from ${raw(name)}`,
  )
  return row?.rows ?? 0
}
