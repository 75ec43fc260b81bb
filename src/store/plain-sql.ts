// Statements as plain SQL text. Kysely's builders cost a process that lives for one turn more than the statements
// themselves, as nearly every use of them is the first: what each turn needs is written out, the rest is built.
import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import type { Sql } from './dialect.ts'
import type { Schema } from './schema.ts'

export async function rowsOf<Row>(tx: Sql, statement: RawBuilder<Row>): Promise<readonly Row[]> {
  return (await statement.execute(tx.db)).rows
}

export async function firstOf<Row>(tx: Sql, statement: RawBuilder<Row>): Promise<Row | undefined> {
  return (await statement.execute(tx.db)).rows[0]
}

/** Gives how many were inserted; all rows name the same columns. `otherwise`: what happens on a conflict. */
export async function insertRows<Table extends keyof Schema>(
  tx: Sql,
  into: { readonly table: Table; readonly otherwise?: RawBuilder<unknown> },
  rows: readonly Insertable<Schema[Table]>[],
): Promise<number> {
  const names = Object.keys(rows[0] ?? {}).map(quoted)
  const values = rows.map(row => sql`(${sql.join(Object.values(row))})`)
  const { numAffectedRows } = await sql`
    insert into ${sql.raw(into.table)} (${sql.raw(names.join(', '))})
    values ${sql.join(values)}
    ${into.otherwise ?? sql``}
  `.execute(tx.db)
  return Number(numAffectedRows ?? 0)
}

export type Changes<Table extends keyof Schema> = {
  readonly [Column in keyof Updateable<Schema[Table]>]:
    | Updateable<Schema[Table]>[Column]
    | RawBuilder<unknown>
}

/** Changes the row with this id. */
export async function updateRow<Table extends 'runs' | 'threads' | 'sessions'>(
  tx: Sql,
  row: { readonly table: Table; readonly id: string },
  changes: Changes<Table>,
): Promise<void> {
  await sql`
    update ${sql.raw(row.table)}
    set ${assignments(changes)}
    where id = ${row.id}
  `.execute(tx.db)
}

export function assignments<Table extends keyof Schema>(changes: Changes<Table>) {
  return sql.join(
    Object.entries(changes).map(([name, to]) => sql`${sql.raw(quoted(name))} = ${to}`),
  )
}

/** Columns are named by this program, never by its users. */
function quoted(column: string): string {
  return `"${column}"`
}
