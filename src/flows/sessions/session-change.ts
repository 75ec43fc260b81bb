// How a run changes its session record: what the session has now seen, and whether it can still be used.
import type { Outcome, SessionGrowth } from '../../adapters/adapter.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { RetiredBecause, Seen, Session } from '../../core/conversation/session.ts'
import { continuesWritten, isNative } from '../../core/decide/continuation.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { FOREIGN } from '../../core/decide/history.ts'
import { type FailureClass, SESSION_FAULTS } from '../../core/run/failure.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { SessionChange } from '../../store/contract/sessions.ts'
import type { PlannedRun } from '../turn/plan.ts'

/** A run that is over, and what it left in its session. */
export type SessionUse = PlannedRun & {
  /** The session of the run, as it was before; `null` when the agent never named one. */
  readonly session: Session | null
  readonly growth: SessionGrowth
  readonly observation: Observation
  readonly outcome: Outcome
}

export type Measured = {
  readonly answer: Message | null
  readonly answerSeen: boolean
  readonly model: string | null
  readonly contextTokens: number
  readonly contextWindow: number | null
}

const FRUITLESS: readonly FailureClass[] = [...SESSION_FAULTS, 'silent', 'too-slow']

export function sessionChange(use: SessionUse, measured: Measured): SessionChange | null {
  const { session, growth, observation, run } = use
  if (!session) return null
  const persisted = growth.grew && growth.holdsPrompt
  const failed = failedResume(use)
  return {
    id: session.id,
    seen: persisted ? newlySeen(use, measured) : [],
    knownEnd: persisted ? growth.end : null,
    evidence: persisted ? (growth.by ?? 'file') : null,
    retire: retirement(use),
    fruitless: fruitless(use, measured),
    failed: failed ? 'count' : use.outcome.kind === 'completed' ? 'reset' : 'keep',
    // Taken from the run, not from the agent: after a crash the program may have been replaced.
    runtime: (persisted ? run.runtime : null) ?? session.runtime,
    model: modelAfter(use, session, measured),
    instructionsHash: persisted ? use.instructionsHash : session.instructionsHash,
    contextTokens: persisted ? measured.contextTokens : session.contextTokens,
    contextWindow: measured.contextWindow,
    reportedCostUsd: observation.lastResult?.totalCostUsd ?? null,
    lastStopReason: observation.result?.stopReason ?? null,
  }
}

/** A model that does not exist is not the model of a session: the next run would name it again. */
function modelAfter(
  { decision, outcome }: SessionUse,
  session: Session,
  measured: Measured,
): string | null {
  const exists = outcome.kind === 'completed' || outcome.failure.class !== 'model-not-found'
  if (exists) return measured.model ?? session.model
  return decision.action === 'resume' ? session.model : null
}

/** What the session saw in this run: all messages if it is new, else those it had missed; then the prompt and the answer. */
function newlySeen(
  { decision, view, prompt, growth }: SessionUse,
  measured: Measured,
): readonly Seen[] {
  const carried = missedBy(decision, view)
  const shown = [
    ...Array.from({ length: growth.foreignBefore }, () => FOREIGN),
    ...[...carried, prompt].map(({ hash }) => ({ hash, anchor: null, isPart: false })),
  ]
  const { answer, answerSeen } = measured
  if (growth.parked) {
    // Has no anchor: a fork that is cut at a parked call would ask again.
    return answer ? [...shown, { hash: answer.hash, anchor: null, isPart: false }] : shown
  }
  const anchor = growth.anchors.at(-1) ?? null
  if (!answer || (anchor === null && !growth.by)) return shown
  if (answerSeen) return [...shown, { hash: answer.hash, anchor, isPart: false }]
  return [...shown, { hash: answer.hash, anchor: null, isPart: true }]
}

/** A session that we wrote knew everything before the prompt. */
function missedBy(decision: Decision, view: readonly Message[]): readonly Message[] {
  if (isNative(decision)) return []
  return 'catchUpFrom' in decision ? view.slice(decision.catchUpFrom) : view
}

function retirement(use: SessionUse): RetiredBecause | null {
  const { outcome, session, growth, decision } = use
  const isNew = decision.action !== 'resume'
  if (stillAsks(use)) return { code: 'left-asking' }
  if (outcome.kind === 'completed') {
    return isNew && !growth.holdsPrompt ? { code: 'never-persisted' } : null
  }
  const { failure } = outcome
  if (growth.parked && outcome.kind !== 'interrupted') return { code: 'left-asking' }
  if (isRefused(use)) return { code: 'refused', detail: failure.message }
  const failures = (session?.failedResumes ?? 0) + 1
  return failedResume(use) && failures >= 2
    ? { code: 'failed-twice', detail: failure.message }
    : null
}

/**
 * Whether the session was refused: by the agent, or by the model API, which did not take what we wrote. Only a request that cost nothing
 * counts as that.
 */
export function isRefused({
  decision,
  outcome,
  observation,
}: Pick<SessionUse, 'decision' | 'outcome' | 'observation'>): boolean {
  if (outcome.kind === 'completed') return false
  if (outcome.failure.class === 'resume-refused') return true
  const { result, requests, compacted } = observation
  const isFree = [...requests.values()].every(({ usage }) => usage.outputTokens === 0)
  const refusesRequest = outcome.failure.class === 'bad-request' && result !== null
  return continuesWritten(decision) && refusesRequest && isFree && !compacted
}

/** True when the file lacks this run's answer: the session would continue with the call, whatever the next prompt says. */
function stillAsks({ sent, growth }: SessionUse): boolean {
  return 'answerTo' in sent && !growth.holdsPrompt
}

function failedResume({ decision, outcome }: SessionUse): boolean {
  const continued = decision.action === 'resume' || decision.action === 'fork' || isNative(decision)
  return continued && outcome.kind !== 'completed' && SESSION_FAULTS.includes(outcome.failure.class)
}

function fruitless({ decision, growth, outcome }: SessionUse, measured: Measured) {
  if (growth.anchors.length > 0 || measured.answerSeen) return 'reset'
  // A network failure says nothing about the session.
  const ownFault = outcome.kind === 'completed' || FRUITLESS.includes(outcome.failure.class)
  return decision.action === 'resume' && ownFault ? 'count' : 'keep'
}
