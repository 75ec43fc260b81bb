// A run that is over, with all that is known of it: what settling works from.
import type { Outcome, Sent, SessionGrowth, SessionMark } from '../adapters/adapter.ts'
import type { Decision } from '../core/decision.ts'
import type { Message } from '../core/messages.ts'
import type { Observation } from '../core/observe.ts'
import type { Exit, Run } from '../core/run.ts'
import type { Session } from '../core/session.ts'
import type { Verdict } from '../core/verdict.ts'
import type { NewEvent, Supervise } from '../store/store.ts'
import type { Agent } from './parts.ts'

export type Finished = {
  readonly run: Run
  readonly agent: Agent
  readonly decision: Decision
  /** What the session was to be shown: the view before the prompt, and the prompt. */
  readonly view: readonly Message[]
  readonly prompt: Message
  readonly instructionsHash: string | null
  /** The pointer this run ran on, as it was before; `null` when the agent never named one. */
  readonly session: Session | null
  readonly observation: Observation
  readonly sent: Sent
  readonly mark: SessionMark
  readonly growth: SessionGrowth
  readonly outcome: Outcome
  readonly exit: Exit | null
  readonly now: number
  /** How long a question may wait that outlives the run. */
  readonly expireAfterMs: number
  readonly answerId: string
  readonly restatedId: string
  /** F-2: the run that takes over. */
  readonly nextRunId: string | null
  /** What the agent of a tier said at its end, and who decides what follows. */
  readonly verdict: Verdict | null
  readonly supervise: Supervise | null
  /** Events that are stored together with the end. */
  readonly unwritten: readonly NewEvent[]
}
