// What ended runs of this store used and cost, summed by day, thread or agent, and how they were decided.

import type { EstimatedRun } from '../../../core/money/estimate-error.ts'
import type { ReasonCount } from '../../../core/money/reason-share.ts'
import type { UsageRow } from '../../../core/money/usage.ts'
import type { RunVerbs } from '../../contract/runs.ts'
import type { Database, Sql } from '../../sql/dialect.ts'
import { rowsOf } from '../../sql/plain-sql.ts'
import type { RunRow } from '../../sql/schema.ts'
import { raw, sql } from '../../sql/statement.ts'

export function usageVerbs(
  database: Database,
): Pick<RunVerbs, 'usageBy' | 'countReasons' | 'estimatedRuns'> {
  return {
    usageBy: (by, since = 0) => usageBy(database, by, since),
    countReasons: (since = 0) => countReasons(database, since),
    estimatedRuns: (since = 0) => estimatedRuns(database, since),
  }
}

type UsageSums = {
  readonly key: string
  readonly runs: number
  readonly resumed: number
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
  readonly cost: number | null
  readonly cold_cost: number | null
  readonly saved: number | null
}

async function usageBy(
  tx: Sql,
  by: 'day' | 'thread' | 'agent',
  since: number,
): Promise<readonly UsageRow[]> {
  const keys = { day: tx.dialect.dayOf('started_at'), thread: 'thread_id', agent: 'agent' }
  const key = raw(keys[by])
  const rows = await rowsOf(
    tx,
    sql<UsageSums>`
      select
        ${key} as key,
        count(*) as runs,
        sum(session_resumed) as resumed,
        sum(input_tokens) as input,
        sum(cache_read_tokens) as cache_read,
        sum(cache_write_tokens) as cache_write,
        sum(output_tokens) as output,
        sum(cost_usd) as cost,
        sum(cold_cost_usd) as cold_cost,
        sum(saved_usd) as saved
      from runs
      where started_at >= ${since}
      and ended_at is not null
      and imported = 0
      and ${key} is not null
      group by ${key}
      order by ${key}
    `,
  )
  return rows.map(row => ({
    key: row.key,
    runs: row.runs,
    resumed: row.resumed,
    usage: {
      inputTokens: row.input,
      cacheReadTokens: row.cache_read,
      cacheWriteTokens: row.cache_write,
      outputTokens: row.output,
    },
    costUsd: row.cost ?? 0,
    coldCostUsd: row.cold_cost ?? 0,
    savedUsd: row.saved ?? 0,
  }))
}

async function countReasons(tx: Sql, since: number): Promise<readonly ReasonCount[]> {
  const action = raw(tx.dialect.textIn('decision', 'action'))
  const code = raw(tx.dialect.textIn('decision', 'reason.code'))
  return rowsOf(
    tx,
    sql<ReasonCount>`
      select
        ${action} as action,
        ${code} as code,
        count(*) as runs,
        sum(session_resumed) as resumed
      from runs
      where started_at >= ${since}
      and ended_at is not null
      and imported = 0
      and decision is not null
      group by ${action}, ${code}
      order by ${action}, ${code}
    `,
  )
}

/** So many runs tell how good estimates are. */
const MOST_ESTIMATED = 10_000

type EstimatedRow = Pick<
  RunRow,
  'input_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'output_tokens' | 'cost_usd'
> & { readonly estimate: string }

async function estimatedRuns(tx: Sql, since: number): Promise<readonly EstimatedRun[]> {
  const rows = await rowsOf(
    tx,
    sql<EstimatedRow>`
      select
        estimate,
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        cost_usd
      from runs
      where started_at >= ${since}
      and status = 'completed'
      and estimate is not null
      order by started_at desc
      limit ${MOST_ESTIMATED}
    `,
  )
  return rows.map(row => ({
    estimate: JSON.parse(row.estimate) as EstimatedRun['estimate'],
    usage: {
      inputTokens: row.input_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      outputTokens: row.output_tokens,
    },
    costUsd: row.cost_usd,
  }))
}
