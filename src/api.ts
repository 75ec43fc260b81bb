// What users call: one interface, held by programs, by the CLI, and later over HTTP. Implemented by reprise.ts.
import type { Jobs, KeptCheckpoints, RecurrenceRequest, Removed } from './api-jobs.ts'
import type { ArchivedSession, SessionDetails } from './api-sessions.ts'
import type { ChainCounts, ChainRecord } from './core/chain/chain.ts'
import type { Policy } from './core/chain/policy.ts'
import type { Schedule } from './core/chain/schedule.ts'
import type { ChainStatus, ChainStep } from './core/chain/supervise.ts'
import type { Message, View } from './core/conversation/messages.ts'
import type { GivenAnswer, Question, QuestionState } from './core/conversation/question.ts'
import type { CountedSession } from './core/conversation/session.ts'
import type { ThreadRecord, ThreadSummary } from './core/conversation/thread.ts'
import type { Decision } from './core/decide/decision.ts'
import type { Explanation } from './core/decide/explain.ts'
import type { ResumeSettings } from './core/decide/settings.ts'
import type { JobCount } from './core/job/job.ts'
import type { UsageRow } from './core/money/usage.ts'
import type { AgentEvent, AnswerEvent } from './core/run/events.ts'
import type { RequestKey, StoredRequest } from './core/run/request-key.ts'
import type { Run, RunCount, RunStatus } from './core/run/run.ts'
import type { SandboxKind, SandboxMode } from './core/run/sandbox.ts'
import type { Trust } from './core/run/trust.ts'
import type { WaitReason } from './core/run/wait-reason.ts'
import type { Violation } from './core/violation.ts'
import type { FeedEvent, StoredEvent } from './store/contract/records.ts'

export type * from './api-jobs.ts'
export type * from './api-sessions.ts'

export type TurnOptions = {
  readonly agent?: string
  readonly model?: string
  readonly workDir?: string
  readonly permissionMode?: string
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** For the system prompt. The thread keeps them until a turn brings others; an empty text clears them. */
  readonly instructions?: string
  /** Model requests after which the agent stops by itself. */
  readonly maxTurns?: number
  /** Dollars after which the run is stopped, by list prices; the request under way comes on top. */
  readonly budgetUsd?: number
  /** Whose settings take part in this turn: default as the thread, else the agent, says, else `project`. */
  readonly trust?: Trust
  /** What holds the processes of this turn: default as the thread, else the agent, says, else `none`. */
  readonly sandbox?: SandboxMode
  /** No resume, the whole transcript instead. */
  readonly freshSession?: boolean
  /** `ask`: its questions come as events and wait for `runs.answer`; `none` (default): it cannot ask anybody. */
  readonly questions?: 'ask' | 'none'
  /** What to do while another run is going on the thread: wait in the queue (default), or fail with `busy`. */
  readonly whenBusy?: 'queue' | 'fail'
  /**
   * The message of the thread that the prompt follows: what stands after it is dropped. Throws `busy` while a run is
   * going and `conflict` when the thread has changed meanwhile, so that nobody goes on from what he has not seen.
   */
  readonly after?: string
  /** A turn sent again with its key is not run again; its result is the first one's. */
  readonly key?: RequestKey
  readonly signal?: AbortSignal
}

export type TurnEvent =
  | AgentEvent
  | AnswerEvent
  | {
      readonly type: 'queued'
      readonly runId: string
      /** The run that goes first on the thread; `null` when the turn waits for a slot. */
      readonly behind: string | null
      readonly words: string
    }
  | { readonly type: 'started'; readonly runId: string; readonly decision: Decision }
  /** The session could not be restored; the turn goes on in another run. */
  | {
      readonly type: 'fallback'
      readonly runId: string
      readonly nextRunId: string
      readonly words: string
    }
  /** A run of a chain has ended, and its supervisor has decided: another run follows, or `nextRunId` is null. */
  | {
      readonly type: 'supervised'
      readonly run: Run
      readonly step: ChainStep
      readonly nextRunId: string | null
    }
  /** Always the last one. */
  | { readonly type: 'ended'; readonly run: Run }

export type TurnResult = {
  /** The run that ended the turn. */
  readonly run: Run
  readonly threadId: string
  /** Of the prompt. */
  readonly messageId: string
  readonly text: string
}

/** A turn under way: iterate for its events, await `result` for its end. A failed turn resolves too: look at `run.status`. */
export type Turn = AsyncIterable<TurnEvent> & {
  /** Resolves when the prompt is stored: from then on nothing is lost. */
  readonly submitted: Promise<{ readonly runId: string; readonly messageId: string }>
  readonly result: Promise<TurnResult>
  cancel(): Promise<void>
}

