// A run that is over, with all that is known of it: what settling works from.
import type { Outcome, Sent, SessionGrowth, SessionMark } from '../../adapters/adapter.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { Decision } from '../../core/decide/decision.ts'
import type { Observation } from '../../core/run/observe.ts'
import type { Exit, Run } from '../../core/run/run.ts'
import type { Supervise } from '../../store/contract/chains.ts'
import type { NewEvent } from '../../store/contract/records.ts'
import type { Agent } from '../dependencies.ts'

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
  /** The run that takes over. */
  readonly nextRunId: string | null
  /** What the agent of a tier said at its end, and who decides what follows. */
  readonly verdict: Verdict | null
  readonly supervise: Supervise | null
  /** Events that are stored together with the end. */
  readonly unwritten: readonly NewEvent[]
}
