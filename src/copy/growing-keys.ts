// Keys that grow by themselves go on in the copy where they are now, so that none is used twice.
import type { Database } from '../store/sql/dialect.ts'
import { firstOf } from '../store/sql/plain-sql.ts'
import { raw, sql } from '../store/sql/statement.ts'
import type { Table } from './catalogue.ts'

export async function copyGrowingKeys(
  from: Database,
  to: Database,
  tables: readonly Table[],
): Promise<void> {
  for (const { name, growing } of tables) {
    if (growing === null) continue
    const last = await lastOf(from, name, growing)
    if (last > 0) await setLast(to, { name, growing, last })
  }
}

async function lastOf(database: Database, table: string, column: string): Promise<number> {
  const isPostgres = database.dialect.name === 'postgres'
  const asked = isPostgres
    ? sql<{ last: number | null }>`
        select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last
      `
    : sql<{ last: number | null }>`select seq as last from sqlite_sequence where name = ${table}`
  return (await firstOf(database, asked))?.last ?? 0
}

async function setLast(
  database: Database,
  {
    name,
    growing,
    last,
  }: { readonly name: string; readonly growing: string; readonly last: number },
): Promise<void> {
  if (database.dialect.name === 'postgres') {
    await database.execute(
      sql`select setval(pg_get_serial_sequence(${name}, ${growing})::regclass, ${last})`,
    )
    return
  }
  await database.execute(sql`delete from sqlite_sequence where name = ${name}`)
  await database.execute(
    sql`insert into ${raw('sqlite_sequence')} (name, seq) values (${name}, ${last})`,
  )
}
