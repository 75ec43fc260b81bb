// What users call: one interface for programs, the CLI and HTTP clients. reprise.ts and client/connect.ts implement it.
import type { Chain, ChainOptions } from './api-chains.ts'
import type { StoredLog } from './api-events.ts'
import type { Jobs, KeptCheckpoints, RecurrenceRequest, Removed } from './api-jobs.ts'
import type { ArchivedSession, SessionDetails } from './api-sessions.ts'
import type { ChainCounts } from './core/chain/chain.ts'
import type { PolicyReport } from './core/chain/policy-report.ts'
import type { Schedule } from './core/chain/schedule.ts'
import type { ChainStatus } from './core/chain/supervise.ts'
import type { Message, View } from './core/conversation/messages.ts'
import type { GivenAnswer, Question, QuestionState } from './core/conversation/question.ts'
import type { CountedSession } from './core/conversation/session.ts'
import type { ThreadFilter, ThreadRecord, ThreadSummary } from './core/conversation/thread.ts'
import type { BranchMessage } from './core/conversation/versions.ts'
import type { Explanation } from './core/decide/explain.ts'
import type { Preview } from './core/decide/preview.ts'
import type { ResumeSettings } from './core/decide/settings.ts'
import type { JobCount } from './core/job/job.ts'
import type { ReasonShare } from './core/money/reason-share.ts'
import type { UsageRow } from './core/money/usage.ts'
import type { RequestKey, StoredRequest } from './core/run/request-key.ts'
import type { Run, RunCount, RunStatus } from './core/run/run.ts'
import type { EventPlace, RunEvent } from './core/run/run-events.ts'
import type { SandboxMode } from './core/run/sandbox.ts'
import type { SentPrompt } from './core/run/sent-prompt.ts'
import type { Trust } from './core/run/trust.ts'
import type { WaitReason } from './core/run/wait-reason.ts'
import type { Violation } from './core/violation.ts'

export type * from './api-chains.ts'
export type * from './api-events.ts'
export type * from './api-jobs.ts'
export type * from './api-sessions.ts'

/** How a turn is sent. What is left out is taken from the thread, else from the agent. */
export type TurnOptions = {
  /** The name of the agent; default: the agent of the thread. */
  readonly agent?: string
  /** Default: the model of the agent. */
  readonly model?: string
  /** The directory in which the agent works; default: that of the thread. */
  readonly workDir?: string
  /** In the words of the agent; default: as the agent is configured. */
  readonly permissionMode?: string
  /** Tools that the agent may use without asking, as rules in its own words. */
  readonly allowedTools?: readonly string[]
  /** Tools that the agent may not use, as rules in its own words. */
  readonly disallowedTools?: readonly string[]
  /** Text for the system prompt. The thread keeps it until a turn brings another; an empty text clears it. */
  readonly instructions?: string
  /** The agent stops by itself after this many model requests. */
  readonly maxTurns?: number
  /** Reprise stops the run after this many dollars by list prices. The request under way comes on top. */
  readonly budgetUsd?: number
  /** Whose settings take part in this turn; default: as the thread says, else the agent, else `project`. */
  readonly trust?: Trust
  /** What holds the processes of this turn; default: as the thread says, else the agent, else `none`. */
  readonly sandbox?: SandboxMode
  /** Does not resume a session: the agent gets the whole transcript instead. */
  readonly freshSession?: boolean
  /** `ask`: questions of the agent arrive as events and wait for `runs.answer`. `none` (default): the agent cannot ask. */
  readonly questions?: 'ask' | 'none'
  /** While another run is going on the thread, the turn waits in the queue (default) or fails with `busy`. */
  readonly whenBusy?: 'queue' | 'fail'
  /**
   * The message of the thread that the prompt follows; later messages are dropped. Throws `busy` while a run is
   * going, and `conflict` when the thread has changed, so that nobody continues from messages that they have not
   * seen.
   */
  readonly after?: string
  /** A turn that is sent again with its key does not run again; its result is that of the first. */
  readonly key?: RequestKey
  /** Aborting it cancels the turn. */
  readonly signal?: AbortSignal
}

/** How a turn would be sent. */
export type PreviewOptions = TurnOptions & {
  /** Its length counts for the estimate; with `retry`, the default is the text that is asked again. */
  readonly prompt?: string
  /** The message that would be asked again, as `thread.retry` does. */
  readonly retry?: string
}

