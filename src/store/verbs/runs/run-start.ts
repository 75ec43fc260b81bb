// Starts a claimed run: puts its prompt on the branch, records the decision, takes the session.
import type { Run } from '../../../core/run/run.ts'
import { RepriseError } from '../../../errors.ts'
import type { Lease } from '../../contract/leases.ts'
import type { RunStart } from '../../contract/runs.ts'
import type { Store } from '../../contract/store.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { insertRows, updateRow } from '../../sql/plain-sql.ts'
import { jsonColumn, runOf } from '../../sql/rows.ts'
import type { SessionRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { appendToBranch, storeMessages } from '../threads/branches.ts'
import { createSession, retireAsking, sessionRowOf } from '../threads/sessions.ts'
import { noteChange } from './changes.ts'
import { eventTimes, insertEvents } from './events.ts'
import { requireLease, requireThreadLease, takeSession } from './leases.ts'
import { changeRun, existingRunRow } from './runs.ts'

export function runStartVerbs(
  database: Database,
): Pick<
  Store,
  'givePrompt' | 'startRun' | 'announceSession' | 'adoptSession' | 'moveSession' | 'recordKill'
> {
  return {
    givePrompt: (lease, runId, { message, title }) =>
      write(database, async tx => {
        await requireLease(tx, lease, runId)
        const { status } = await existingRunRow(tx, runId)
        if (status !== 'queued') throw notQueued(runId, status)
        await storeMessages(tx, lease.threadId, [message])
        await changeRun(tx, runId, { prompt_message_id: message.id })
        await tx.execute(sql`
          update threads
          set title = ${title}
          where id = ${lease.threadId}
          and title is null
        `)
        await noteChange(tx, { kind: 'thread', id: lease.threadId, at: message.createdAt })
      }),

    startRun: (lease, start) => write(database, tx => startRun(tx, lease, start)),

    announceSession: (lease, runId, session) =>
      write(database, async tx => {
        const { until } = await requireLease(tx, lease, runId)
        await takeSession(tx, lease, { runId, session, until })
        const run = await existingRunRow(tx, runId)
        await createSession(tx, session, run.started_at ?? run.queued_at)
        await updateRow(tx, { table: 'runs', id: runId }, { session_id: session.sessionId })
      }),

    adoptSession: (session, contextTokens, now) =>
      write(database, async tx => {
        await createSession(tx, session, now)
        const adopted = await updateRow(
          tx,
          { table: 'sessions', id: session.id },
          {
            pointer: 'confirmed',
            state: 'active',
            confirmed_at: now,
            // Reprise reads the file of a session before it takes the session over.
            evidence: 'file',
            context_tokens: contextTokens,
          },
        )
        return adopted > 0
      }),

    moveSession: (lease, id, workDir) =>
      write(database, async tx => {
        await requireThreadLease(tx, lease)
        await tx.execute(sql`
          update sessions
          set work_dir = ${workDir}
          where id = ${id}
          and thread_id = ${lease.threadId}
        `)
      }),

    // The first reason counts; a later, harder signal does not change it.
    recordKill: (lease, runId, reason) =>
      write(database, async tx => {
        await requireLease(tx, lease, runId)
        await tx.execute(sql`
          update runs
          set kill_reason = ${reason}
          where id = ${runId}
          and kill_reason is null
        `)
      }),
  }
}

async function startRun(tx: Sql, lease: Lease, start: RunStart): Promise<Run> {
  const { runId, newSession } = start
  const { until } = await requireLease(tx, lease, runId)
  const run = await existingRunRow(tx, runId)
  if (run.status !== 'queued') throw notQueued(runId, run.status)
  if (run.prompt_message_id !== null) {
    await appendToBranch(tx, lease.threadId, run.prompt_message_id)
  }
  if (newSession !== null) await createSession(tx, newSession, start.startedAt)
  const taking = { runId, until }
  const session = await takeSessionById(tx, lease, { ...taking, id: start.session })
  await takeSessionById(tx, lease, { ...taking, id: newSession?.forkedFrom ?? null })
  if (start.leftAsking !== null) await retireAsking(tx, { id: start.leftAsking })
  await insertRows(tx, { table: 'sent_prompts' }, [
    { run_id: runId, json: JSON.stringify(start.prompt) },
  ])
  await insertEvents(tx, runId, start.events)
  await tx.execute(sql`
    update threads
    set work_dir = ${start.workDir}
    where id = ${lease.threadId}
    and repository is not null
  `)
  const started = await changeRun(tx, runId, {
    status: 'running',
    host: lease.owner.host,
    started_at: start.startedAt,
    work_dir: start.workDir,
    model: start.model,
    runtime: start.runtime,
    session_id: session?.session_id ?? null,
    decision: JSON.stringify(start.decision),
    facts: JSON.stringify(start.facts),
    resume_settings: JSON.stringify(start.resumeSettings),
    estimate: jsonColumn(start.estimate),
    handover_note: jsonColumn(start.handoverNote),
    sandbox: start.sandbox,
    sandbox_note: start.sandboxNote,
    process_run_id: start.processRunId,
    session_mark: JSON.stringify(start.mark),
    answer_to: start.answerTo,
    ...eventTimes(start.events),
  })
  return runOf(started)
}

async function takeSessionById(
  tx: Sql,
  lease: Lease,
  { runId, until, id }: { readonly runId: string; readonly until: number; id: string | null },
): Promise<SessionRow | null> {
  if (id === null) return null
  const row = await sessionRowOf(tx, id)
  const session = { agent: row.agent, sessionId: row.session_id }
  await takeSession(tx, lease, { runId, session, until })
  return row
}

function notQueued(runId: string, status: string): RepriseError {
  return new RepriseError(
    'conflict',
    `run ${runId} cannot start: it is ${status}`,
    `Run \`reprise runs show ${runId}\` to see how it ended; send the prompt again if you still need it.`,
  )
}
