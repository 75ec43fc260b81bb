// A claimed run begins: prompt on the branch, decision on record, session taken.
import { RepriseError } from '../errors.ts'
import { appendToBranch } from './branches.ts'
import { type Sql, write } from './dialect.ts'
import { appendEvents } from './events.ts'
import { fence, takeSession } from './leases.ts'
import { existingRun } from './runs.ts'
import { createSession, existingSession } from './sessions.ts'
import type { Lease, RunStart, Store } from './store.ts'

export function runStartVerbs(
  database: Sql,
): Pick<Store, 'startRun' | 'announceSession' | 'recordKill'> {
  return {
    startRun: (lease, start) => write(database, tx => startRun(tx, lease, start)),

    announceSession: (lease, runId, session) =>
      write(database, async tx => {
        await fence(tx, lease, runId)
        await takeSession(tx, lease, { runId, session })
        const run = await existingRun(tx, runId)
        await createSession(tx, session, run.started_at ?? run.queued_at)
        await tx.db
          .updateTable('runs')
          .set({ session_id: session.sessionId })
          .where('id', '=', runId)
          .execute()
      }),

    // The first reason is why the process ended; a later, harder signal does not change it.
    recordKill: (lease, runId, reason) =>
      write(database, async tx => {
        await fence(tx, lease, runId)
        await tx.db
          .updateTable('runs')
          .set({ kill_reason: reason })
          .where('id', '=', runId)
          .where('kill_reason', 'is', null)
          .execute()
      }),
  }
}

async function startRun(tx: Sql, lease: Lease, start: RunStart): Promise<void> {
  const { runId, newSession } = start
  await fence(tx, lease, runId)
  const run = await existingRun(tx, runId)
  if (run.status !== 'queued') throw notQueued(runId, run.status)
  if (run.prompt_message_id !== null) {
    await appendToBranch(tx, lease.threadId, run.prompt_message_id)
  }
  if (newSession !== null) await createSession(tx, newSession, start.startedAt)
  for (const id of [start.session, newSession?.forkedFrom]) {
    if (id !== null && id !== undefined) await takeSessionById(tx, lease, { runId, id })
  }
  const session = start.session === null ? null : await existingSession(tx, start.session)
  await tx.db
    .updateTable('runs')
    .set({
      status: 'running',
      started_at: start.startedAt,
      model: start.model,
      runtime: start.runtime,
      session_id: session?.session_id ?? null,
      decision: JSON.stringify(start.decision),
      facts: JSON.stringify(start.facts),
      resume_settings: JSON.stringify(start.resumeSettings),
    })
    .where('id', '=', runId)
    .execute()
  await appendEvents(tx, runId, start.events)
}

async function takeSessionById(
  tx: Sql,
  lease: Lease,
  { runId, id }: { readonly runId: string; readonly id: string },
): Promise<void> {
  const row = await existingSession(tx, id)
  const session = { agent: row.agent, sessionId: row.session_id }
  await takeSession(tx, lease, { runId, session })
}

function notQueued(runId: string, status: string): RepriseError {
  return new RepriseError(
    'conflict',
    `run ${runId} cannot start: it is ${status}`,
    'look at the run; send the message again if it is still needed',
  )
}
