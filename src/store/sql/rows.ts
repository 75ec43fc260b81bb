// Turns rows into our types and back: the one place that parses what the database holds.

import type { Carry } from '../../core/chain/carry.ts'
import type { Message, Role, View } from '../../core/conversation/messages.ts'
import type {
  LifecycleState,
  PointerState,
  Seen,
  Session,
  SessionEvidence,
} from '../../core/conversation/session.ts'
import type { ThreadImport, ThreadKind, ThreadRecord } from '../../core/conversation/thread.ts'
import type { CostSource, Exit, KillReason, Run, RunStatus, Savings } from '../../core/run/run.ts'
import type { SandboxKind, SandboxMode } from '../../core/run/sandbox.ts'
import type { Trust } from '../../core/run/trust.ts'
import type { Workspace } from '../../core/run/workspace.ts'
import type { ProbedRuntime } from '../contract/agent-probes.ts'
import type { Owner } from '../contract/leases.ts'
import type { MessageRow, RunRow, SessionRow, ThreadRow } from './schema.ts'

export function threadOf(row: ThreadRow): ThreadRecord {
  return {
    id: row.id,
    kind: row.kind as ThreadKind,
    title: row.title,
    agent: row.agent,
    workDir: row.work_dir,
    host: row.host,
    workspace: workspaceOf(row),
    view: row.view as View,
    forkedFrom: row.forked_from,
    instructions: row.instructions,
    trust: row.trust as Trust | null,
    sandbox: row.sandbox as SandboxMode | null,
    ...(row.carry !== null && { carry: row.carry as Carry }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.imported !== null && { imported: importOf(row.imported, row.approved_at) }),
  }
}

function importOf(imported: string, approvedAt: number | null): ThreadImport {
  return { ...(JSON.parse(imported) as Omit<ThreadImport, 'approvedAt'>), approvedAt }
}

export type WorkspaceColumns = Pick<
  ThreadRow,
  'repository' | 'repository_ref' | 'repository_commit'
>

export function workspaceOf(row: WorkspaceColumns): Workspace | null {
  const { repository, repository_ref: ref, repository_commit: commit } = row
  return repository === null ? null : { repository, ref, commit }
}

export function workspaceColumns(workspace: Workspace | null): WorkspaceColumns {
  return {
    repository: workspace?.repository ?? null,
    repository_ref: workspace?.ref ?? null,
    repository_commit: workspace?.commit ?? null,
  }
}

export function messageOf(row: MessageRow): Message {
  return {
    id: row.id,
    role: row.role as Role,
    agent: row.agent,
    text: row.exact_text === null ? row.text : (JSON.parse(row.exact_text) as string),
    tools: JSON.parse(row.tools) as Message['tools'],
    interrupted: row.interrupted === 1,
    hash: row.hash,
    runId: row.run_id,
    createdAt: row.created_at,
  }
}

export function messageRow(message: Message, threadId: string): MessageRow {
  const text = message.text.toWellFormed().replaceAll('\0', '\u{fffd}')
  return {
    id: message.id,
    thread_id: threadId,
    role: message.role,
    agent: message.agent,
    text,
    exact_text: text === message.text ? null : JSON.stringify(message.text),
    tools: JSON.stringify(message.tools),
    interrupted: bit(message.interrupted),
    hash: message.hash,
    run_id: message.runId,
    created_at: message.createdAt,
  }
}

function processOf({ id, process_run_id: by }: RunRow): Pick<Run, 'process' | 'processRunId'> {
  return { process: by === null ? null : by === id ? 'new' : 'warm', processRunId: by }
}

