// Runtimes as they were last probed, so that an unchanged binary is not asked again.
import { sql } from 'kysely'
import { type Sql, write } from './dialect.ts'
import { firstOf } from './plain-sql.ts'
import { runtimeOf } from './rows.ts'
import type { Store } from './store.ts'

export function runtimeVerbs(
  database: Sql,
): Pick<Store, 'cachedRuntime' | 'cacheRuntime' | 'forgetRuntime'> {
  return {
    async cachedRuntime(key) {
      const row = await firstOf(
        database,
        sql<{ json: string }>`
          select json
          from runtimes
          where key = ${key}
        `,
      )
      return row === undefined ? null : runtimeOf(row.json)
    },

    cacheRuntime: (key, runtime) =>
      write(database, async ({ db }) => {
        const json = JSON.stringify(runtime)
        await db
          .insertInto('runtimes')
          .values({ key, json })
          .onConflict(conflict => conflict.column('key').doUpdateSet({ json }))
          .execute()
      }),

    forgetRuntime: executable =>
      write(database, async ({ db }) => {
        const rows = await db.selectFrom('runtimes').selectAll().execute()
        const keys = rows.filter(row => runtimeOf(row.json).executable === executable)
        for (const { key } of keys) await db.deleteFrom('runtimes').where('key', '=', key).execute()
      }),
  }
}
