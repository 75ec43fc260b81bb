// Caches the result of the last probe, so that Reprise does not probe an unchanged binary again.

import type { AgentProbeVerbs } from '../../contract/agent-probes.ts'
import { type Database, write } from '../../sql/dialect.ts'
import { firstOf, insertRows, rowsOf } from '../../sql/plain-sql.ts'
import { runtimeOf } from '../../sql/rows.ts'
import type { RuntimeRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'

export function agentProbeVerbs(database: Database): AgentProbeVerbs {
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
      write(database, async tx => {
        const otherwise = sql`on conflict (key) do update set json = excluded.json`
        const row = { key, json: JSON.stringify(runtime) }
        await insertRows(tx, { table: 'runtimes', otherwise }, [row])
      }),

    forgetRuntime: executable =>
      write(database, async tx => {
        const rows = await rowsOf(tx, sql<RuntimeRow>`select * from runtimes`)
        const old = rows.filter(row => runtimeOf(row.json).executable === executable)
        for (const { key } of old) await tx.execute(sql`delete from runtimes where key = ${key}`)
      }),
  }
}
