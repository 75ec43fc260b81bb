// What the step needs to know about the turn it shall run.
import type { View } from '../../core/conversation/messages.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { KillReason } from '../../core/run/run.ts'
import type { ProcessLimits } from '../../runner/runner.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent } from '../dependencies.ts'
import type { Slot } from '../queue/slots.ts'

/** What a turn says for itself, in the place of what holds for all. */
export type TurnSettings = {
  /** Only in a session that knows what was done: begun anew, the work could be done twice. */
  readonly mustContinue: boolean
  readonly limits: Partial<ProcessLimits>
  readonly resume: Partial<ResumeSettings>
}

export const DEFAULT_TURN: TurnSettings = { mustContinue: false, limits: {}, resume: {} }

export type TurnInput = {
  readonly runId: string
  readonly lease: Lease
  readonly agent: Agent
  readonly view: View
  readonly instructions: string | null
  readonly maxTurns?: number
  readonly budgetUsd?: number
  readonly settings: TurnSettings
  readonly signal: AbortSignal
  /** Lent while the agent waits for an answer. */
  readonly slot: Pick<Slot, 'lend' | 'takeBack'>
  /** The turn goes on in another run: after a refused resume, or in the next tier. */
  readonly onNext: (runId: string) => void
  /** Told how to stop the process that runs now. */
  readonly onStarted: (stop: (reason: KillReason) => Promise<void>) => void
}
