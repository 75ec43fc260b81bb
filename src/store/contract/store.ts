// The contract of the store: verbs of the domain. What a verb has answered is on disk.
import type { Runtime } from '../../adapters/adapter.ts'
import type { HandoverNote } from '../../core/chain/handover-note.ts'
import type { ChainStep } from '../../core/chain/supervise.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { Answer, Question, QuestionState } from '../../core/conversation/question.ts'
import type { RetiredBecause, Seen, Session } from '../../core/conversation/session.ts'
import type { Decision, Facts } from '../../core/decide/decision.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import type { Usage } from '../../core/run/events.ts'
import type {
  CostSource,
  Exit,
  Failure,
  Run,
  RunStatus,
  Savings,
  TurnLimits,
} from '../../core/run/run.ts'
import type { SandboxKind } from '../../core/run/sandbox.ts'
import type {
  ChainCounts,
  ChainFilter,
  ChainRecord,
  NewChain,
  Resumption,
  Supervise,
} from './chain-record.ts'
import type { CheckpointPlaceVerbs } from './checkpoint-places.ts'
import type { JobVerbs } from './job-verbs.ts'
import type { LifecycleVerbs } from './lifecycle-verbs.ts'
import type { Owner } from './owner.ts'
import type {
  BranchChange,
  FeedEvent,
  NewEvent,
  NewTurn,
  RequestKey,
  StoredEvent,
  ThreadKind,
  ThreadRecord,
  ThreadSummary,
} from './records.ts'
import type { ScheduleVerbs } from './schedule-record.ts'
import type { WorkVerbs } from './work.ts'

export type * from './chain-record.ts'
export type { CheckpointPlace } from './checkpoint-places.ts'
export type { Owner } from './owner.ts'
export type * from './records.ts'
export type * from './schedule-record.ts'

/** The right to run on a thread. `token` fences: every write of the holder carries it. */
export type Lease = {
  readonly threadId: string
  readonly token: number
  readonly owner: Owner
}

export type Claim =
  | { readonly state: 'claimed'; readonly lease: Lease }
  /** `holder`: the run that is going or queued before this one. */
  | { readonly state: 'busy'; readonly holder: string }
  /** It was cancelled or recovered while it waited. */
  | { readonly state: 'ended'; readonly status: RunStatus }

export type NewSession = Pick<
  Session,
  | 'id'
  | 'sessionId'
  | 'threadId'
  | 'agent'
  | 'workDir'
  | 'model'
  | 'runtime'
  | 'forkedFrom'
  | 'instructionsHash'
  | 'knownEnd'
  /** For a fork: what it inherits. */
  | 'seen'
>

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
  /** The first ones of its log. */
  readonly events: readonly NewEvent[]
}

/** How a run leaves its session. Only the named fields change: a field that is absent never overwrites a stored one. */
export type SessionChange = {
  readonly id: string
  /** Messages it has been shown and has said in this run, appended to `seen`. */
  readonly seen: readonly Seen[]
  /** The agent's id of the last message that this accounts for; `null`: as before. */
  readonly knownEnd: string | null
  /** Set when the agent's own file proved that a turn was persisted. */
  readonly confirm: boolean
  readonly retire: RetiredBecause | null
  readonly fruitless: 'count' | 'reset' | 'keep'
  readonly failed: 'count' | 'reset' | 'keep'
  readonly runtime: string
  readonly model: string | null
  readonly instructionsHash: string | null
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  readonly reportedCostUsd: number | null
  readonly lastStopReason: string | null
}

/** A question as it is asked: open, and until when it may be answered. */
export type NewQuestion = Pick<
  Question,
  'toolUseId' | 'kind' | 'tool' | 'input' | 'items' | 'delivery' | 'askedAt' | 'expiresAt'
>

/** An answer, and what goes on with it when the process that asked is gone: another run, with the reply as its prompt. */
export type Reply = {
  readonly toolUseId: string
  readonly answer: Answer
  readonly at: number
  readonly runId: string
  readonly message: Message
  readonly owner: Owner
}

export type RunEnd = {
  readonly runId: string
  /** An interrupted run whose questions are still open waits for their answers instead. */
  readonly status: Extract<RunStatus, 'completed' | 'failed' | 'interrupted' | 'cancelled'>
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
  /** The last ones of its log. */
  readonly events: readonly NewEvent[]
  /** The very last one, unless the run waits. */
  readonly ended: NewEvent
  /** The same turn goes on in another run, created here and under the same lease. */
  readonly next: { readonly runId: string } | null
  readonly verdict: Verdict | null
  /**
   * Asked in this transaction, for a run of a chain that does not go on in `next`, with what the store holds
   * then. The next tier's run is created here, under the same lease. `null`: the chain ends as its run does.
   */
  readonly supervise: Supervise | null
}

