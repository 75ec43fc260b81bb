// What a store does for runs, from their start to their end, and for their readers.
import type { SessionMark } from '../../adapters/adapter.ts'
import type { HandoverNote } from '../../core/chain/handover-note.ts'
import type { ChainStep } from '../../core/chain/supervise.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { Estimate } from '../../core/money/estimate.ts'
import type { EstimatedRun } from '../../core/money/estimate-error.ts'
import type { ReasonCount } from '../../core/money/reason-share.ts'
import type { UsageRow } from '../../core/money/usage.ts'
import type { Usage } from '../../core/run/events.ts'
import type { Request } from '../../core/run/observe.ts'
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
import type { SentPrompt } from '../../core/run/sent-prompt.ts'
import type { NewEvent } from '../../core/run/stored-events.ts'
import type { TraceContext } from '../../core/trace/trace-context.ts'
import type { Supervise } from './chains.ts'
import type { Lease, Owner } from './leases.ts'
import type { NewQuestion } from './questions.ts'
import type { NewSession, SessionChange } from './sessions.ts'

export type RunStart = {
  readonly runId: string
  readonly startedAt: number
  /** The directory of the agent on this host; a thread with a repository keeps it as its own. */
  readonly workDir: string
  readonly model: string | null
  readonly runtime: string
  readonly decision: Decision
  readonly facts: Facts
  readonly resumeSettings: ResumeSettings
  /** What the run is expected to use; `null`: not known. */
  readonly estimate: Estimate | null
  /** Our id of the run's session: a resumed one, or the new one below. `null`: the agent will choose its id. */
  readonly session: string | null
  readonly newSession: NewSession | null
  /** Stored before the agent gets it. */
  readonly handoverNote: HandoverNote | null
  /** Our id of a session that waits at a call whose answer goes to another session; the store retires it. */
  readonly leftAsking: string | null
  /** The sandbox of the run's processes, and why it is not the requested one. */
  readonly sandbox: SandboxKind
  readonly sandboxNote: string | null
  /** The run that started its process: itself, unless the process was kept. Recovery finds the processes by it. */
  readonly processRunId: string
  /** Recovery needs this when the process dies before the end. */
  readonly mark: SessionMark
  /** The parked call with which the run continues instead of a prompt. */
  readonly answerTo: string | null
  /** What the agent is given. */
  readonly prompt: SentPrompt
  /** The first events of the run. */
  readonly events: readonly NewEvent[]
}

export type RunEnd = {
  readonly runId: string
  /** The store makes this `waiting` for an interrupted run whose questions are still open. */
  readonly status: EndStatus
  /** The call that the agent has parked: the run waits for its answer. */
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
   * Id of the message that follows if a user answered a question and the run did not live to act on the answer:
   * this message repeats the answer for the next run. `null`: no answer is repeated.
   */
  readonly restatedId: string | null
  readonly session: SessionChange | null
  /** The last events of the run, except for `supervised` and `ended`. */
  readonly events: readonly NewEvent[]
  /** The run in which the same turn goes on; the store creates it under the same lease. */
  readonly next: { readonly runId: string } | null
  /**
   * The next turn of the same process: the store creates its run under the same lease. Only for a run without `next`
   * outside of chains and jobs.
   */
  readonly nextTurn?: NextTurn
  readonly verdict: Verdict | null
  /**
   * For a run of a chain that does not go on in `next`: the store calls it in this transaction, with the facts of that
   * moment, and creates the next tier's run under the same lease. `null`: the chain ends as its run does.
   */
  readonly supervise: Supervise | null
}

export type NextTurn = { readonly runId: string; readonly message: Message }

export type RunFilter = {
  readonly threadId?: string
  readonly chainId?: string
  readonly sessionId?: string
  readonly jobId?: string
  readonly status?: RunStatus
  /** Only runs that continued in this way. */
  readonly action?: Decision['action']
  /** Only runs that were queued at this time or later. */
  readonly since?: number
  /** Newest first; pass the last item's id to get the next page. */
  readonly cursor?: string
  readonly limit: number
}

/** Only the holder of the lease calls these. */
export type RunStepVerbs = {
  /**
   * Gives a claimed run the prompt that was not known when it was stored: a process holds the thread before its caller says what
   * the process shall do. A thread without a title gets this one.
   */
  givePrompt(
    lease: Lease,
    runId: string,
    prompt: { readonly message: Message; readonly title: string },
  ): Promise<void>
  /**
   * Puts the prompt on the branch, records the decision, creates or takes the session. Throws `busy` when another run
   * holds the session. Gives the started run.
   */
  startRun(lease: Lease, start: RunStart): Promise<Run>
  /** Called before a signal is sent. */
  recordKill(lease: Lease, runId: string, reason: string): Promise<void>
  /** Writes run, answer, session, lease and the next step of the chain in one transaction. Gives that step. */
  endRun(lease: Lease, end: RunEnd): Promise<ChainStep | null>
}

/** The process that is responsible for a run, and the lease that the run holds. */
export type RunHolder = {
  readonly owner: Owner
  readonly lease: { readonly token: number; readonly until: number } | null
}

export type RunVerbs = {
  run(id: string): Promise<Run | null>
  /** The process that is responsible for a run, and the lease that the run holds. */
  holderOf(runId: string): Promise<RunHolder | null>
  /** What each request of a run has used, as it was reported last. */
  requestsOf(runId: string): Promise<readonly Request[]>
  instructionsOf(runId: string): Promise<string | null>
  /** What recovery needs of a run that has started; `null` before that. */
  startOf(runId: string): Promise<Pick<RunStart, 'mark' | 'answerTo'> | null>
  /** What its agent was given; `null` before it has started, and for runs of earlier versions. */
  promptOf(runId: string): Promise<SentPrompt | null>
  /** The trace that a run belongs to: that of its turn, its job or its chain. */
  traceOf(runId: string): Promise<TraceContext | null>
  /** Gives the limits with which the turn was sent. */
  limitsOf(runId: string): Promise<TurnLimits>
  listRuns(filter: RunFilter): Promise<readonly Run[]>
  countRuns(): Promise<readonly RunCount[]>
  /** Sums up ended runs; `since` leaves out those that started before it. */
  usageBy(by: 'day' | 'thread' | 'agent', since?: number): Promise<readonly UsageRow[]>
  /** Counts ended runs by decision and reason. */
  countReasons(since?: number): Promise<readonly ReasonCount[]>
  /** Gives completed runs that had an estimate, the newest ones. */
  estimatedRuns(since?: number): Promise<readonly EstimatedRun[]>
  /** Gives what a key was used for; `null` when it is new. Throws `conflict` when it belongs to another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
}