/** How a turn ended. */
export type TurnResult = {
  /** The run that ended the turn. */
  readonly run: Run
  /** The thread of the turn. */
  readonly threadId: string
  /** The message that holds the prompt. */
  readonly messageId: string
  /** What the agent answered; empty when it said nothing. */
  readonly text: string
}

/**
 * A turn under way: iterate over it for its events, await `result` for its end. A failed turn resolves as well; look
 * at `run.status`.
 */
export type Turn = AsyncIterable<RunEvent> & {
  /** Resolves when the prompt is stored. From then on nothing is lost. */
  readonly submitted: Promise<{ readonly runId: string; readonly messageId: string }>
  /** Resolves when the turn is over, also when it failed. Rejects when the turn was refused. */
  readonly result: Promise<TurnResult>
  /** Ends the run with all its processes. */
  cancel(): Promise<void>
}

/** A chain under way: iterate over it for the events of all its runs, await `result` for its end. */
export type ChainRun = AsyncIterable<RunEvent> & {
  /** Resolves when the chain is stored. `runId` is null when the chain was held before its first tier. */
  readonly submitted: Promise<{ readonly chainId: string; readonly runId: string | null }>
  /** Resolves when the chain is over or held. */
  readonly result: Promise<Chain>
  /** Ends the run that is going, and the chain with it. */
  cancel(): Promise<void>
}

/** A thread with its branch, its runs and its sessions. */
export type ThreadDetails = ThreadRecord & {
  /** The branch: the messages that count now, in order. */
  readonly messages: readonly BranchMessage[]
  readonly runs: readonly Run[]
  readonly sessions: readonly CountedSession[]
  /** The sum over all runs. */
  readonly costUsd: number
}

/** A conversation. Every call reads the store, so two handles of one thread show the same. */
export type Thread = {
  readonly id: string
  /** Sends a prompt as the next turn. */
  send(prompt: string, options?: TurnOptions): Turn
  /** Reads the thread as it is now. */
  show(): Promise<ThreadDetails>
  /** Replaces the text of a message; later messages stay. Returns the new message. */
  edit(messageId: string, text: string): Promise<Message>
  /**
   * Drops the message and all later ones, and asks again, with another text if one is given. For an answer, it asks
   * its prompt again.
   */
  retry(messageId: string, options?: TurnOptions & { readonly text?: string }): Turn
  /** Drops the message and all later ones. */
  truncate(messageId: string): Promise<void>
  /**
   * Shows another version of a message: the branch that holds it becomes the current one, as it was left. Throws
   * `busy` while a run is going.
   */
  select(messageId: string): Promise<ThreadDetails>
  /** Creates a thread with the messages up to and including `at` (default: all). */
  fork(options?: { readonly at?: string; readonly title?: string }): Promise<Thread>
  /** Says what would be decided for a turn now and what it would cost, and runs nothing. */
  preview(options?: PreviewOptions): Promise<Preview>
  /** Deletes the thread, and the checkpoints of its job if it has one. Throws `busy` while a run is going or queued. */
  remove(): Promise<Removed>
}

/** What Reprise found of one agent on this machine. */
export type AgentReport = {
  /** The name in the config. */
  readonly name: string
  readonly adapter: string
  /** The resolved program, or the name that was not found. */
  readonly executable: string
  readonly found: boolean
  /** `null` when the program was not found or is not this agent. */
  readonly version: string | null
  /** What the program was probed to be able to do. */
  readonly abilities: Readonly<Record<string, boolean>>
  /** The peculiarities of this version that Reprise takes care of. */
  readonly quirks: readonly string[]
  /** Names of variables: passed to trusted work, passed to chains and untrusted work, passed to nobody. */
  readonly env: {
    readonly trusted: readonly string[]
    readonly untrusted: readonly string[]
    readonly withheld: readonly string[]
  }
  /** Why the agent cannot be used; `null` when it can. */
  readonly problem: string | null
  /** What to do about the problem. */
  readonly hint: string | null
}

