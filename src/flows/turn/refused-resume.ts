// When the agent does not continue the session that the decision chose: whether the turn goes on in another run, and with what.
import type { Outcome } from '../../adapters/adapter.ts'
import type { Session } from '../../core/conversation/session.ts'
import { continuesWritten } from '../../core/decide/continuation.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Brings } from '../../core/run/run-events.ts'
import { isRefused } from '../sessions/session-change.ts'
import type { PlannedRun, Refusal } from './plan.ts'
import type { TurnSettings } from './turn-input.ts'

/** Twice at most: after a refused resume comes a written session, and after that a prompt with the transcript. */
export function mayFallBack(
  { mustContinue }: Pick<TurnSettings, 'mustContinue'>,
  { refused, decision }: { readonly refused: Refusal | null; readonly decision: Decision },
): boolean {
  return (refused === null || continuesWritten(decision)) && !mustContinue
}

type Refusable = {
  readonly outcome: Outcome
  readonly observation: Observation
  /** The session in which the agent worked. */
  readonly ranOn: Session | null
}

/** A turn goes on without its session only when the agent refused that session and no tool ran. */
export function refusalOf(
  { source, decision }: PlannedRun,
  { outcome, observation, ranOn }: Refusable,
): Refusal | null {
  if (outcome.kind !== 'failed' || outcome.failure.toolsRan > 0) return null
  const { class: kind, message: detail } = outcome.failure
  if (kind !== 'anchor-missing' && !isRefused({ decision, outcome, observation })) return null
  const wasWritten = continuesWritten(decision)
  const refused = wasWritten ? ranOn : source
  const reason = { code: 'resume-refused', sessionId: refused?.sessionId ?? '', detail } as const
  return { reason, wasWritten }
}

/** The next run decides again; what it can write was found out before this one. */
export function bringsAfter({ run, tierContext }: PlannedRun, { wasWritten }: Refusal): Brings {
  if (tierContext !== null) return 'note'
  const canWrite = run.facts?.replayForm?.form === 'native' && !wasWritten
  return canWrite ? 'written-session' : 'transcript'
}
