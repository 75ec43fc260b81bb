// Lists of threads: the filters, one page, and how many threads there are in all.
import type { ThreadFilter, ThreadSummary } from '../../../core/conversation/thread.ts'
import type { Run } from '../../../core/run/run.ts'
import type { ThreadQuery } from '../../contract/threads.ts'
import type { Sql } from '../../sql/dialect.ts'
import { allOf, equal, firstOf, rowsOf } from '../../sql/plain-sql.ts'
import { runOf, threadOf } from '../../sql/rows.ts'
import type { RunRow, ThreadRow } from '../../sql/schema.ts'
import { join, raw, type Statement, sql } from '../../sql/statement.ts'

export async function threadsLike(
  tx: Sql,
  { cursor, limit, ...filter }: ThreadQuery,
): Promise<readonly ThreadSummary[]> {
  const last = cursor === undefined ? undefined : await activityOf(tx, cursor)
  // The cursor's thread was removed meanwhile: ends the list, because a restart would never end.
  if (cursor !== undefined && last === undefined) return []
  const conditions = [...conditionsOf(tx, filter)]
  if (last) conditions.push(sql`(updated_at, id) < (${last.updated_at}, ${last.id})`)
  const rows = await rowsOf(
    tx,
    sql<ThreadRow>`
      select *
      from threads
      where ${allOf(conditions)}
      order by updated_at desc, id desc
      limit ${limit}
    `,
  )
  const ids = rows.map(row => row.id)
  const sums = await sumsOf(tx, ids)
  const lastRuns = await lastRunsOf(tx, ids)
  return rows.map(row => {
    const { instructions: _, ...thread } = threadOf(row)
    return { ...thread, ...(sums.get(row.id) ?? NO_RUNS), lastRun: lastRuns.get(row.id) ?? null }
  })
}

export async function countThreads(tx: Sql, filter: ThreadFilter): Promise<number> {
  const row = await firstOf(
    tx,
    sql<{ count: number }>`
      select count(*) as count
      from threads
      where ${allOf(conditionsOf(tx, filter))}
    `,
  )
  return row?.count ?? 0
}

/** The cheap conditions come first, because the database may look at messages and runs for each thread that is left. */
function conditionsOf(tx: Sql, filter: ThreadFilter): readonly Statement[] {
  const { text, kind = 'chat', agent, workDir, status, action, since, unapproved } = filter
  return [
    ...equal<'threads'>({ kind, agent, work_dir: workDir }),
    ...(since === undefined ? [] : [sql`updated_at >= ${since}`]),
    // Few threads have an import key, and there is an index of those that do.
    ...(unapproved ? [sql`import_key is not null`, sql`approved_at is null`] : []),
    ...(status === undefined ? [] : [sql`${ofLastRun(raw('runs.status'))} = ${status}`]),
    ...(action === undefined
      ? []
      : [sql`${ofLastRun(raw(tx.dialect.textIn('decision', 'action')))} = ${action}`]),
    ...(text ? [holding(tx, text)] : []),
  ]
}

function ofLastRun(column: Statement): Statement {
  return sql`(
    select ${column}
    from runs
    where runs.thread_id = threads.id
    order by runs.seq desc
    limit 1
  )`
}

/** Finds the text in the title, the directory or any message, also of earlier branches; or an id that begins with it. */
function holding({ dialect }: Sql, text: string): Statement {
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&')
  const pattern = `%${escaped}%`
  const like = raw(dialect.like)
  return sql`(
    threads.title ${like} ${pattern} escape '\\'
    or threads.work_dir ${like} ${pattern} escape '\\'
    or threads.id ${like} ${`${escaped}%`} escape '\\'
    or exists (
      select 1
      from messages
      where messages.thread_id = threads.id
      and messages.text ${like} ${pattern} escape '\\'
    )
  )`
}

function activityOf(tx: Sql, threadId: string) {
  return firstOf(
    tx,
    sql<Pick<ThreadRow, 'updated_at' | 'id'>>`
      select updated_at, id
      from threads
      where id = ${threadId}
    `,
  )
}

type Sums = Pick<ThreadSummary, 'turnCount' | 'costUsd' | 'savedUsd'>

const NO_RUNS: Sums = { turnCount: 0, costUsd: 0, savedUsd: 0 }

async function sumsOf(tx: Sql, threadIds: readonly string[]): Promise<ReadonlyMap<string, Sums>> {
  if (threadIds.length === 0) return new Map()
  const rows = await rowsOf(
    tx,
    sql<Sums & { id: string }>`
      select
        thread_id as id,
        count(distinct prompt_message_id) as "turnCount",
        coalesce(sum(cost_usd), 0) as "costUsd",
        coalesce(sum(saved_usd), 0) as "savedUsd"
      from runs
      where thread_id in (${join(threadIds)})
      group by thread_id
    `,
  )
  return new Map(rows.map(({ id, ...sums }) => [id, sums]))
}

async function lastRunsOf(tx: Sql, threadIds: readonly string[]): Promise<Map<string, Run>> {
  if (threadIds.length === 0) return new Map()
  const rows = await rowsOf(
    tx,
    sql<RunRow>`
      select *
      from runs
      where seq in (
        select max(seq)
        from runs
        where thread_id in (${join(threadIds)})
        group by thread_id
      )
    `,
  )
  return new Map(rows.flatMap(row => (row.thread_id === null ? [] : [[row.thread_id, runOf(row)]])))
}
