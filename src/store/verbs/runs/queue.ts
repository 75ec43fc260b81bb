// Turns that leave the queue without having run: cancelled, given up, or taken over by another process.

import type { Failure } from '../../../core/run/run.ts'
import { endedEvent } from '../../../core/run/run-events.ts'
import { sendAgainHint } from '../../../core/run/send-again-hint.ts'
import type { QueueVerbs } from '../../contract/queue.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThreadOfRun } from '../../sql/locks.ts'
import { updateRow } from '../../sql/plain-sql.ts'
import { ownerText, runOf } from '../../sql/rows.ts'
import type { RunRow } from '../../sql/schema.ts'
import { endUnanswered, isParked } from '../threads/questions.ts'
import { moveChain } from '../work/chains.ts'
import { appendEvents, newEvent } from './events.ts'
import { freeLeasesOf, leaseOn, threadResource } from './leases.ts'
import { noteProcess, WAITING_MS } from './queue-presence.ts'
import { hasEnded, runRow } from './runs.ts'

const CANCELLED: Failure = {
  class: 'cancelled',
  message: 'cancelled before it started',
  hint: 'Send the message again: `reprise threads retry`.',
  toolsRan: 0,
  resetsAt: null,
}

function cancelledUnstarted(run: RunRow): Failure {
  if (run.job_id !== null || run.chain_id !== null) return CANCELLED
  const sent = { threadId: run.thread_id, promptMessageId: run.prompt_message_id }
  return { ...CANCELLED, hint: sendAgainHint(sent) }
}

const UNANSWERED: Failure = {
  ...CANCELLED,
  message: 'cancelled while it waited for an answer',
  hint: 'Say what you want in the next message: `reprise send -t`.',
}

export function queueVerbs(database: Database): QueueVerbs {
  return {
    sayWaiting: (owner, aliveMs = WAITING_MS) =>
      write(database, tx => noteProcess(tx, owner, aliveMs)),

    requestCancel: (runId, at) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        const run = await runRow(tx, runId)
        if (run === undefined) return null
        if (hasEnded(run.status)) return runOf(run).status
        if (run.status === 'queued' && !(await isClaimed(tx, run))) {
          await endQueued(tx, run, { status: 'cancelled', failure: cancelledUnstarted(run), at })
          return 'queued'
        }
        if (await isParked(tx, run)) {
          await endUnanswered(tx, run, { status: 'cancelled', failure: UNANSWERED, at })
          return 'waiting'
        }
        await updateRow(tx, { table: 'runs', id: runId }, { cancel_requested: 1 })
        // A claimed run counts as running: its process sees the cancel at its next renewal.
        return 'running'
      }),

    abandonQueued: (runId, dead, failure, at) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        const run = await runRow(tx, runId)
        if (run?.status !== 'queued' || run.owner !== ownerText(dead)) return false
        await endQueued(tx, run, { status: 'interrupted', failure, at })
        return true
      }),

    adoptQueued: (runId, dead, owner) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        const run = await runRow(tx, runId)
        if (run?.status !== 'queued' || run.owner !== ownerText(dead)) return false
        await freeLeasesOf(tx, runId)
        await updateRow(tx, { table: 'runs', id: runId }, { owner: ownerText(owner) })
        return true
      }),
  }
}

async function isClaimed(tx: Sql, run: RunRow): Promise<boolean> {
  const held = await leaseOn(tx, threadResource(run.thread_id ?? ''))
  return held?.run_id === run.id
}

type QueuedEnd = {
  readonly status: 'cancelled' | 'interrupted'
  readonly failure: Failure
  readonly at: number
}

async function endQueued(tx: Sql, run: RunRow, { status, failure, at }: QueuedEnd) {
  const runId = run.id
  const change = { status, failure: JSON.stringify(failure), ended_at: at }
  await updateRow(tx, { table: 'runs', id: runId }, change)
  await appendEvents(tx, runId, [newEvent(at, endedEvent({ status, failure, continuedBy: null }))])
  await freeLeasesOf(tx, runId)
  await moveChain(tx, run, { status, failure, at, supervise: null })
}