export function runOf(row: RunRow): Run {
  return {
    id: row.id,
    agent: row.agent,
    model: row.model,
    status: row.status as RunStatus,
    threadId: row.thread_id,
    chainId: row.chain_id,
    jobId: row.job_id,
    tier: row.tier,
    attempt: row.attempt,
    parentRunId: row.parent_run_id,
    continuedBy: row.continued_by,
    promptMessageId: row.prompt_message_id,
    answerMessageId: row.answer_message_id,
    workDir: row.work_dir,
    permissionMode: row.permission_mode,
    allowedTools: JSON.parse(row.allowed_tools) as string[],
    disallowedTools: JSON.parse(row.disallowed_tools) as string[],
    trust: row.trust as Trust,
    sandboxWanted: row.sandbox_wanted as SandboxMode,
    sandbox: row.sandbox as SandboxKind | null,
    sandboxNote: row.sandbox_note,
    freshSession: row.fresh_session === 1,
    questions: row.questions as Run['questions'],
    repliesTo: row.replies_to,
    host: row.host,
    ...processOf(row),
    sessionId: row.session_id,
    sessionConfirmedAt: row.session_confirmed_at,
    sessionResumed: row.session_resumed === 1,
    decision: parsed(row.decision),
    facts: parsed(row.facts),
    resumeSettings: parsed(row.resume_settings),
    estimate: parsed(row.estimate),
    usage: {
      inputTokens: row.input_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      outputTokens: row.output_tokens,
    },
    contextTokens: row.context_tokens,
    contextWindow: row.context_window,
    costUsd: row.cost_usd,
    costSource: row.cost_source as CostSource,
    costDisputed: row.cost_disputed === 1,
    savings: savingsOf(row),
    turns: row.turns,
    durationMs: row.duration_ms,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    firstEventAt: row.first_event_at,
    lastEventAt: row.last_event_at,
    endedAt: row.ended_at,
    exit: exitOf(row),
    failure: parsed(row.failure),
    runtime: row.runtime,
    verdict: parsed(row.verdict),
    chainStep: parsed(row.chain_step),
    handoverNote: parsed(row.handover_note),
  }
}

function savingsOf(row: RunRow): Savings | null {
  if (row.cold_input_tokens === null || row.cold_cost_usd === null || row.saved_usd === null) {
    return null
  }
  return {
    coldInputTokens: row.cold_input_tokens,
    coldCostUsd: row.cold_cost_usd,
    savedUsd: row.saved_usd,
    estimate: true,
  }
}

/** Shows a recorded kill even if Reprise died before the process ended. */
function exitOf(row: RunRow): Exit | null {
  if (row.exit !== null) return parsed(row.exit)
  if (row.kill_reason === null) return null
  const endedBy = row.kill_reason as KillReason
  return { code: null, signal: null, endedBy, stderr: '', outputCut: false }
}

export function sessionOf(row: SessionRow, seen: readonly Seen[]): Session {
  return {
    id: row.id,
    sessionId: row.session_id,
    threadId: row.thread_id,
    agent: row.agent,
    pointer: row.pointer as PointerState,
    state: row.state as LifecycleState,
    retiredBecause: parsed(row.retired_because),
    confirmedAt: row.confirmed_at,
    evidence: row.evidence as SessionEvidence | null,
    workDir: row.work_dir,
    model: row.model,
    runtime: row.runtime,
    forkedFrom: row.forked_from,
    seen,
    knownEnd: row.known_end,
    instructionsHash: row.instructions_hash,
    contextTokens: row.context_tokens,
    contextWindow: row.context_window,
    reportedCostUsd: row.reported_cost_usd,
    fruitlessResumes: row.fruitless_resumes,
    failedResumes: row.failed_resumes,
    createdAt: row.created_at,
    lastMessageAt: row.last_message_at,
    turnCount: row.turn_count,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    lastStopReason: row.last_stop_reason,
  }
}

export function runtimeOf(json: string): ProbedRuntime {
  return JSON.parse(json) as ProbedRuntime
}

/** Gives one text per owner, so that the database can compare owners. */
export function ownerText({ host, pid, startTime, keepsQueue }: Owner): string {
  return JSON.stringify([host, pid, startTime, ...(keepsQueue ? ['keeps-queue'] : [])])
}

export function ownerOf(text: string): Owner {
  const [host, pid, startTime, queue] = JSON.parse(text) as [string, number, string, string?]
  return { host, pid, startTime, ...(queue === 'keeps-queue' && { keepsQueue: true }) }
}

export function bit(value: boolean): number {
  return value ? 1 : 0
}

export function jsonColumn(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Parses only columns that this program wrote as JSON of that type. */
function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}