/** How many runs there are with this status, decided like this. */
export type RunCount = {
  readonly status: RunStatus
  readonly action: Decision['action'] | null
  readonly runs: number
}

export type StoredRequest = {
  readonly threadId: string
  readonly runId: string | null
  readonly messageId: string | null
  readonly note: string
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

export type OrphanCandidate = {
  readonly run: Run
  readonly owner: Owner
  readonly expired: boolean
}

export type UsageRow = {
  readonly key: string
  readonly runs: number
  readonly resumed: number
  readonly usage: Usage
  readonly costUsd: number
  readonly coldCostUsd: number
  readonly savedUsd: number
}

export type Violation = { readonly rule: string; readonly subject: string; readonly detail: string }

/** With the output of its probes; rows of earlier versions do not have it. */
export type ProbedRuntime = Runtime & { readonly printed?: readonly string[] }

export type Store = WorkVerbs &
  JobVerbs &
  CheckpointPlaceVerbs &
  LifecycleVerbs &
  ScheduleVerbs &
  RunVerbs

export type RunVerbs = {
  /** Gives the id of the thread: with a key that was used before, of the one that was created then. */
  createThread(
    thread: ThreadRecord,
    messages: readonly Message[],
    key?: RequestKey,
  ): Promise<string>
  thread(id: string): Promise<ThreadRecord | null>
  listThreads(query: {
    readonly text?: string
    /** Only people's own unless another kind is asked for. */
    readonly kind?: ThreadKind
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly ThreadSummary[]>
  /** Refused with `busy` while a run is going or queued, or its job is going. Gives false when there is no such thread. */
  removeThread(id: string): Promise<boolean>

  branch(threadId: string): Promise<readonly Message[]>
  message(id: string): Promise<Message | null>
  /** Thread a message belongs to, also when it is on no branch any more. */
  threadOfMessage(messageId: string): Promise<string | null>
  /**
   * Puts another list of messages in place of the branch (new ones are stored first); the old list is kept.
   * `busy` while a run is going or queued on the thread; `conflict` when the branch is no longer `expected`.
   */
  replaceBranch(change: BranchChange & { readonly now: number }): Promise<void>

  /**
   * Stores prompt and queued run together, with the branch that they go on from: the acknowledgement.
   * With a key that was used before: the run of that time.
   */
  submitTurn(turn: NewTurn, now: number): Promise<Run>
  /** `submitTurn` and `claimTurn` in one transaction. `lease` is null when the turn has to wait, or was there before. */
  submitAndClaim(
    turn: NewTurn,
    now: number,
    leaseMs: number,
  ): Promise<{ readonly run: Run; readonly lease: Lease | null }>
  /** First of the thread's queue, and nobody runs: takes the thread's lease. One conditional update. */
  claimTurn(runId: string, owner: Owner, leaseMs: number): Promise<Claim>
  /** Who is going on the thread, or else who is the first of its queue. */
  firstInLine(threadId: string): Promise<string | null>
  /** Throws `lease-lost`; tells whether somebody asked to cancel the run that holds it now. */
  renewLease(lease: Lease, leaseMs: number): Promise<{ readonly cancelRequested: boolean }>
  releaseLease(lease: Lease): Promise<void>
  /** Puts the prompt on the branch, records the decision, creates or takes the session; throws `busy` when somebody else runs on it. Gives the run as it is then. */
  startRun(lease: Lease, start: RunStart): Promise<Run>
  /** Stores the session id as soon as the agent names it. Creates the session when the agent chose the id itself. */
  announceSession(lease: Lease, runId: string, session: NewSession): Promise<void>
  /**
   * A session that the agent has saved without us, and what it has seen by the word of whoever brings it: confirmed at once.
   * False when it is known already.
   */
  adoptSession(session: NewSession, contextTokens: number | null, now: number): Promise<boolean>
  /** The session file was copied to another work dir, from which it will be continued. */
  moveSession(lease: Lease, id: string, workDir: string): Promise<void>
  /** Recorded before a signal is sent. */
  recordKill(lease: Lease, runId: string, reason: string): Promise<void>
  appendEvents(lease: Lease, runId: string, events: readonly NewEvent[]): Promise<void>
  /** One transaction: run, answer, session, lease, and the next step of its chain, which it gives. */
  endRun(lease: Lease, end: RunEnd): Promise<ChainStep | null>
  /** A queued run, or one whose process is gone, ends at once (`cancelled`); a running one is told through `renewLease`. Gives the status seen. */
  requestCancel(runId: string, now: number): Promise<RunStatus | null>

  /** Runs that are queued or going, with who holds them, as they stand in line; the caller knows which owners are dead. */
  openRuns(): Promise<readonly OrphanCandidate[]>
  /** Takes the lease of a dead owner's running run with a new token; null when somebody else was faster. */
  takeOver(runId: string, dead: Owner, owner: Owner, leaseMs: number): Promise<Lease | null>
  /** Ends a queued run whose owner died before its turn came; the prompt stays stored. */
  abandonQueued(runId: string, dead: Owner, failure: Failure, now: number): Promise<boolean>
  /** Gives a queued run of a dead owner another one, at the same place of the queue; what the dead one held for it is free. */
  adoptQueued(runId: string, dead: Owner, owner: Owner): Promise<boolean>

  /** A call waits for the user; its run is `waiting` from now on. */
  askQuestion(lease: Lease, runId: string, question: NewQuestion): Promise<void>
  questions(query: {
    readonly runId?: string
    readonly toolUseId?: string
    readonly state?: QuestionState
    /** Only those that may not be answered any more at this time. */
    readonly expiredAt?: number
    readonly limit: number
  }): Promise<readonly Question[]>
  /**
   * `conflict` when it is not open any more. Over a live process the run goes on; else it ends, and the reply is
   * queued in its place (`continuedBy`). Gives the run that asked.
   */
  answerQuestion(runId: string, toolUseId: string, reply: Reply): Promise<Run>
  /** A live run goes on without an answer; else it ends. False when it was not open, or not late. */
  expireQuestion(
    runId: string,
    toolUseId: string,
    late: { readonly failure: Failure; readonly at: number },
  ): Promise<boolean>
  /**
   * Thread, chain and first run together. `run` is null when the chain is not let into its first tier.
   * Without `leaseMs` the run is only queued.
   */
  startChain(
    chain: NewChain,
    leaseMs: number | null,
  ): Promise<{
    readonly chain: ChainRecord
    readonly run: Run | null
    readonly lease: Lease | null
  }>
  /** A chain goes on: asked again in one transaction, as when its last run had ended. Gives the run, if there is one. */
  resumeChain(
    id: string,
    resumption: Resumption,
  ): Promise<{ readonly step: ChainStep; readonly run: Run | null }>
  chain(id: string): Promise<ChainRecord | null>
  /** In the order they were made. */
  runsOfChain(id: string): Promise<readonly Run[]>
  listChains(filter: ChainFilter): Promise<readonly ChainRecord[]>
  /** By status, and what their ended runs cost by policy and tier. */
  countChains(): Promise<ChainCounts>

  run(id: string): Promise<Run | null>
  instructionsOf(runId: string): Promise<string | null>
  /** With which the turn was sent. */
  limitsOf(runId: string): Promise<TurnLimits>
  listRuns(filter: RunFilter): Promise<readonly Run[]>
  events(runId: string, afterSeq: number, limit: number): Promise<readonly StoredEvent[]>
  /** Events of all runs after a position. */
  feed(after: number, limit: number): Promise<readonly FeedEvent[]>
  /** Position of the latest event; 0 when there is none. */
  lastPosition(): Promise<number>
  /** Runs with events after a position, each with the position of its latest. */
  changedRuns(
    after: number,
  ): Promise<readonly { readonly runId: string; readonly position: number }[]>
  countRuns(): Promise<readonly RunCount[]>
  /** What a key was used for; `null` when it is new. Throws `conflict` when that was another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
  sessions(query: {
    readonly threadId?: string
    readonly agent?: string
    readonly sessionId?: string
  }): Promise<readonly Session[]>
  session(id: string): Promise<Session | null>
  /** Newest first; `cursor` is the id of the last item. */
  listSessions(query: {
    readonly threadId?: string
    readonly agent?: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly Session[]>
  /** Run that holds each of these sessions (our ids) now. */
  sessionHolders(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  usageBy(by: 'day' | 'thread' | 'agent'): Promise<readonly UsageRow[]>

  cachedRuntime(key: string): Promise<ProbedRuntime | null>
  cacheRuntime(key: string, runtime: ProbedRuntime): Promise<void>
  /** Whatever is cached of an executable. */
  forgetRuntime(executable: string): Promise<void>

  /** Checks the promises of the store and its structure. An empty list means that the store is healthy. */
  verify(): Promise<readonly Violation[]>
  close(): Promise<void>
}

/** How a store is brought along: opened once by whoever closes it. */
export type OpenStore = () => Promise<Store>
