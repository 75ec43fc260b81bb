// How far a copy has come, in the store that it is written to. While it is there, nobody else may open that store.
import type { Database, Sql } from '../store/sql/dialect.ts'
import { write } from '../store/sql/dialect.ts'
import { firstOf } from '../store/sql/plain-sql.ts'
import { raw, sql } from '../store/sql/statement.ts'
import { STORE_VERSION, UNFINISHED_COPY } from '../store/sql/version.ts'
import type { Key } from './table-rows.ts'

/** `after` is JSON: the key of the last row that was copied. */
const TABLE = 'store_copy'

export function beginCopy(database: Database): Promise<void> {
  return write(database, async tx => {
    await tx.execute(raw(`create table ${TABLE} (name text primary key, after text not null)`))
    await tx.dialect.setVersion(tx, UNFINISHED_COPY)
  })
}

export async function isUnfinished(database: Sql): Promise<boolean> {
  return (await database.dialect.version(database)) === UNFINISHED_COPY
}

export async function copiedUpTo(database: Sql, table: string): Promise<Key | null> {
  const row = await firstOf(
    database,
    sql<{ after: string }>`select after from ${raw(TABLE)} where name = ${table}`,
  )
  return row === undefined ? null : (JSON.parse(row.after) as Key)
}

/** In the transaction of the rows. */
export async function noteCopied(tx: Sql, table: string, after: Key): Promise<void> {
  await tx.execute(sql`
    insert into ${raw(TABLE)} (name, after)
    values (${table}, ${JSON.stringify(after)})
    on conflict (name) do update
    set after = excluded.after
  `)
}

export function finishCopy(database: Database): Promise<void> {
  return write(database, async tx => {
    await tx.execute(raw(`drop table ${TABLE}`))
    await tx.dialect.setVersion(tx, STORE_VERSION)
  })
}
