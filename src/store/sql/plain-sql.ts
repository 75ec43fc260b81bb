// Statements that many verbs share: insert rows, update a row, combine conditions.
import type { Sql } from './dialect.ts'
import type { NewRow, Schema } from './schema.ts'
import { join, raw, type Statement, sql } from './statement.ts'

export async function rowsOf<Row>(tx: Sql, statement: Statement<Row>): Promise<readonly Row[]> {
  return (await tx.execute(statement)).rows
}

export async function firstOf<Row>(tx: Sql, statement: Statement<Row>): Promise<Row | undefined> {
  return (await tx.execute(statement)).rows[0]
}

/** All rows must name the same columns. `otherwise`: the SQL for a conflict. Gives how many rows were inserted. */
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

/** Changes the row with this id; gives how many rows were changed. */
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

/** Gives one condition per value; an `undefined` value does not filter. */
export function equal<Table extends keyof Schema>(
  values: {
    readonly [Column in keyof Schema[Table]]?: Schema[Table][Column] | undefined
  },
): readonly Statement[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${raw(quoted(name))} = ${value}`],
  )
}

/** A time in milliseconds; `undefined` does not filter. */
export function notBefore(column: string, since: number | undefined): readonly Statement[] {
  return since === undefined ? [] : [sql`${raw(quoted(column))} >= ${since}`]
}

/** True where every condition is true; without conditions, everywhere. */
export function allOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? raw('true') : join(conditions, ' and ')
}

/** Column names come from this program, never from its users; `table.column` names one of several tables. */
function quoted(column: string): string {
  return column
    .split('.')
    .map(part => `"${part}"`)
    .join('.')
}
