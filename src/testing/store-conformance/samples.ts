// Threads, turns and runs to test a store with: plausible, small, and different on every call.
import { randomUUID } from 'node:crypto'
import { hashOf, type Message } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import { DEFAULT_RESUME } from '../../core/decide/settings.ts'
import { NO_USAGE } from '../../core/run/events.ts'
import type { Run } from '../../core/run/run.ts'
import type { Lease, Owner } from '../../store/contract/leases.ts'
import type { NewTurn } from '../../store/contract/queue.ts'
import type { RunEnd, RunStart } from '../../store/contract/runs.ts'
import type { NewSession, SessionChange } from '../../store/contract/sessions.ts'
import type { Store } from '../../store/contract/store.ts'

export const OWNER: Owner = { host: 'here', pid: 100, startTime: '1' }
export const OTHER_OWNER: Owner = { host: 'here', pid: 200, startTime: '2' }
export const LEASE_MS = 60_000

const idOf = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 16)}`

export function sampleThread(change: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    id: idOf('thr'),
    kind: 'chat',
    title: null,
    agent: 'claude-code',
    workDir: '/project',
    host: 'here',
    workspace: null,
    view: 'all',
    forkedFrom: null,
    instructions: null,
    trust: null,
    sandbox: null,
    createdAt: 1_000,
    updatedAt: 1_000,
    ...change,
  }
}

export function sampleMessage(change: Partial<Message> = {}): Message {
  const content = { role: 'user', agent: null, text: 'hello', ...change } as const
  return {
    id: idOf('msg'),
    tools: [],
    interrupted: false,
    runId: null,
    createdAt: 1_000,
    ...content,
    hash: hashOf(content),
  }
}

export function sampleAnswer(run: Pick<Run, 'id' | 'agent'>, text = 'done'): Message {
  return sampleMessage({ role: 'assistant', agent: run.agent, text, runId: run.id })
}

export function sampleTurn(threadId: string, change: Partial<NewTurn['run']> = {}): NewTurn {
  return {
    run: {
      id: idOf('run'),
      agent: 'claude-code',
      model: null,
      threadId,
      workDir: '/project',
      permissionMode: 'default',
      allowedTools: ['Read'],
      disallowedTools: [],
      trust: 'project',
      sandboxWanted: 'none',
      freshSession: false,
      questions: 'none',
      ...change,
    },
    message: sampleMessage(),
    owner: OWNER,
  }
}

export function sampleSession(threadId: string, change: Partial<NewSession> = {}): NewSession {
  return {
    id: idOf('ses'),
    sessionId: randomUUID(),
    threadId,
    agent: 'claude-code',
    workDir: '/project',
    model: 'sonnet',
    runtime: 'claude-code@1',
    forkedFrom: null,
    instructionsHash: null,
    knownEnd: null,
    seen: [],
    ...change,
  }
}

const FIRST_TURN: Decision = { action: 'start', reason: { code: 'first-turn' }, checks: [] }

const FACTS: Facts = {
  gatheredAt: 1_000,
  agent: 'claude-code',
  abilities: {
    resume: true,
    fork: true,
    forkAtMessage: true,
    chooseSessionId: true,
    resumeAcrossWorkDirs: false,
  },
  freshSession: false,
  viewLength: 0,
  workDir: '/project',
  runtime: 'claude-code@1',
  contextWindow: null,
  sessions: [],
}

export function sampleStart(runId: string, change: Partial<RunStart> = {}): RunStart {
  return {
    runId,
    startedAt: 2_000,
    workDir: '/project',
    model: 'sonnet',
    runtime: 'claude-code@1',
    decision: FIRST_TURN,
    facts: FACTS,
    resumeSettings: DEFAULT_RESUME,
    estimate: null,
    session: change.newSession?.id ?? null,
    handoverNote: null,
    events: [],
    newSession: null,
    leftAsking: null,
    sandbox: 'none',
    sandboxNote: null,
    processRunId: runId,
    mark: { path: null, sizeBytes: 0, costUsd: 0 },
    answerTo: null,
    prompt: { text: 'hello', bytes: 5, truncated: false, arguments: ['--print'] },
    ...change,
  }
}

export function sampleEnd(run: Pick<Run, 'id' | 'agent'>, change: Partial<RunEnd> = {}): RunEnd {
  return {
    runId: run.id,
    status: 'completed',
    endedAt: 3_000,
    durationMs: 1_000,
    exit: { code: 0, signal: null, endedBy: null, stderr: '', outputCut: false },
    failure: null,
    usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5 },
    contextTokens: 15,
    contextWindow: 200_000,
    costUsd: 0.25,
    costSource: 'reported',
    costDisputed: false,
    savings: null,
    turns: 1,
    sessionResumed: false,
    sessionId: null,
    model: null,
    restatedId: null,
    answer: sampleAnswer(run),
    session: null,
    parked: null,
    events: [],
    next: null,
    verdict: null,
    supervise: null,
    ...change,
  }
}

/** The end of a refused run: no answer, and the turn is not answered. */
export function sampleFailure(
  run: Pick<Run, 'id' | 'agent'>,
  change: Partial<RunEnd> = {},
): RunEnd {
  return sampleEnd(run, {
    status: 'failed',
    answer: null,
    failure: {
      class: 'resume-refused',
      message: 'no such session',
      hint: 'send the message again',
      toolsRan: 0,
      resetsAt: null,
    },
    ...change,
  })
}

export function sampleSessionChange(
  id: string,
  change: Partial<SessionChange> = {},
): SessionChange {
  return {
    id,
    seen: [
      { hash: 'prompt', anchor: null, isPart: false },
      { hash: 'answer', anchor: 'a-1', isPart: false },
    ],
    evidence: 'file',
    retire: null,
    fruitless: 'reset',
    failed: 'reset',
    runtime: 'claude-code@1',
    model: 'sonnet',
    instructionsHash: null,
    knownEnd: null,
    contextTokens: 15,
    contextWindow: 200_000,
    reportedCostUsd: 0.25,
    lastStopReason: 'end_turn',
    ...change,
  }
}

export type SubmittedSample = {
  readonly threadId: string
  readonly run: Run
  readonly turn: NewTurn
}
export type ClaimedSample = SubmittedSample & { readonly lease: Lease }
export type StartedSample = ClaimedSample & { readonly session: NewSession }

export async function submitted(store: Store, threadId?: string): Promise<SubmittedSample> {
  const thread = sampleThread()
  if (threadId === undefined) await store.createThread(thread, [])
  const turn = sampleTurn(threadId ?? thread.id)
  const run = await store.submitTurn(turn, 1_500)
  return { threadId: threadId ?? thread.id, run, turn }
}

export async function claimed(store: Store, threadId?: string): Promise<ClaimedSample> {
  const turn = await submitted(store, threadId)
  return { ...turn, lease: await claimedLease(store, turn.run.id) }
}

export async function claimedLease(store: Store, runId: string): Promise<Lease> {
  const claim = await store.claimTurn(runId, OWNER, LEASE_MS)
  if (claim.state !== 'claimed')
    throw new Error(`run ${runId} could not be claimed: ${claim.state}`)
  return claim.lease
}

/** A running run with a new session of its own. */
export async function started(store: Store, threadId?: string): Promise<StartedSample> {
  const turn = await claimed(store, threadId)
  const session = sampleSession(turn.threadId)
  await store.startRun(turn.lease, sampleStart(turn.run.id, { newSession: session }))
  return { ...turn, session }
}
