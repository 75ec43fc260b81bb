// What a store does for runs: from their start to their end, and for those who read them.
import type { SessionMark } from '../../adapters/adapter.ts'
import type { HandoverNote } from '../../core/chain/handover-note.ts'
import type { ChainStep } from '../../core/chain/supervise.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { UsageRow } from '../../core/money/usage.ts'
import type { Usage } from '../../core/run/events.ts'
import type { RequestKey, StoredRequest } from '../../core/run/request-key.ts'
import type {
  CostSource,
  Exit,
  Failure,
  Run,
  RunCount,
  RunStatus,
  Savings,
  TurnLimits,
} from '../../core/run/run.ts'
import type { EndStatus } from '../../core/run/run-events.ts'
import type { SandboxKind } from '../../core/run/sandbox.ts'
import type { Supervise } from './chains.ts'
import type { Lease } from './leases.ts'
import type { NewQuestion } from './questions.ts'
import type { NewEvent } from './records.ts'
import type { NewSession, SessionChange } from './sessions.ts'

export type RunStart = {
  readonly runId: string
  readonly startedAt: number
  readonly model: string
  readonly runtime: string
  readonly decision: Decision
  readonly facts: Facts
  readonly resumeSettings: ResumeSettings
  /** Our id of the session it runs on: resumed, or the new one below. `null`: the agent will choose its id. */
  readonly session: string | null
  readonly newSession: NewSession | null
  /** Stored before the agent is given it. */
  readonly handoverNote: HandoverNote | null
  /** Our id of a session that waits at a call whose answer goes elsewhere: from now on it is retired. */
  readonly leftAsking: string | null
  /** What holds the run's processes, and why it is not what was asked for. */
  readonly sandbox: SandboxKind
  readonly sandboxNote: string | null
  /** What recovery needs when nobody lives to see the end. */
  readonly mark: SessionMark
  /** The parked call that the run goes on with instead of a prompt. */
  readonly answerTo: string | null
  /** The first ones of its log. */
  readonly events: readonly NewEvent[]
}

export type RunEnd = {
  readonly runId: string
  /** An interrupted run whose questions are still open waits for their answers instead. */
  readonly status: EndStatus
  /** The call the agent has parked: the run waits for its answer. */
  readonly parked: NewQuestion | null
  readonly endedAt: number
  readonly durationMs: number | null
  readonly exit: Exit | null
  readonly failure: Failure | null
  readonly usage: Usage
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  readonly costUsd: number | null
  readonly costSource: CostSource
  readonly costDisputed: boolean
  readonly savings: Savings | null
  readonly turns: number
  readonly sessionResumed: boolean
  readonly sessionId: string | null
  readonly model: string | null
  /** Appended to the thread's branch. */
  readonly answer: Message | null
  /**
   * Id of the message that comes after it when a user answered something and the run did not live to act on
   * it: the next one is told. `null`: nothing is told again.
   */
  readonly restatedId: string | null
  readonly session: SessionChange | null
  /** The last ones of its log, but for what the supervisor decides and `ended`. */
  readonly events: readonly NewEvent[]
  /** The same turn goes on in another run, created here and under the same lease. */
  readonly next: { readonly runId: string } | null
  readonly verdict: Verdict | null
  /**
   * Asked in this transaction, for a run of a chain that does not go on in `next`, with what the store holds
   * then. The next tier's run is created here, under the same lease. `null`: the chain ends as its run does.
   */
  readonly supervise: Supervise | null
}

export type RunFilter = {
  readonly threadId?: string
  readonly chainId?: string
  readonly sessionId?: string
  readonly jobId?: string
  readonly status?: RunStatus
  /** Newest first; pass the last item's id to go on. */
  readonly cursor?: string
  readonly limit: number
}

/** The holder of the lease takes these steps. */
export type RunStepVerbs = {
  /** Puts the prompt on the branch, records the decision, creates or takes the session; throws `busy` when somebody else runs on it. Gives the run as it is then. */
  startRun(lease: Lease, start: RunStart): Promise<Run>
  /** Recorded before a signal is sent. */
  recordKill(lease: Lease, runId: string, reason: string): Promise<void>
  /** One transaction: run, answer, session, lease, and the next step of its chain, which it gives. */
  endRun(lease: Lease, end: RunEnd): Promise<ChainStep | null>
}

export type RunVerbs = {
  run(id: string): Promise<Run | null>
  instructionsOf(runId: string): Promise<string | null>
  /** What recovery needs of a run that has started; `null` before that. */
  startOf(runId: string): Promise<Pick<RunStart, 'mark' | 'answerTo'> | null>
  /** With which the turn was sent. */
  limitsOf(runId: string): Promise<TurnLimits>
  listRuns(filter: RunFilter): Promise<readonly Run[]>
  countRuns(): Promise<readonly RunCount[]>
  usageBy(by: 'day' | 'thread' | 'agent'): Promise<readonly UsageRow[]>
  /** What a key was used for; `null` when it is new. Throws `conflict` when that was another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
}
