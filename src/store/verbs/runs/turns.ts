// A turn's way through the queue: stored, claimed, continued in another run.

import { queuedEvent } from '../../../core/run/run-events.ts'
import type { WaitReason } from '../../../core/run/wait-reason.ts'
import { traceText } from '../../../core/trace/trace-context.ts'
import { RepriseError } from '../../../errors.ts'
import type { Owner } from '../../contract/leases.ts'
import type { Claim, NewTurn, TurnVerbs } from '../../contract/queue.ts'
import { type Database, type Sql, write } from '../../sql/dialect.ts'
import { lockThread, lockThreadOfRun } from '../../sql/locks.ts'
import { firstOf, insertRows, updateRow } from '../../sql/plain-sql.ts'
import { bit, jsonColumn, ownerOf, ownerText, runOf } from '../../sql/rows.ts'
import type { RunRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { refuseUnapproved, replaceBranch, storeMessages } from '../threads/branches.ts'
import { noteChange } from './changes.ts'
import { insertEvents, newEvent } from './events.ts'
import { NEW_RUN } from './follow-up-run.ts'
import { leaseOn, now, takeLease, threadResource } from './leases.ts'
import { noteProcess, WAITING_MS } from './queue-presence.ts'
import { claimKey, keepAnswer } from './request-keys.ts'
import { existingRunRow, firstInLine, hasEnded } from './runs.ts'

export function turnVerbs(database: Database): TurnVerbs {
  return {
    submitTurn: (turn, at, noSlot) =>
      write(database, async tx => {
        const run = await submit(tx, turn, at)
        if (run.id === turn.run.id) await noteWaiting(tx, run, { at, noSlot })
        return runOf(run)
      }),

    submitAndClaim: (turn, at, leaseMs) =>
      write(database, async tx => {
        const row = await submit(tx, turn, at)
        const run = runOf(row)
        if (run.id !== turn.run.id) return { run, lease: null }
        const claimed = await claim(tx, row, { owner: turn.owner, leaseMs })
        if (claimed.state === 'claimed') return { run, lease: claimed.lease }
        await noteWaiting(tx, row, { at })
        return { run, lease: null }
      }),

    claimTurn: (runId, owner, leaseMs) =>
      write(database, async tx => {
        await lockThreadOfRun(tx, runId)
        return claim(tx, await existingRunRow(tx, runId), { owner, leaseMs })
      }),

    async firstInLine(threadId) {
      return (await firstInLine(database, threadId))?.id ?? null
    },
  }
}

export async function submit(tx: Sql, turn: NewTurn, at: number): Promise<RunRow> {
  const { run, message, owner, key } = turn
  const earlier = key && (await claimKey(tx, key))
  if (earlier?.runId) return existingRunRow(tx, earlier.runId)
  if (run.threadId === null)
    throw new RepriseError(
      'bad-input',
      'a turn needs a thread',
      'Run `reprise threads` to see their ids.',
    )
  await lockThread(tx, run.threadId)
  await refuseUnapproved(tx, run.threadId)
  if (turn.branch) await replaceBranch(tx, turn.branch, at)
  await storeMessages(tx, run.threadId, [message])
  await noteChange(tx, { kind: 'thread', id: run.threadId, at })
  const row = {
    ...NEW_RUN,
    id: run.id,
    agent: run.agent,
    model: run.model,
    thread_id: run.threadId,
    chain_id: run.chainId ?? null,
    tier: run.tier ?? null,
    parent_run_id: run.parentRunId ?? null,
    job_id: turn.job?.id ?? null,
    attempt: turn.job?.attempt ?? run.attempt ?? 1,
    prompt_message_id: message.id,
    work_dir: run.workDir,
    permission_mode: run.permissionMode,
    allowed_tools: JSON.stringify(run.allowedTools),
    disallowed_tools: JSON.stringify(run.disallowedTools),
    trust: run.trust,
    sandbox_wanted: run.sandboxWanted,
    fresh_session: bit(run.freshSession),
    questions: run.questions,
    instructions: await instructionsFor(tx, turn),
    limits: jsonColumn(turn.limits ?? null),
    trace: traceText(turn.trace),
    owner: ownerText(owner),
    queued_at: at,
  }
  await insertRows(tx, { table: 'runs' }, [row])
  const queued = await giveLastPlace(tx, run.id)
  await noteUse(tx, turn, at)
  if (key) {
    const did = { threadId: run.threadId, runId: run.id, messageId: message.id, at }
    await keepAnswer(tx, key, did)
  }
  return queued
}

/** Stores the `queued` event if the turn has to wait, with the reason. A run that can begin at once has no such event. */
export async function noteWaiting(
  tx: Sql,
  run: RunRow,
  { at, noSlot }: { readonly at: number; readonly noSlot?: WaitReason | undefined },
): Promise<void> {
  const holder = await holderBefore(tx, run, run.owner)
  // On one host its process shows whether it lives.
  if (tx.dialect.reach === 'hosts') await noteProcess(tx, ownerOf(run.owner), WAITING_MS)
  const reason = holder === null ? noSlot : ({ code: 'thread-busy', runId: holder } as const)
  if (reason) await insertEvents(tx, run.id, [newEvent(at, queuedEvent(reason))])
}

/** The turn sent last counts, even if it still waits; so the caller locks the thread first. */
async function instructionsFor(tx: Sql, { run, instructions }: NewTurn): Promise<string | null> {
  if (instructions !== undefined) return instructions || null
  const thread = await firstOf(
    tx,
    sql<{ instructions: string | null }>`
      select instructions
      from threads
      where id = ${run.threadId}
    `,
  )
  return thread?.instructions ?? null
}

async function giveLastPlace(tx: Sql, runId: string): Promise<RunRow> {
  const row = await firstOf(
    tx,
    sql<RunRow>`
      update runs
      set place = seq
      where id = ${runId}
      returning *
    `,
  )
  return row ?? existingRunRow(tx, runId)
}

async function noteUse(tx: Sql, { run, thread, instructions }: NewTurn, at: number): Promise<void> {
  const change = {
    ...(thread && {
      title: thread.title,
      agent: thread.agent,
      work_dir: thread.workDir,
      host: thread.host,
    }),
    ...(instructions !== undefined && { instructions: instructions || null }),
  }
  const updated_at = sql`case when updated_at < ${at} then ${at} else updated_at end`
  const row = { table: 'threads', id: run.threadId ?? '' } as const
  await updateRow(tx, row, { ...change, updated_at })
}

/** The thread is locked, so nobody comes between the check and the claim. */
export async function claim(
  tx: Sql,
  run: RunRow,
  { owner, leaseMs }: { readonly owner: Owner; readonly leaseMs: number },
): Promise<Claim> {
  if (hasEnded(run.status)) return { state: 'ended', status: runOf(run).status }
  const threadId = run.thread_id ?? ''
  const claimer = ownerText(owner)
  const holder = await holderBefore(tx, run, claimer)
  if (holder !== null) return { state: 'busy', holder }
  const until = sql<number>`${tx.dialect.now} + ${leaseMs}`
  const resource = threadResource(threadId)
  const token = await takeLease(tx, { resource, runId: run.id, owner: claimer, until })
  if (run.owner !== claimer) {
    await updateRow(tx, { table: 'runs', id: run.id }, { owner: claimer })
  }
  return { state: 'claimed', lease: { threadId, token, owner } }
}

/** A running or waiting run blocks the thread even if its lease is late: somebody must take it over and end it first. */
async function holderBefore(tx: Sql, run: RunRow, owner: string): Promise<string | null> {
  const threadId = run.thread_id ?? ''
  const first = await firstInLine(tx, threadId)
  if (first !== undefined && first.status !== 'queued') return first.id
  const held = await leaseOn(tx, threadResource(threadId))
  const isOurs = held?.run_id === run.id && held.owner === owner && run.status === 'queued'
  if (held?.run_id && !isOurs && held.until > (await now(tx))) return held.run_id
  return first === undefined || first.id === run.id ? null : first.id
}
