// Jobs: submitted once, settled run by run, over once.
import { type Job, type JobStatus, OPEN_JOB_STATUSES, statusAfter } from '../../../core/job/job.ts'
import type { JobStep } from '../../../core/job/retry.ts'
import { traceText } from '../../../core/trace/trace-context.ts'
import type { JobVerbs, NewJob } from '../../contract/jobs.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThreadOfJob } from '../../sql/locks.ts'
import {
  allOf,
  assignments,
  equal,
  firstOf,
  insertRows,
  notBefore,
  rowsOf,
} from '../../sql/plain-sql.ts'
import { bit, type WorkspaceColumns, workspaceOf } from '../../sql/rows.ts'
import type { ThreadRow } from '../../sql/schema.ts'
import { join, type Statement, sql } from '../../sql/statement.ts'
import type { JobRow } from '../../sql/work-rows.ts'
import { noteChange } from '../runs/changes.ts'
import { claimKey, keepAnswer } from '../runs/request-keys.ts'
import { insertThread } from '../threads/threads.ts'
import { openTransaction } from './open-transaction.ts'

export function jobVerbs(database: Database): JobVerbs {
  return {
    submitJob: (job, enlist, key) =>
      write(database, async tx => {
        const earlier = key && (await claimKey(tx, key))
        if (earlier) return (await idOfThread(tx, earlier.threadId)) ?? job.id
        await createJob(tx, job)
        await enlist(openTransaction(tx))
        const did = { threadId: job.threadId, runId: null, messageId: null, at: job.createdAt }
        if (key) await keepAnswer(tx, key, did)
        return job.id
      }),

    async job(id) {
      const row = await rowOf(database, id)
      return row === undefined ? null : jobOf(row)
    },

    async jobOfThread(threadId) {
      const id = await idOfThread(database, threadId)
      const row = id === null ? undefined : await rowOf(database, id)
      return row === undefined ? null : jobOf(row)
    },

    async listJobs({ status, since, cursor, limit }) {
      const conditions = [...equal<'jobs'>({ status }), ...notBefore('jobs.created_at', since)]
      if (cursor !== undefined) {
        conditions.push(sql`jobs.seq < (select seq from jobs where id = ${cursor})`)
      }
      const rows = await rowsOf(
        database,
        sql<PlacedJobRow>`
          select ${PLACED}
          from jobs
          join threads on threads.id = jobs.thread_id
          where ${allOf(conditions)}
          order by jobs.seq desc
          limit ${limit}
        `,
      )
      return rows.map(jobOf)
    },

    async openJobIds() {
      const rows = await rowsOf(
        database,
        sql<{ id: string }>`
          select id
          from jobs
          where status in (${join(OPEN_JOB_STATUSES)})
          order by seq
        `,
      )
      return rows.map(({ id }) => id)
    },

    countJobs: () =>
      rowsOf(
        database,
        sql<{ status: JobStatus; jobs: number }>`
          select status, count(*) as jobs
          from jobs
          group by status
        `,
      ),

    startAttempt: (id, now) =>
      changing(
        database,
        { id, at: now },
        sql`
        update jobs
        set
          status = 'running',
          next_attempt_at = null,
          started_at = coalesce(started_at, ${now})
        where ${isOpen(id)}
        and cancel_requested = 0
      `,
      ),

    settleJob: async (id, { runId, step, now }) => {
      const change = {
        status: statusAfter(step),
        step: JSON.stringify(step),
        next_attempt_at: step.do === 'retry' ? step.at : null,
        ...(step.do === 'retry' && { next_how: step.how }),
        ...(step.do !== 'retry' && { ended_at: now }),
        ...(runId !== null && { settled_run_id: runId }),
      }
      const settle = sql`
        update jobs
        set ${assignments<'jobs'>(change)}
        where ${isOpen(id)}
        and (settled_run_id is null or settled_run_id <> ${runId ?? ''})
      `
      return changing(database, { id, at: now }, settle)
    },

    requeueJob: (id, { how, attemptsFrom, settledRunId, now }, enlist) =>
      write(database, async tx => {
        // Before the row, because the engine locks names, and rows come last.
        await lockThreadOfJob(tx, id)
        const { changes } = await tx.execute(sql`
          update jobs
          set
            status = 'queued',
            next_attempt_at = ${now},
            next_how = ${how},
            attempts_from = ${attemptsFrom},
            settled_run_id = ${settledRunId},
            cancel_requested = 0,
            ended_at = null
          where id = ${id}
          and status <> 'running'
        `)
        if (changes > 0) await enlist(openTransaction(tx))
        if (changes > 0) await noteChange(tx, { kind: 'job', id, at: now })
        return changes > 0
      }),

    requestJobCancel: (id, now) =>
      write(database, async tx => {
        const row = await firstOf(
          tx,
          sql<JobRow>`select * from jobs where id = ${id} ${tx.dialect.lockRows}`,
        )
        if (row === undefined) return null
        const status = row.status as JobStatus
        if (!OPEN_JOB_STATUSES.includes(status)) return status
        const step: JobStep = { do: 'cancel' }
        const ended = {
          status: 'cancelled',
          step: JSON.stringify(step),
          next_attempt_at: null,
          ended_at: now,
        }
        const change = { cancel_requested: 1, ...(status !== 'running' && ended) }
        await tx.execute(sql`
          update jobs
          set ${assignments<'jobs'>(change)}
          where ${isOpen(id)}
        `)
        await noteChange(tx, { kind: 'job', id, at: now })
        return status
      }),
  }
}