export type ChainOptions = {
  /** A policy, or the name of one that this Reprise knows. */
  readonly policy: Policy | string
  readonly prompt: string
  readonly workDir: string
  /** Default: that of the policy, else the default agent. */
  readonly agent?: string
  /** No higher than this, and never higher than the policy says. */
  readonly maxTier?: number
  readonly dryRun?: boolean
  /** In place of what the policy says, for all its tiers. */
  readonly sandbox?: SandboxMode
  /** Of the whole chain; the policy's own stays in force when it is lower. */
  readonly budgetUsd?: number
  readonly title?: string
  readonly key?: RequestKey
  readonly signal?: AbortSignal
}

/** What one tier of a chain came to. */
export type TierSummary = {
  readonly tier: number
  readonly name: string
  readonly model: string | null
  readonly costUsd: number
  readonly costDisputed: boolean
  readonly durationMs: number
  readonly tokens: number
  readonly runs: number
  readonly status: RunStatus
  /** Whose settings took part. */
  readonly trust: Trust
  /** What held the processes of its last run; `null` before its start. */
  readonly sandbox: SandboxKind | null
}

/** The whole ordered chain, the same from each of its runs. */
export type Chain = Omit<ChainRecord, 'mandate'> & {
  readonly policy: string
  readonly maxTier: number
  readonly dryRun: boolean
  readonly budgetUsd: number | null
  /** Why it is where it is, in a sentence. */
  readonly words: string
  readonly runs: readonly Run[]
  readonly totals: {
    readonly costUsd: number
    readonly durationMs: number
    readonly tokens: number
  }
  readonly byTier: readonly TierSummary[]
}

/** A chain under way: iterate for the events of all its runs, await `result` for its end, however it ended. */
export type ChainRun = AsyncIterable<TurnEvent> & {
  /** Resolves when it is stored. `runId` is null when it was held before its first tier. */
  readonly submitted: Promise<{ readonly chainId: string; readonly runId: string | null }>
  readonly result: Promise<Chain>
  cancel(): Promise<void>
}

export type ThreadDetails = ThreadRecord & {
  readonly messages: readonly Message[]
  readonly runs: readonly Run[]
  readonly sessions: readonly CountedSession[]
  readonly costUsd: number
}

export type Thread = {
  readonly id: string
  send(prompt: string, options?: TurnOptions): Turn
  show(): Promise<ThreadDetails>
  /** Edit in place: later messages stay. Gives the new message. */
  edit(messageId: string, text: string): Promise<Message>
  /** Drops the message and what follows, and asks again (with other words, if given). On an answer: asks its prompt again. */
  retry(messageId: string, options?: TurnOptions & { readonly text?: string }): Turn
  /** Drops the message and what follows. */
  truncate(messageId: string): Promise<void>
  /** A new thread with the messages up to and including `at` (default: all). */
  fork(options?: { readonly at?: string; readonly title?: string }): Promise<Thread>
  /** What would be decided now. Runs nothing. */
  preview(options?: TurnOptions): Promise<Explanation>
  /** With the checkpoints of its job, if it has one. Throws `busy` while a run is going or queued. */
  remove(): Promise<Removed>
}

export type AgentReport = {
  readonly name: string
  readonly adapter: string
  readonly executable: string
  readonly found: boolean
  readonly version: string | null
  readonly abilities: Readonly<Record<string, boolean>>
  readonly quirks: readonly string[]
  /** Names of variables: passed to trusted work, passed to chains and untrusted work, passed to nobody. */
  readonly env: {
    readonly trusted: readonly string[]
    readonly untrusted: readonly string[]
    readonly withheld: readonly string[]
  }
  readonly problem: string | null
  readonly hint: string | null
}

export type SavingsReport = {
  readonly by: 'day' | 'thread' | 'agent'
  readonly rows: readonly UsageRow[]
  readonly total: UsageRow
  readonly formula: string
}

