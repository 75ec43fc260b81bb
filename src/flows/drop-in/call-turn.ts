// One turn of a process that a caller of the agent talks to: the run in the store from its prompt to its end.
import type { RunSpec, SessionMark } from '../../adapters/adapter.ts'
import type { NamedSession } from '../../adapters/agent-call.ts'
import { type Message, viewOf } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { continuationOf } from '../../core/decide/continuation.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { AgentSaid } from '../../core/run/events.ts'
import { newObservation, type Observation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import { keptPrompt } from '../../core/run/sent-prompt.ts'
import { redact } from '../../core/secrets/redact.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { RunStart } from '../../store/contract/runs.ts'
import type { NewSession } from '../../store/contract/sessions.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { newSession } from '../sessions/new-session.ts'
import { EventLog, storedEvent } from '../turn/event-log.ts'
import { beforePrompt, type PlannedRun } from '../turn/plan.ts'

/** A process that serves a caller, and what was found out before it started. */
export type ServedCall = {
  readonly agent: Agent
  readonly thread: ThreadRecord
  readonly lease: Lease
  readonly session: NamedSession
  /** The session that the call continues or forks. */
  readonly source: Session | null
  /** The id of the session in which the process works; `null`: the agent chooses it. */
  readonly sessionId: string | null
  readonly workDir: string
  readonly model: string | null
  readonly args: readonly string[]
  readonly facts: Facts
  readonly resume: ResumeSettings
  /** The state of the session file before the process started. */
  readonly mark: SessionMark
  /** How many messages others have added to the session that the thread does not know. */
  readonly foreignMessages: number
  /** The run that the process was started for. */
  readonly processRunId: string
  /** What was done to the session before. */
  readonly notice: AgentSaid | null
}

export type CallTurn = {
  readonly plan: PlannedRun
  readonly spec: RunSpec
  readonly log: EventLog
  readonly observation: Observation
}

export type TurnBeginning = {
  readonly runId: string
  readonly prompt: Message
  /** Set for every turn of the process but the first: its session, and the cost that the process has reported so far. */
  readonly before: { readonly session: Session; readonly costUsd: number } | null
}

export async function beginTurn(
  dependencies: Dependencies,
  call: ServedCall,
  { runId, prompt, before }: TurnBeginning,
): Promise<CallTurn> {
  const { store, clock } = dependencies
  const { agent, thread, lease, workDir } = call
  const branch = await store.branch(thread.id)
  const view = viewOf(beforePrompt(branch, prompt), thread.view, agent.name)
  const source = before?.session ?? call.source
  const decision = decisionOf(call, before?.session ?? null, view.length)
  const opens = before === null ? opened(dependencies, call, decision) : null
  const mark = before ? { ...call.mark, costUsd: before.costUsd } : call.mark
  const startedAt = clock.now()
  const start: RunStart = {
    runId,
    startedAt,
    workDir,
    model: call.model,
    runtime: agent.runtime.fingerprint,
    decision,
    facts: { ...call.facts, viewLength: view.length },
    resumeSettings: call.resume,
    session: opens?.id ?? (decision.action === 'resume' ? decision.session.id : null),
    newSession: opens,
    handoverNote: null,
    estimate: null,
    leftAsking: null,
    sandbox: 'none',
    sandboxNote: null,
    processRunId: call.processRunId,
    mark,
    answerTo: null,
    prompt: keptPrompt(
      prompt.text,
      call.args.map(arg => redact(arg, agent.secrets)),
    ),
    events: [
      storedEvent(startedAt, { type: 'started', decision }),
      ...(before === null && call.notice ? [storedEvent(startedAt, call.notice)] : []),
    ],
  }
  const run = await startForked(store, lease, start)
  const log = new EventLog({
    store,
    lease,
    runId,
    clock,
    batchMs: dependencies.timing.eventBatchMs,
  })
  const sent = { prompt: prompt.text }
  const planned = { run, view, prompt, decision, mark, source, sent }
  return {
    plan: { ...planned, instructionsHash: null, tierContext: null },
    spec: specOf(call, decision, prompt),
    log,
    observation: newObservation(),
  }
}

/** A fork takes nothing from its source, so it may begin while another run works on the source; then it does not name it. */
async function startForked(
  store: Dependencies['store'],
  lease: Lease,
  start: RunStart,
): Promise<Run> {
  const { newSession } = start
  try {
    return await store.startRun(lease, start)
  } catch (error) {
    const isBusy = error instanceof RepriseError && error.code === 'busy'
    if (!isBusy || !newSession?.forkedFrom) throw error
    return store.startRun(lease, { ...start, newSession: { ...newSession, forkedFrom: null } })
  }
}

/** What the caller decided, in our words. */
function decisionOf(call: ServedCall, goesOnIn: Session | null, viewLength: number): Decision {
  const { session, source } = call
  const checks: Decision['checks'] = []
  const resumed = goesOnIn ?? (session.kind === 'resume' ? source : null)
  if (resumed) {
    const { id, sessionId } = resumed
    return { action: 'resume', session: { id, sessionId }, catchUpFrom: viewLength, checks }
  }
  if (session.kind === 'fork' && source) {
    const { id, sessionId } = source
    const reason = { code: 'caller-asked' } as const
    const at = { session: { id, sessionId }, at: null, catchUpFrom: viewLength }
    return { action: 'fork', ...at, reason, checks }
  }
  return { action: 'start', reason: { code: 'first-turn' }, checks }
}

/** The session whose id was known before the process started. */
function opened(
  { random }: Dependencies,
  { agent, thread, workDir, model, source, session, sessionId }: ServedCall,
  decision: Decision,
): NewSession | null {
  if (session.kind === 'resume' || sessionId === null) return null
  return newSession(random.id('ses'), sessionId, {
    situation: { agent, threadId: thread.id, workDir, model },
    decision,
    source,
    instructions: { hash: null },
    written: null,
  })
}

function specOf(call: ServedCall, decision: Decision, prompt: Message): RunSpec {
  return {
    runId: call.processRunId,
    continuation: continuationOf(decision, call.sessionId),
    prompt: prompt.text,
    workDir: call.workDir,
    model: call.model,
    permissionMode: '',
    allowedTools: [],
    disallowedTools: [],
    instructionsFile: null,
    asks: false,
    parkFiles: {},
    trust: 'project',
    contextDir: null,
    env: call.agent.fullEnv,
  }
}

/** The session of the process as the store knows it now; a process names another one when its caller clears the conversation. */
export async function announce(
  dependencies: Dependencies,
  call: ServedCall,
  { turn, sessionId }: { readonly turn: CallTurn; readonly sessionId: string },
): Promise<void> {
  const { store, random } = dependencies
  const { agent, thread, lease, workDir, model } = call
  const [known] = await store.sessions({ threadId: thread.id, sessionId })
  if (known) return
  const situation = { agent, threadId: thread.id, workDir, model }
  const { decision, source } = turn.plan
  const opening = { situation, decision, source, instructions: { hash: null }, written: null }
  const session = newSession(random.id('ses'), sessionId, opening)
  await store.announceSession(lease, turn.plan.run.id, session)
}

export async function sessionOfCall(
  { store }: Dependencies,
  { thread }: ServedCall,
  runId: string,
): Promise<Session | null> {
  const { sessionId } = await mustExist(store.run(runId), `run ${runId}`)
  if (sessionId === null) return null
  return (await store.sessions({ threadId: thread.id, sessionId }))[0] ?? null
}
