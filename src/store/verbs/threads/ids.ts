// Finds ids by their beginning.
import type { IdSubject } from '../../../core/id-kind.ts'
import type { IdVerbs } from '../../contract/ids.ts'
import type { Database } from '../../sql/dialect.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import type { Schema } from '../../sql/schema.ts'
import { raw, sql } from '../../sql/statement.ts'

const TABLES: Readonly<Record<IdSubject, keyof Schema>> = {
  thread: 'threads',
  message: 'messages',
  run: 'runs',
  chain: 'chains',
  job: 'jobs',
  session: 'sessions',
  schedule: 'schedules',
}

export function idVerbs(database: Database): IdVerbs {
  return {
    // Not `like` and not a range: both depend on how the database sorts letters.
    async idsBeginning({ kind, beginning, limit }) {
      const rows = await rowsOf(
        database,
        sql<{ id: string }>`
          select id
          from ${raw(TABLES[kind])}
          where substr(id, 1, ${beginning.length}) = ${beginning}
          order by id
          limit ${limit}
        `,
      )
      return rows.map(({ id }) => id)
    },
  }
}