export type Reprise = {
  readonly threads: {
    create(options: {
      readonly agent?: string
      readonly workDir: string
      readonly title?: string
      readonly view?: View
      /** What its turns have unless they say otherwise. */
      readonly trust?: Trust
      readonly sandbox?: SandboxMode
      readonly key?: RequestKey
    }): Promise<Thread>
    /** Throws `not-found`. */
    get(id: string): Promise<Thread>
    list(query?: {
      readonly text?: string
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly ThreadSummary[]>
  }
  readonly runs: {
    /** With what it waits for, when it is queued by the process that is asked. */
    get(id: string): Promise<Run & { readonly waitsFor?: WaitReason & { readonly words: string } }>
    list(filter?: {
      readonly threadId?: string
      readonly chainId?: string
      readonly sessionId?: string
      readonly jobId?: string
      readonly status?: RunStatus
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly Run[]>
    /** After a `seq`, at most `limit` (10,000). */
    events(id: string, after?: number, limit?: number): Promise<readonly StoredEvent[]>
    /** The whole tree of the run ends in bounded time. Gives the run as it is after the request. */
    cancel(id: string): Promise<Run>
    /** What the run asked, oldest first. */
    questions(id: string): Promise<readonly Question[]>
    /**
     * `conflict` when it is not open or the answer does not fit. While the process lives, its run goes on; else
     * the turn goes on in another one (`run.continuedBy`), which is `turn`.
     */
    answer(
      id: string,
      answer: GivenAnswer & { readonly toolUseId: string },
    ): Promise<{ readonly run: Run; readonly turn: Turn | null }>
    /** The stored decision in words; with settings, asked again under those. */
    why(id: string, settings?: Partial<ResumeSettings>): Promise<Explanation>
  }
  readonly jobs: Jobs
  readonly sessions: {
    /** By our id of it. Throws `not-found`. */
    get(id: string): Promise<SessionDetails>
    /** Newest first. */
    list(query?: {
      readonly threadId?: string
      readonly agent?: string
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly CountedSession[]>
    /** Puts it aside as files; it can be continued all the same. */
    archive(id: string): Promise<ArchivedSession>
  }
  /** Over all runs, oldest first. */
  questions(query?: {
    readonly state?: QuestionState
    readonly limit?: number
  }): Promise<readonly Question[]>
  /** Chains that are started again and again, by who keeps the queue (the daemon). */
  readonly schedules: {
    create(
      options: Omit<ChainOptions, 'title' | 'key' | 'signal'> & {
        readonly recurrence: RecurrenceRequest
      },
    ): Promise<Schedule>
    list(): Promise<readonly Schedule[]>
    /** Chains that it has started go on. Throws `not-found`. */
    remove(id: string): Promise<void>
  }
  readonly chains: {
    /** E: observe, escalate, remediate, each tier going on with the conversation of the one below. */
    start(options: ChainOptions): ChainRun
    /** Throws `not-found`. */
    get(id: string): Promise<Chain>
    /** The chain that a run belongs to. Throws `not-found`. */
    ofRun(runId: string): Promise<Chain>
    /** Newest first. */
    list(query?: {
      readonly status?: ChainStatus
      readonly policy?: string
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly Chain[]>
    /** A person lets a held chain into the tier that asks for one. Cooldown and budget hold all the same. */
    approve(id: string): ChainRun
    /**
     * A person lets a chain go on whose run was interrupted: the same tier once more, in its own session where that was
     * kept. Its agent is told what happened and which calls may have taken effect. Budgets hold; throws `conflict`.
     */
    continue(id: string): ChainRun
    /** Ends the run that is going, and the chain with it. */
    cancel(id: string): Promise<Chain>
  }
  /** A thread with these messages. One that is known by its session is that thread, as we have it. */
  adopt(request: AdoptRequest): Promise<Thread>
  agents(): Promise<readonly AgentReport[]>
  savings(by?: 'day' | 'thread' | 'agent'): Promise<SavingsReport>
  verify(): Promise<readonly Violation[]>
  /** Interrupts what this process runs, after a time to end by itself if one is given; waits for it, closes the store. */
  close(options?: { readonly drainMs?: number }): Promise<void>
}

/** A conversation that began elsewhere. */
export type AdoptRequest = {
  readonly agent?: string
  readonly workDir: string
  readonly model?: string
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly text: string
    readonly tools?: Message['tools']
  }[]
  /** The agent's own session that holds these messages; it counts only if its file begins with them. */
  readonly sessionId?: string
  /** What its turns have unless they say otherwise. */
  readonly trust?: Trust
  readonly sandbox?: SandboxMode
  readonly key?: RequestKey
}

/** What only the process that holds the store can do: the daemon serves from it. */
export type LocalReprise = Reprise & {
  /** Events of all runs, also those of other processes, after a position. */
  feed(after: number, limit: number): Promise<readonly FeedEvent[]>
  /** Position of the latest event; 0 when there is none. */
  lastPosition(): Promise<number>
  /** Runs with events after a position, each with the position of its latest. */
  changedRuns(
    after: number,
  ): Promise<readonly { readonly runId: string; readonly position: number }[]>
  /** Calls back after this very process has stored events; gives the function that ends it. */
  onWrite(listener: () => void): () => void
  countRuns(): Promise<readonly RunCount[]>
  countJobs(): Promise<readonly JobCount[]>
  countChains(): Promise<ChainCounts>
  /** In every repository that is known to have checkpoints, and in the one around a directory. */
  keptCheckpoints(directory: string): Promise<readonly KeptCheckpoints[]>
  /** What a key was used for; `null` when it is new. Throws `conflict` when that was another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
}
