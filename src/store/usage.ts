// What ended runs used and cost, summed by day, thread or agent.
import { sql } from 'kysely'
import type { Sql } from './dialect.ts'
import type { Store, UsageRow } from './store.ts'

export function usageVerbs(database: Sql): Pick<Store, 'usageBy'> {
  return { usageBy: by => usageBy(database, by) }
}

async function usageBy(
  { db, dialect }: Sql,
  by: 'day' | 'thread' | 'agent',
): Promise<readonly UsageRow[]> {
  const keys = {
    day: dialect.dayOf('started_at'),
    thread: sql<string>`thread_id`,
    agent: sql<string>`agent`,
  }
  const key = keys[by]
  const rows = await db
    .selectFrom('runs')
    .select(eb => [
      key.as('key'),
      eb.fn.countAll<number>().as('runs'),
      eb.fn.sum<number>('session_resumed').as('resumed'),
      eb.fn.sum<number>('input_tokens').as('inputTokens'),
      eb.fn.sum<number>('cache_read_tokens').as('cacheReadTokens'),
      eb.fn.sum<number>('cache_write_tokens').as('cacheWriteTokens'),
      eb.fn.sum<number>('output_tokens').as('outputTokens'),
      eb.fn.sum<number | null>('cost_usd').as('costUsd'),
      eb.fn.sum<number | null>('cold_cost_usd').as('coldCostUsd'),
      eb.fn.sum<number | null>('saved_usd').as('savedUsd'),
    ])
    .where('started_at', 'is not', null)
    .where('ended_at', 'is not', null)
    .$if(by === 'thread', runs => runs.where('thread_id', 'is not', null))
    .groupBy(key)
    .orderBy(key)
    .execute()
  return rows.map(row => ({
    key: row.key,
    runs: row.runs,
    resumed: row.resumed,
    usage: {
      inputTokens: row.inputTokens,
      cacheReadTokens: row.cacheReadTokens,
      cacheWriteTokens: row.cacheWriteTokens,
      outputTokens: row.outputTokens,
    },
    costUsd: row.costUsd ?? 0,
    coldCostUsd: row.coldCostUsd ?? 0,
    savedUsd: row.savedUsd ?? 0,
  }))
}