/** What runs used, beside an estimate of what cold starts would have cost. */
export type SavingsReport = {
  readonly by: 'day' | 'thread' | 'agent'
  /** One row per day, thread or agent. */
  readonly rows: readonly UsageRow[]
  readonly total: UsageRow
  /** How runs continued, and why not by a resume; the most frequent first. */
  readonly reasons: readonly ReasonShare[]
  /** The share that continued a session among the runs that had something to continue; `null`: there were none. */
  readonly hitRate: number | null
  /** How the estimate is made, in words. */
  readonly formula: string
}

/** Everything that a user can do. `createReprise` gives one in this process, `connectReprise` one behind a daemon. */
export type Reprise = {
  /** Conversations with agents. */
  readonly threads: {
    /** Creates an empty thread. */
    create(options: {
      readonly agent?: string
      readonly workDir: string
      readonly title?: string
      /** What an agent is shown of other agents: everything (`all`, default), or only its `own` part. */
      readonly view?: View
      /** Whose settings take part in its turns, unless a turn says otherwise. */
      readonly trust?: Trust
      /** What holds the processes of its turns, unless a turn says otherwise. */
      readonly sandbox?: SandboxMode
      /** A thread that is created again with the same key is the same thread. */
      readonly key?: RequestKey
    }): Promise<Thread>
    /** Throws `not-found`. */
    get(id: string): Promise<Thread>
    /** Lists threads, the latest used first. */
    list(
      query?: ThreadFilter & { readonly cursor?: string; readonly limit?: number },
    ): Promise<readonly ThreadSummary[]>
    /** Says how many threads there are in the whole list. */
    count(filter?: ThreadFilter): Promise<number>
  }
  /** Executions of agents. */
  readonly runs: {
    /** Gives a run, with the reason why it waits when this process has queued it. Throws `not-found`. */
    get(id: string): Promise<Run & { readonly waitsFor?: WaitReason & { readonly words: string } }>
    /** Lists runs, newest first. */
    list(filter?: {
      readonly threadId?: string
      readonly chainId?: string
      readonly sessionId?: string
      readonly jobId?: string
      readonly status?: RunStatus
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly Run[]>
    /** Gives the events of a run after a `seq`, at most `limit` (10,000). */
    events(id: string, after?: number, limit?: number): Promise<readonly RunEvent[]>
    /**
     * Gives the events of a run after a `seq`, in order and each once, until the run has ended or the signal aborts. It
     * does not matter which process runs the agent, nor whether that process is restarted meanwhile.
     */
    follow(
      id: string,
      options?: { readonly after?: number; readonly signal?: AbortSignal },
    ): AsyncIterable<RunEvent>
    /** Ends the run with all its processes in bounded time. Returns the run as it is after the request. */
    cancel(id: string): Promise<Run>
    /** Gives what the run asked, oldest first. */
    questions(id: string): Promise<readonly Question[]>
    /**
     * Answers a question of a run. Throws `conflict` when the question is not open or the answer does not fit. While
     * the process lives, its run continues. Otherwise the turn continues in another run (`run.continuedBy`), which is
     * `turn`.
     */
    answer(
      id: string,
      answer: GivenAnswer & { readonly toolUseId: string },
    ): Promise<{ readonly run: Run; readonly turn: Turn | null }>
    /** Gives what the agent of a run was given. Throws `not-found` before the run has started. */
    prompt(id: string): Promise<SentPrompt>
    /** Explains the stored decision in words. With settings, it asks the decision again under these. */
    why(id: string, settings?: Partial<ResumeSettings>): Promise<Explanation>
  }
  /** A turn may take several runs: after a refused resume, with an answer to a question, in the next tier of a chain. */
  readonly turns: {
    /**
     * Gives the events of all runs of a turn, from any of its runs on, until the turn is over. The turn is over with the
     * `ended` event whose `continuedBy` is null. `after` is the place of the last event that was read.
     */
    follow(
      runId: string,
      options?: { readonly after?: EventPlace; readonly signal?: AbortSignal },
    ): AsyncIterable<RunEvent>
  }
  /** Durable work with retries. */
  readonly jobs: Jobs
  /** The sessions of agents that Reprise knows. */
  readonly sessions: {
    /** Takes the id that Reprise gave the session. Throws `not-found`. */
    get(id: string): Promise<SessionDetails>
    /** Lists sessions, newest first. */
    list(query?: {
      readonly threadId?: string
      readonly agent?: string
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly CountedSession[]>
    /** Writes the session to files that anybody can read. The session can still be continued. */
    archive(id: string): Promise<ArchivedSession>
  }
  /** Lists questions of all runs, oldest first. */
  questions(query?: {
    readonly state?: QuestionState
    readonly limit?: number
  }): Promise<readonly Question[]>
  /** Chains that are repeated. The process that keeps the queue (the daemon) starts them. */
  readonly schedules: {
    /** Creates a schedule; its first chain starts at the first time of the recurrence. */
    create(
      options: Omit<ChainOptions, 'title' | 'key' | 'signal'> & {
        readonly recurrence: RecurrenceRequest
      },
    ): Promise<Schedule>
    /** Lists all schedules. */
    list(): Promise<readonly Schedule[]>
    /** Removes a schedule. Chains that it has started continue. Throws `not-found`. */
    remove(id: string): Promise<void>
  }
  /** Escalation through the tiers of a policy. */
  readonly chains: {
    /** Starts a chain. Each tier continues the conversation of the tier below. */
    start(options: ChainOptions): ChainRun
    /** Throws `not-found`. */
    get(id: string): Promise<Chain>
    /** Gives the chain of a run. Throws `not-found`. */
    ofRun(runId: string): Promise<Chain>
    /** Lists chains, newest first. */
    list(query?: {
      readonly status?: ChainStatus
      readonly policy?: string
      readonly cursor?: string
      readonly limit?: number
    }): Promise<readonly Chain[]>
    /** Approves the next tier of a held chain, in the name of a person. Cooldown and budget still hold. */
    approve(id: string): ChainRun
    /**
     * Continues a chain whose run was interrupted, in the name of a person: the same tier runs once more, in its own
     * session where that was saved. Its prompt says what happened and which calls may have taken effect. Budgets
     * still hold. Throws `conflict`.
     */
    continue(id: string): ChainRun
    /** Ends the run that is going, and the chain with it. */
    cancel(id: string): Promise<Chain>
  }
  /** Lists the policies that chains can be started with by name. */
  policies(): Promise<readonly PolicyReport[]>
  /**
   * Makes a thread of a conversation that began elsewhere. If Reprise knows its session, it gives the thread of that
   * session.
   */
  adopt(request: AdoptRequest): Promise<Thread>
  /** Says which agents were found on this machine. */
  agents(): Promise<readonly AgentReport[]>
  /** Sums up what runs used and saved, by day (default), thread or agent; `since` is in milliseconds since 1970. */
  savings(
    by?: 'day' | 'thread' | 'agent',
    query?: { readonly since?: number },
  ): Promise<SavingsReport>
  /** Checks the invariants of the store. An empty list means that the store is healthy. */
  verify(): Promise<readonly Violation[]>
  /**
   * Interrupts the runs of this process, after `drainMs` to end by themselves if given; waits for them and closes the
   * store.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>
}

/** A conversation that began elsewhere. */
export type AdoptRequest = {
  /** Default: the default agent. */
  readonly agent?: string
  /** The directory in which the agent worked. */
  readonly workDir: string
  readonly model?: string
  /** The conversation so far, in order. */
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly text: string
    readonly tools?: Message['tools']
  }[]
  /** The agent's own session that holds these messages. It is used only if its file begins with them. */
  readonly sessionId?: string
  /** Whose settings take part in its turns, unless a turn says otherwise. */
  readonly trust?: Trust
  /** What holds the processes of its turns, unless a turn says otherwise. */
  readonly sandbox?: SandboxMode
  /** A conversation that is adopted again with the same key is the same thread. */
  readonly key?: RequestKey
}

/** A Reprise that holds the store itself. The daemon serves from it. */
export type LocalReprise = Reprise & {
  /** Gives events as they are stored. */
  readonly log: StoredLog
  /** Counts runs by status and decision. */
  countRuns(): Promise<readonly RunCount[]>
  /** Counts jobs by status. */
  countJobs(): Promise<readonly JobCount[]>
  /** Counts chains by status, and runs with their cost by policy and tier. */
  countChains(): Promise<ChainCounts>
  /** Lists checkpoints in every known repository, and in the repository around a directory. */
  keptCheckpoints(directory: string): Promise<readonly KeptCheckpoints[]>
  /** Says what a key was used for; `null` when it is new. Throws `conflict` when that was another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
}
