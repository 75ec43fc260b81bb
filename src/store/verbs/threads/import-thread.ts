// Stores a thread that came in a file: all of it in the transaction of the caller, or nothing.
import type { Session } from '../../../core/conversation/session.ts'
import type { Run } from '../../../core/run/run.ts'
import type { ThreadArrival } from '../../contract/thread-content.ts'
import { inChunks } from '../../sql/chunks.ts'
import type { Sql } from '../../sql/dialect.ts'
import { lockName } from '../../sql/locks.ts'
import { firstOf, insertRows, updateRow } from '../../sql/plain-sql.ts'
import { bit, jsonColumn, ownerText } from '../../sql/rows.ts'
import type { NewRow } from '../../sql/schema.ts'
import { sql } from '../../sql/statement.ts'
import { noteChange } from '../runs/changes.ts'
import { createBranch, storeMessages } from './branches.ts'
import { appendSeen } from './sessions.ts'
import { insertThreadRow } from './threads.ts'

/** No process of ours ran them. */
const NOBODY = { host: 'imported', pid: 0, startTime: '' }

/** Gives the id of the thread, or of the one that came in with the same key. */
export async function storeArrival(
  tx: Sql,
  { content, imported, key, events }: ThreadArrival,
): Promise<string> {
  await lockName(tx, `entry:import ${key}`)
  const earlier = await threadOfImport(tx, key)
  if (earlier !== null) return earlier
  const { thread, branches, branchId, messages } = content
  const { approvedAt, ...origin } = imported
  await insertThreadRow(tx, thread)
  await storeMessages(tx, thread.id, messages)
  const byId = new Map(messages.map(message => [message.id, message]))
  for (const { id, createdAt, messageIds } of branches) {
    const listed = messageIds.flatMap(messageId => byId.get(messageId) ?? [])
    await createBranch(tx, { id, threadId: thread.id, messages: listed, now: createdAt })
  }
  await updateRow(
    tx,
    { table: 'threads', id: thread.id },
    {
      branch_id: branchId,
      imported: jsonColumn(origin),
      import_key: key,
      approved_at: approvedAt,
    },
  )
  // One by one: a run has more columns than fit into a statement of several hundred.
  for (const run of content.runs) await insertRows(tx, { table: 'runs' }, [runRow(run, thread.id)])
  for (const { runId, ...prompt } of content.prompts) {
    const row = { run_id: runId, json: JSON.stringify(prompt) }
    await insertRows(tx, { table: 'sent_prompts' }, [row])
  }
  for (const session of content.sessions) {
    await insertRows(tx, { table: 'sessions' }, [sessionRow(session, thread.id)])
    await appendSeen(tx, session.id, session.seen)
  }
  await noteChange(tx, { kind: 'thread', id: thread.id, at: imported.importedAt })
  await tx.atEnd(() => insertEvents(tx, events()))
  return thread.id
}

export async function threadOfImport(tx: Sql, key: string): Promise<string | null> {
  const row = await firstOf(
    tx,
    sql<{ id: string }>`
      select id
      from threads
      where import_key = ${key}
    `,
  )
  return row?.id ?? null
}

async function insertEvents(tx: Sql, pages: ReturnType<ThreadArrival['events']>): Promise<void> {
  for await (const page of pages) {
    const rows = page.map(({ runId, seq, at, type, json }) => ({
      run_id: runId,
      seq,
      at,
      type,
      json,
    }))
    for (const some of inChunks(rows)) await insertRows(tx, { table: 'events' }, some)
  }
}

function runRow(run: Run, threadId: string): NewRow<'runs'> {
  return {
    id: run.id,
    place: 0,
    agent: run.agent,
    model: run.model,
    status: run.status,
    thread_id: threadId,
    attempt: run.attempt,
    parent_run_id: run.parentRunId,
    continued_by: run.continuedBy,
    prompt_message_id: run.promptMessageId,
    answer_message_id: run.answerMessageId,
    work_dir: run.workDir,
    permission_mode: run.permissionMode,
    allowed_tools: JSON.stringify(run.allowedTools),
    disallowed_tools: JSON.stringify(run.disallowedTools),
    fresh_session: bit(run.freshSession),
    trust: run.trust,
    sandbox_wanted: run.sandboxWanted,
    sandbox: run.sandbox,
    sandbox_note: run.sandboxNote,
    owner: ownerText(NOBODY),
    cancel_requested: 0,
    host: run.host,
    process_run_id: run.processRunId,
    session_id: run.sessionId,
    session_confirmed_at: run.sessionConfirmedAt,
    session_resumed: bit(run.sessionResumed),
    decision: jsonColumn(run.decision),
    facts: jsonColumn(run.facts),
    resume_settings: jsonColumn(run.resumeSettings),
    input_tokens: run.usage.inputTokens,
    cache_read_tokens: run.usage.cacheReadTokens,
    cache_write_tokens: run.usage.cacheWriteTokens,
    output_tokens: run.usage.outputTokens,
    context_tokens: run.contextTokens,
    context_window: run.contextWindow,
    cost_usd: run.costUsd,
    cost_source: run.costSource,
    cost_disputed: bit(run.costDisputed),
    cold_input_tokens: run.savings?.coldInputTokens ?? null,
    cold_cost_usd: run.savings?.coldCostUsd ?? null,
    saved_usd: run.savings?.savedUsd ?? null,
    turns: run.turns,
    duration_ms: run.durationMs,
    queued_at: run.queuedAt,
    started_at: run.startedAt,
    first_event_at: run.firstEventAt,
    last_event_at: run.lastEventAt,
    ended_at: run.endedAt,
    exit: jsonColumn(run.exit),
    failure: jsonColumn(run.failure),
    runtime: run.runtime,
    questions: run.questions,
    replies_to: run.repliesTo,
    verdict: jsonColumn(run.verdict),
    imported: 1,
  }
}

function sessionRow(session: Session, threadId: string): NewRow<'sessions'> {
  return {
    id: session.id,
    session_id: session.sessionId,
    thread_id: threadId,
    agent: session.agent,
    pointer: session.pointer,
    state: session.state,
    retired_because: jsonColumn(session.retiredBecause),
    confirmed_at: session.confirmedAt,
    evidence: session.evidence,
    work_dir: session.workDir,
    model: session.model,
    runtime: session.runtime,
    forked_from: session.forkedFrom,
    known_end: session.knownEnd,
    instructions_hash: session.instructionsHash,
    context_tokens: session.contextTokens,
    context_window: session.contextWindow,
    reported_cost_usd: session.reportedCostUsd,
    fruitless_resumes: session.fruitlessResumes,
    failed_resumes: session.failedResumes,
    created_at: session.createdAt,
    last_message_at: session.lastMessageAt,
    turn_count: session.turnCount,
    input_tokens: session.inputTokens,
    output_tokens: session.outputTokens,
    last_stop_reason: session.lastStopReason,
  }
}
