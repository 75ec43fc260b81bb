// What the step needs to know about the turn that it runs.
import type { Carry } from '../../core/chain/carry.ts'
import type { View } from '../../core/conversation/messages.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { KillReason } from '../../core/run/run.ts'
import type { Workspace } from '../../core/run/workspace.ts'
import type { ProcessLimits } from '../../runner/runner.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Agent } from '../dependencies.ts'
import type { Slot } from '../queue/slots.ts'

/** Settings of one turn, which replace the general ones. */
export type TurnSettings = {
  /** The turn may only run in a session that knows what was done: a new session could do the work twice. */
  readonly mustContinue: boolean
  readonly limits: Partial<ProcessLimits>
  readonly resume: Partial<ResumeSettings>
  /** Dollars of the attempts before this one, in whose budget it runs; `null`: it is no attempt of a job. */
  readonly spentByJobUsd: number | null
}

export const DEFAULT_TURN: TurnSettings = {
  ...{ mustContinue: false, limits: {}, resume: {} },
  spentByJobUsd: null,
}

export type TurnInput = {
  readonly runId: string
  readonly lease: Lease
  readonly agent: Agent
  readonly view: View
  readonly instructions: string | null
  readonly maxTurns?: number
  readonly budgetUsd?: number
  /** What the turn itself asks for; absent: what its thread, its job or the config says. */
  readonly carry?: Carry
  readonly settings: TurnSettings
  /** The repository that the thread works in; `null`: a directory. */
  readonly workspace: Workspace | null
  readonly signal: AbortSignal
  /** Lent while the agent waits for an answer. */
  readonly slot: Pick<Slot, 'lend' | 'takeBack'>
  /** Called when the turn goes on in another run: after a refused resume, or in the next tier. */
  readonly onNext: (runId: string) => void
  /** Receives the function that stops the current process. */
  readonly onStarted: (stop: (reason: KillReason) => Promise<void>) => void
  /** Stops the turn, also before its process has started. */
  readonly stop: (reason: KillReason) => void
}