/** Runs the statement; if it changed the job, readers hear of it. */
function changing(
  database: Database,
  { id, at }: { readonly id: string; readonly at: number },
  statement: Statement,
): Promise<boolean> {
  return write(database, async tx => {
    const { changes } = await tx.execute(statement)
    if (changes > 0) await noteChange(tx, { kind: 'job', id, at })
    return changes > 0
  })
}

/** Selects the job if it is not over; only a retry changes a job that is. */
function isOpen(id: string): Statement {
  return sql`id = ${id} and status in (${join(OPEN_JOB_STATUSES)})`
}

async function createJob(tx: Sql, job: NewJob): Promise<void> {
  const { threadId, agent, workDir, host, workspace, createdAt } = job
  const { instructions, trust, sandbox } = job
  const where = { agent, workDir, host, workspace, instructions, trust, sandbox }
  const place = { ...where, title: null, view: 'all', forkedFrom: null } as const
  const times = { createdAt, updatedAt: createdAt }
  await insertThread(tx, { id: threadId, kind: 'job', ...place, ...times }, [])
  await noteChange(tx, { kind: 'job', id: job.id, at: createdAt })
  await insertRows(tx, { table: 'jobs' }, [
    {
      id: job.id,
      thread_id: threadId,
      status: 'queued',
      prompt: job.prompt,
      agent: job.agent,
      model: job.model,
      work_dir: job.workDir,
      permission_mode: job.permissionMode,
      allowed_tools: JSON.stringify(job.allowedTools),
      disallowed_tools: JSON.stringify(job.disallowedTools),
      trust: job.trust,
      sandbox: job.sandbox,
      instructions: job.instructions,
      policy: JSON.stringify(job.policy),
      checkpoints: job.checkpointing,
      concurrency_key: job.concurrencyKey,
      priority: job.priority,
      next_attempt_at: job.nextAttemptAt,
      next_how: 'resume',
      step: null,
      settled_run_id: null,
      attempts_from: 0,
      labels: JSON.stringify(job.labels),
      shared_root: job.sharedRoot,
      schedule: job.schedule === null ? null : JSON.stringify(job.schedule),
      due_at: job.dueAt,
      root_id: job.rootId,
      cancel_requested: bit(false),
      trace: traceText(job.trace),
      created_at: createdAt,
      started_at: null,
      ended_at: null,
    },
  ])
}

/** A job with the columns of its thread that say where it works. */
type PlacedJobRow = JobRow &
  WorkspaceColumns &
  Pick<ThreadRow, 'host'> & { readonly thread_work_dir: string }

const PLACED = sql`
  jobs.*,
  threads.work_dir as thread_work_dir,
  threads.host,
  threads.repository,
  threads.repository_ref,
  threads.repository_commit
`

function rowOf(tx: Sql, id: string): Promise<PlacedJobRow | undefined> {
  return firstOf(
    tx,
    sql<PlacedJobRow>`
      select ${PLACED}
      from jobs
      join threads on threads.id = jobs.thread_id
      where jobs.id = ${id}
    `,
  )
}

async function idOfThread(tx: Sql, threadId: string): Promise<string | null> {
  const statement = sql<{ id: string }>`select id from jobs where thread_id = ${threadId}`
  return (await firstOf(tx, statement))?.id ?? null
}

function jobOf(row: PlacedJobRow): Job {
  const workspace = workspaceOf(row)
  return {
    id: row.id,
    threadId: row.thread_id,
    status: row.status as JobStatus,
    prompt: row.prompt,
    agent: row.agent,
    model: row.model,
    workDir: workspace === null ? row.work_dir : row.thread_work_dir,
    host: row.host,
    workspace,
    sharedRoot: row.shared_root,
    labels: JSON.parse(row.labels) as string[],
    permissionMode: row.permission_mode,
    allowedTools: JSON.parse(row.allowed_tools) as string[],
    disallowedTools: JSON.parse(row.disallowed_tools) as string[],
    trust: row.trust as Job['trust'],
    sandbox: row.sandbox as Job['sandbox'],
    instructions: row.instructions,
    policy: JSON.parse(row.policy) as Job['policy'],
    checkpointing: row.checkpoints as Job['checkpointing'],
    concurrencyKey: row.concurrency_key,
    priority: row.priority,
    schedule: row.schedule === null ? null : (JSON.parse(row.schedule) as Job['schedule']),
    dueAt: row.due_at,
    rootId: row.root_id,
    nextAttemptAt: row.next_attempt_at,
    nextHow: row.next_how as Job['nextHow'],
    step: row.step === null ? null : (JSON.parse(row.step) as JobStep),
    settledRunId: row.settled_run_id,
    attemptsFrom: row.attempts_from,
    cancelRequested: row.cancel_requested === 1,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}
