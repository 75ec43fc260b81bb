// What is asked of the database in the same way again and again.
import type { Sql } from './dialect.ts'
import type { NewRow, Schema } from './schema.ts'
import { join, raw, type Statement, sql } from './statement.ts'

export async function rowsOf<Row>(tx: Sql, statement: Statement<Row>): Promise<readonly Row[]> {
  return (await tx.execute(statement)).rows
}

export async function firstOf<Row>(tx: Sql, statement: Statement<Row>): Promise<Row | undefined> {
  return (await tx.execute(statement)).rows[0]
}

/** Gives how many were inserted; all rows name the same columns. `otherwise`: what happens on a conflict. */
export async function insertRows<Table extends keyof Schema>(
  tx: Sql,
  into: { readonly table: Table; readonly otherwise?: Statement },
  rows: readonly NewRow<Table>[],
): Promise<number> {
  const names = Object.keys(rows[0] ?? {}).map(quoted)
  const values = rows.map(row => sql`(${join(Object.values(row))})`)
  const { changes } = await tx.execute(sql`
    insert into ${raw(into.table)} (${raw(names.join(', '))})
    values ${join(values)}
    ${into.otherwise ?? raw('')}
  `)
  return changes
}

export type Changes<Table extends keyof Schema> = {
  readonly [Column in keyof Schema[Table]]?: Schema[Table][Column] | Statement
}

/** Changes the row with this id; gives how many there were. */
export async function updateRow<Table extends 'runs' | 'threads' | 'sessions'>(
  tx: Sql,
  row: { readonly table: Table; readonly id: string },
  to: Changes<Table>,
): Promise<number> {
  const { changes } = await tx.execute(sql`
    update ${raw(row.table)}
    set ${assignments(to)}
    where id = ${row.id}
  `)
  return changes
}

export function assignments<Table extends keyof Schema>(changes: Changes<Table>): Statement {
  return join(Object.entries(changes).map(([name, to]) => sql`${raw(quoted(name))} = ${to}`))
}

/** One condition for each value that is given; an `undefined` one does not filter. */
export function equal<Table extends keyof Schema>(
  values: {
    readonly [Column in keyof Schema[Table]]?: Schema[Table][Column] | undefined
  },
): readonly Statement[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${raw(quoted(name))} = ${value}`],
  )
}

/** Holds where every condition holds; without any, everywhere. */
export function allOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? raw('true') : join(conditions, ' and ')
}

/** Columns are named by this program, never by its users. */
function quoted(column: string): string {
  return `"${column}"`
}
