// Ends a run, once: writes its record, answer, session and leases in one transaction.

import type { ChainStep } from '../../../core/chain/supervise.ts'
import type { Message } from '../../../core/conversation/messages.ts'
import { endedEvent, supervisedEvent } from '../../../core/run/run-events.ts'
import type { NewEvent } from '../../../core/run/stored-events.ts'
import { RepriseError } from '../../../errors.ts'
import type { Lease } from '../../contract/leases.ts'
import type { NextTurn, RunEnd, RunStepVerbs } from '../../contract/runs.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { updateRow } from '../../sql/plain-sql.ts'
import { bit, jsonColumn } from '../../sql/rows.ts'
import type { RunRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { appendToBranch, storeMessages } from '../threads/branches.ts'
import {
  dropQuestions,
  insertQuestion,
  keepOpenQuestions,
  restateAnswers,
} from '../threads/questions.ts'
import { changeSession } from '../threads/sessions.ts'
import { moveChain } from '../work/chains.ts'
import { eventTimes, insertEvents, newEvent } from './events.ts'
import { continueIn, insertFollowing } from './follow-up-run.ts'
import { freeLeasesOf, handOverLease, leaseOn, stillHeld, threadResource } from './leases.ts'
import { existingRunRow, hasEnded } from './runs.ts'

export function runEndVerbs(database: Database): Pick<RunStepVerbs, 'endRun'> {
  return { endRun: (lease, end) => write(database, tx => endRun(tx, lease, end)) }
}

async function endRun(tx: Sql, lease: Lease, end: RunEnd): Promise<ChainStep | null> {
  const { threadId } = lease
  const run = await openRun(tx, lease, end.runId)
  if (end.answer !== null) {
    await storeMessages(tx, threadId, [end.answer])
    await appendToBranch(tx, threadId, end.answer.id)
  }
  const restated = await restatedAnswers(tx, run, end)
  if (restated !== null) {
    await storeMessages(tx, threadId, [restated])
    await appendToBranch(tx, threadId, restated.id)
  }
  if (end.session !== null) await changeSession(tx, end.session, end)
  const waits = await keptWaiting(tx, run, end)
  await writeEnd(tx, end, waits)
  if (waits) await keepWaiting(tx, run)
  await tx.execute(sql`
    update threads
    set updated_at = ${end.endedAt}
    where id = ${threadId}
    and updated_at < ${end.endedAt}
  `)
  const moved = end.next === null ? await moveChain(tx, run, { ...end, at: end.endedAt }) : null
  const nextId = end.next?.runId ?? moved?.next?.id ?? null
  const heirId = nextId ?? end.nextTurn?.runId ?? null
  const last = waits ? [] : lastEvents(end, { step: moved?.step ?? null, nextId })
  await insertEvents(tx, end.runId, [...end.events, ...last])
  // The next run starts from the request, not from what the refused run reported.
  if (end.next) await continueIn(tx, { from: run, runId: end.next.runId, at: end.endedAt })
  if (end.nextTurn) await followIn(tx, run, { ...end.nextTurn, at: end.endedAt })
  if (heirId === null) await freeLeasesOf(tx, end.runId)
  else await handOverLease(tx, lease, { from: end.runId, to: heirId })
  return moved?.step ?? null
}

/** The next turn has a prompt of its own; the ended one is over and does not go on in it. */
async function followIn(
  tx: Sql,
  from: RunRow,
  { runId, message, at }: NextTurn & { readonly at: number },
): Promise<void> {
  await storeMessages(tx, from.thread_id ?? '', [message])
  await insertFollowing(tx, {
    from,
    runId,
    at,
    changed: { attempt: 1, parent_run_id: null, prompt_message_id: message.id },
  })
}

/** Gives the supervisor's decision, if any, and the `ended` event. */
function lastEvents(
  { endedAt, status, failure }: RunEnd,
  { step, nextId }: { readonly step: ChainStep | null; readonly nextId: string | null },
): readonly NewEvent[] {
  const ended = newEvent(endedAt, endedEvent({ status, failure, continuedBy: nextId }))
  return step === null ? [ended] : [newEvent(endedAt, supervisedEvent(step, nextId)), ended]
}

/**
 * The answers of the user that the run got but may not have used, as a message for the next run. There is none after
 * a cancel, which is newer than the answers, nor after a refused resume, whose next run gets the answers itself.
 */
async function restatedAnswers(tx: Sql, run: RunRow, end: RunEnd): Promise<Message | null> {
  if (run.questions === 'none' || end.next !== null) return null
  return end.status === 'interrupted' || end.status === 'failed' ? restateAnswers(tx, end) : null
}

/** Keeps open questions when the process is gone. Gives whether the run waits for an answer. */
async function keptWaiting(tx: Sql, run: RunRow, end: RunEnd): Promise<boolean> {
  if (run.questions === 'none' && end.parked === null) return false
  if (end.parked !== null) await insertQuestion(tx, end.runId, end.parked)
  if (end.parked !== null || end.status === 'interrupted') return keepOpenQuestions(tx, end.runId)
  await dropQuestions(tx, end.runId, { state: 'cancelled', at: end.endedAt })
  return false
}

/** Takes back the recorded end. The requested model stays, so that the reply runs on the same one. */
async function keepWaiting(tx: Sql, { id, model }: RunRow): Promise<void> {
  await updateRow(tx, { table: 'runs', id }, { status: 'waiting', ended_at: null, model })
}

/** Throws `lease-lost` for a former holder, and `conflict` for a holder that has already ended the run. */
async function openRun(tx: Sql, lease: Lease, runId: string): Promise<RunRow> {
  const held = await leaseOn(tx, threadResource(lease.threadId))
  const run = await existingRunRow(tx, runId)
  if (held?.token !== lease.token || !hasEnded(run.status)) {
    stillHeld(held, lease, runId)
    return run
  }
  throw new RepriseError(
    'conflict',
    `run ${runId} has already ended as ${run.status}`,
    `A run ends once: run \`reprise runs show ${runId}\` to see how.`,
  )
}

async function writeEnd(tx: Sql, end: RunEnd, waits: boolean): Promise<void> {
  await updateRow(
    tx,
    { table: 'runs', id: end.runId },
    {
      status: end.status,
      ended_at: end.endedAt,
      duration_ms: end.durationMs,
      exit: jsonColumn(end.exit),
      failure: jsonColumn(end.failure),
      input_tokens: end.usage.inputTokens,
      cache_read_tokens: end.usage.cacheReadTokens,
      cache_write_tokens: end.usage.cacheWriteTokens,
      output_tokens: end.usage.outputTokens,
      context_tokens: end.contextTokens,
      context_window: end.contextWindow,
      cost_usd: end.costUsd,
      cost_source: end.costSource,
      cost_disputed: bit(end.costDisputed),
      cold_input_tokens: end.savings?.coldInputTokens ?? null,
      cold_cost_usd: end.savings?.coldCostUsd ?? null,
      saved_usd: end.savings?.savedUsd ?? null,
      turns: end.turns,
      session_resumed: bit(end.sessionResumed),
      answer_message_id: end.answer?.id ?? null,
      verdict: jsonColumn(end.verdict),
      ...(end.sessionId !== null && { session_id: end.sessionId }),
      ...(end.model !== null && { model: end.model }),
      ...(end.session && end.session.evidence !== null && { session_confirmed_at: end.endedAt }),
      ...eventTimes(waits ? end.events : [...end.events, { at: end.endedAt }]),
    },
  )
}
