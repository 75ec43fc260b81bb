// Reads runs; holds the queries about runs that several verbs share.

import type { RunCount } from '../../../core/run/run.ts'
import { OPEN_STATUSES, type RunStatus, type TurnLimits } from '../../../core/run/run.ts'
import type { SentPrompt } from '../../../core/run/sent-prompt.ts'
import { traceOfText } from '../../../core/trace/trace-context.ts'
import { RepriseError } from '../../../errors.ts'
import type { RunFilter, RunStart, RunVerbs } from '../../contract/runs.ts'
import type { Database, Sql } from '../../sql/dialect.ts'
import {
  allOf,
  assignments,
  type Changes,
  equal,
  firstOf,
  notBefore,
  rowsOf,
} from '../../sql/plain-sql.ts'
import { runOf } from '../../sql/rows.ts'
import type { RunRow, SentPromptRow } from '../../sql/schema.ts'
import { join, raw, sql } from '../../sql/statement.ts'

const GOING: readonly RunStatus[] = ['running', 'waiting']

export function runVerbs(
  database: Database,
): Pick<
  RunVerbs,
  | 'run'
  | 'instructionsOf'
  | 'limitsOf'
  | 'promptOf'
  | 'startOf'
  | 'traceOf'
  | 'listRuns'
  | 'countRuns'
> {
  return {
    async run(id) {
      const row = await runRow(database, id)
      return row === undefined ? null : runOf(row)
    },

    async instructionsOf(runId) {
      return (await runRow(database, runId))?.instructions ?? null
    },

    async limitsOf(runId) {
      const row = await runRow(database, runId)
      return JSON.parse(row?.limits ?? '{}') as TurnLimits
    },

    async promptOf(runId) {
      const row = await firstOf(
        database,
        sql<SentPromptRow>`
          select *
          from sent_prompts
          where run_id = ${runId}
        `,
      )
      return row === undefined ? null : (JSON.parse(row.json) as SentPrompt)
    },

    async startOf(runId) {
      const row = await runRow(database, runId)
      if (!row?.session_mark) return null
      return { mark: JSON.parse(row.session_mark) as RunStart['mark'], answerTo: row.answer_to }
    },

    async traceOf(runId) {
      const row = await firstOf(
        database,
        sql<{ trace: string | null }>`
          select coalesce(runs.trace, jobs.trace, chains.trace) as trace
          from runs
          left join jobs on jobs.id = runs.job_id
          left join chains on chains.id = runs.chain_id
          where runs.id = ${runId}
        `,
      )
      return traceOfText(row?.trace ?? null)
    },

    async listRuns(filter) {
      const rows = await newestRuns(database, filter)
      return rows.map(runOf)
    },

    countRuns: () => countRuns(database),
  }
}

function newestRuns(tx: Sql, filter: RunFilter): Promise<readonly RunRow[]> {
  const { threadId, chainId, sessionId, jobId, status, action, since, cursor, limit } = filter
  const conditions = [
    ...equal<'runs'>({
      thread_id: threadId,
      chain_id: chainId,
      session_id: sessionId,
      job_id: jobId,
      status,
    }),
    ...notBefore('queued_at', since),
  ]
  if (action !== undefined) {
    conditions.push(sql`${raw(tx.dialect.textIn('decision', 'action'))} = ${action}`)
  }
  if (cursor !== undefined) {
    conditions.push(sql`seq < (select seq from runs where id = ${cursor})`)
  }
  return rowsOf(
    tx,
    sql<RunRow>`
      select *
      from runs
      where ${allOf(conditions)}
      order by seq desc
      limit ${limit}
    `,
  )
}

/** An index alone answers this query. */
function countRuns(tx: Sql): Promise<readonly RunCount[]> {
  const action = raw(tx.dialect.textIn('decision', 'action'))
  return rowsOf(
    tx,
    sql<RunCount>`
      select status, ${action} as action, count(*) as runs
      from runs
      group by status, ${action}
    `,
  )
}

export function runRow(tx: Sql, id: string): Promise<RunRow | undefined> {
  return firstOf(
    tx,
    sql<RunRow>`
      select *
      from runs
      where id = ${id}
    `,
  )
}

/** Gives the changed run, which saves a statement to read it again. */
export async function changeRun(tx: Sql, id: string, changes: Changes<'runs'>): Promise<RunRow> {
  const row = await firstOf(
    tx,
    sql<RunRow>`
      update runs
      set ${assignments(changes)}
      where id = ${id}
      returning *
    `,
  )
  return row ?? existingRunRow(tx, id)
}

export async function existingRunRow(tx: Sql, id: string): Promise<RunRow> {
  const row = await runRow(tx, id)
  if (row !== undefined) return row
  throw new RepriseError('not-found', `there is no run ${id}`, 'Run `reprise runs` to see them.')
}

export function hasEnded(status: string): boolean {
  return !OPEN_STATUSES.some(open => open === status)
}

/** A running or waiting run comes before all queued ones. */
export function firstInLine(tx: Sql, threadId: string) {
  return firstOf(
    tx,
    sql<Pick<RunRow, 'id' | 'status'>>`
      select id, status
      from runs
      where thread_id = ${threadId}
      and status in ('queued', ${join(GOING)})
      order by status = 'queued', place
      limit 1
    `,
  )
}
