// Changes of threads, chains, jobs, schedules and workers, for live readers. Each has one row, at the place of its latest change; a row
// outlives what it names, so that readers hear of a removal too.
import type { StoredChange } from '../../../core/run/stored-events.ts'
import type { Database, Sql } from '../../sql/dialect.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import type { ChangeRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'

/** Called in the transaction that makes the change. */
export async function noteChange(tx: Sql, { kind, id, at }: Omit<StoredChange, 'position'>) {
  await tx.atEnd(async () => {
    await tx.execute(sql`delete from changes where kind = ${kind} and id = ${id}`)
    await insertRows(tx, { table: 'changes' }, [{ kind, id, at }])
  })
}

export async function changesAfter(
  database: Database,
  after: number,
  limit: number,
): Promise<readonly StoredChange[]> {
  const rows = await rowsOf(
    database,
    sql<ChangeRow>`
      select *
      from changes
      where position > ${after}
      order by position
      limit ${limit}
    `,
  )
  return rows.map(row => ({ ...row, kind: row.kind as StoredChange['kind'] }))
}

export async function lastChange(database: Database): Promise<number> {
  const statement = sql<{ position: number | null }>`select max(position) as position from changes`
  return (await firstOf(database, statement))?.position ?? 0
}

/** The place before the first change at this time or later. */
export async function changeBefore(database: Database, at: number): Promise<number> {
  const row = await firstOf(
    database,
    sql<{ position: number | null }>`
      select min(position) as position
      from changes
      where at >= ${at}
    `,
  )
  return row?.position ? row.position - 1 : lastChange(database)
}
