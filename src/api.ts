// What users call: one interface for programs, the CLI and HTTP clients. reprise.ts and client/connect.ts implement it.
import type { Chain, ChainOptions, ChainRun } from './api-chains.ts'
import type { StoredLog } from './api-events.ts'
import type { Jobs, KeptCheckpoints, RecurrenceRequest, Removed } from './api-jobs.ts'
import type { AgentReport, SavingsReport } from './api-reports.ts'
import type { ArchivedSession, SessionDetails, SessionDiagnosis } from './api-sessions.ts'
import type {
  ExportedThread,
  ExportOptions,
  ImportedThread,
  ImportOptions,
} from './api-thread-files.ts'
import type { PreviewOptions, Turn, TurnOptions } from './api-turns.ts'
import type { Carry } from './core/chain/carry.ts'
import type { ChainCounts } from './core/chain/chain.ts'
import type { ChainPreview, TierPreview } from './core/chain/chain-preview.ts'
import type { PolicyReport } from './core/chain/policy-report.ts'
import type { Schedule } from './core/chain/schedule.ts'
import type { ChainStatus } from './core/chain/supervise.ts'
import type { Message, View } from './core/conversation/messages.ts'
import type { GivenAnswer, Question, QuestionState } from './core/conversation/question.ts'
import type { CountedSession } from './core/conversation/session.ts'
import type { ThreadFilter, ThreadRecord, ThreadSummary } from './core/conversation/thread.ts'
import type { BranchMessage } from './core/conversation/versions.ts'
import type { Decision } from './core/decide/decision.ts'
import type { Explanation } from './core/decide/explain.ts'
import type { Preview } from './core/decide/preview.ts'
import type { ResumeSettings } from './core/decide/settings.ts'
import type { IdSubject } from './core/id-kind.ts'
import type { JobCount } from './core/job/job.ts'
import type { Worker } from './core/job/worker.ts'
import type { Optional } from './core/optional.ts'
import type { RequestKey, StoredRequest } from './core/run/request-key.ts'
import type { Run, RunCount, RunStatus } from './core/run/run.ts'
import type { EventPlace, RunEvent } from './core/run/run-events.ts'
import type { RunWork } from './core/run/run-work.ts'
import type { SandboxMode } from './core/run/sandbox.ts'
import type { SentPrompt } from './core/run/sent-prompt.ts'
import type { Trust } from './core/run/trust.ts'
import type { WaitReason } from './core/run/wait-reason.ts'
import type { WorkPlace } from './core/run/workspace.ts'
import type { VerifyOptions, Violation } from './core/violation.ts'
import type { PreWarmEnded, PreWarmed } from './core/warm/pre-warm.ts'
import type { WarmReport } from './core/warm/warm-settings.ts'

export type * from './api-chains.ts'
export type * from './api-events.ts'
export type * from './api-jobs.ts'
export type * from './api-reports.ts'
export type * from './api-sessions.ts'
export type * from './api-thread-files.ts'
export type * from './api-turns.ts'

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
  retry(messageId: string, options?: TurnOptions & Optional<{ readonly text: string }>): Turn
  /** Drops the message and all later ones. */
  truncate(messageId: string): Promise<void>
  /**
   * Shows another version of a message: the branch that holds it becomes the current one, as it was left. Throws
   * `busy` while a run is going.
   */
  select(messageId: string): Promise<ThreadDetails>
  /** Creates a thread with the messages up to and including `at` (default: all). */
  fork(options?: Optional<{ readonly at: string; readonly title: string }>): Promise<Thread>
  /** Says what would be decided for a turn now and what it would cost, and runs nothing. */
  preview(options?: PreviewOptions): Promise<Preview>
  /**
   * Starts the agent's process for the next turn while a user types, if Reprise keeps processes and the turn would resume its session. The
   * options must be those of the turn. Nothing is sent and nothing costs; a process that is not used ends by itself.
   */
  preWarm(options?: TurnOptions): Promise<PreWarmed>
  /**
   * Ends the process that `preWarm` has started, unless a turn has used it or a later `preWarm` waits for it: the user has typed nothing, or
   * goes away. `ticket` is what `preWarm` gave.
   */
  endPreWarm(ticket: string): Promise<PreWarmEnded>
  /** Deletes the thread, and the checkpoints of its job if it has one. Throws `busy` while a run is going or queued. */
  remove(): Promise<Removed>
}

/** Everything that a user can do. `createReprise` gives one in this process, `connectReprise` one behind a daemon. */
export type Reprise = {
  /** Conversations with agents. */
  readonly threads: {
    /** Creates an empty thread. */
    create(
      options: WorkPlace & {
        readonly agent?: string | undefined
        readonly title?: string | undefined
        /** What an agent is shown of other agents: everything (`all`, default), or only its `own` part. */
        readonly view?: View | undefined
        /** Whose settings take part in its turns, unless a turn says otherwise. */
        readonly trust?: Trust | undefined
        /** What holds the processes of its turns, unless a turn says otherwise. */
        readonly sandbox?: SandboxMode | undefined
        /** What its turns get of the conversation, unless a turn says otherwise; default: as `resume.carry` says. */
        readonly carry?: Carry | undefined
        /** A thread that is created again with the same key is the same thread. */
        readonly key?: RequestKey | undefined
      },
    ): Promise<Thread>
    /** Throws `not-found`. */
    get(id: string): Promise<Thread>
    /** Lists threads, the latest used first. */
    list(
      query?: ThreadFilter & Optional<{ readonly cursor: string; readonly limit: number }>,
    ): Promise<readonly ThreadSummary[]>
    /** Gives a thread another title. It changes nothing else, also while a run is going. */
    rename(id: string, title: string): Promise<ThreadDetails>
    /** Says how many threads there are in the whole list. */
    count(filter?: ThreadFilter): Promise<number>
    /** Writes a thread with its sessions and kept checkpoints as one signed file. Throws `busy` while a run is going. */
    export(id: string, options?: ExportOptions): Promise<ExportedThread>
    /**
     * Takes in a thread file, as a whole or not at all. A file that was signed by another key, or by none, becomes a thread that nobody
     * can send to or change before `approve`. The same file comes in once.
     */
    import(content: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<ImportedThread>
    /** Lets an imported thread be continued and changed, in the name of a person. */
    approve(id: string): Promise<ThreadDetails>
    /** Gives the public key by which others can trust the thread files of this store. */
    publicKey(): Promise<string>
  }
  /** Executions of agents. */
  readonly runs: {
    /** Gives a run, with the reason why it waits when this process has queued it. Throws `not-found`. */
    get(id: string): Promise<Run & { readonly waitsFor?: WaitReason & { readonly words: string } }>
    /** Lists runs, newest first. */
    list(
      filter?: Optional<{
        readonly threadId: string
        readonly chainId: string
        readonly sessionId: string
        readonly jobId: string
        readonly status: RunStatus
        /** Only runs that were queued at this time or later, in milliseconds since 1970. */
        readonly since: number
        readonly cursor: string
        readonly limit: number
      }>,
    ): Promise<readonly Run[]>
    /** Gives the events of a run after a `seq`, at most `limit` (10,000). */
    events(id: string, after?: number, limit?: number): Promise<readonly RunEvent[]>
    /**
     * Gives the events of a run after a `seq`, in order and each once, until the run has ended or the signal aborts. It
     * does not matter which process runs the agent, nor whether that process is restarted meanwhile.
     */
    follow(
      id: string,
      options?: Optional<{ readonly after: number; readonly signal: AbortSignal }>,
    ): AsyncIterable<RunEvent>
    /** Ends the run with all its processes in bounded time. Returns the run as it is after the request. */
    cancel(id: string): Promise<Run>
    /** Says which process runs it, and what it has cost so far. Throws `not-found`. */
    work(id: string): Promise<RunWork>
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
    why(id: string, settings?: Optional<ResumeSettings>): Promise<Explanation>
  }
  /** A turn may take several runs: after a refused resume, with an answer to a question, in the next tier of a chain. */
  readonly turns: {
    /**
     * Gives the events of all runs of a turn, from any of its runs on, until the turn is over. The turn is over with the
     * `ended` event whose `continuedBy` is null. `after` is the place of the last event that was read.
     */
    follow(
      runId: string,
      options?: Optional<{ readonly after: EventPlace; readonly signal: AbortSignal }>,
    ): AsyncIterable<RunEvent>
  }
  /** Durable work with retries. */
  readonly jobs: Jobs
  /** The sessions of agents that Reprise knows. */
  readonly sessions: {
    /** Takes the id that Reprise gave the session. Throws `not-found`. */
    get(id: string): Promise<SessionDetails>
    /** Lists sessions, newest first. */
    list(
      query?: Optional<{
        readonly threadId: string
        readonly agent: string
        /** Only sessions that were used at this time or later, in milliseconds since 1970. */
        readonly since: number
        readonly cursor: string
        readonly limit: number
      }>,
    ): Promise<readonly CountedSession[]>
    /** Writes the session to files that anybody can read. The session can still be continued. */
    archive(id: string): Promise<ArchivedSession>
    /** Takes an archived session back into use; the files that were written stay. Throws `conflict`. */
    unarchive(id: string): Promise<CountedSession>
    /**
     * Says what is wrong with the file of a session. With `repair`, makes a repaired copy under a new id, with which the thread goes on;
     * the file itself is never changed.
     */
    diagnose(
      id: string,
      options?: Optional<{ readonly repair: boolean }>,
    ): Promise<SessionDiagnosis>
  }
  /**
   * Lists questions of all runs, oldest first; with the state of closed questions, the one that was closed last is
   * first. `cursor` is the `questionCursor` of the last one that was read.
   */
  questions(
    query?: Optional<{
      readonly state: QuestionState
      readonly cursor: string
      readonly limit: number
    }>,
  ): Promise<readonly Question[]>
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
    /** Says what each tier of a chain would cost and how the conversation would reach it. Starts and stores nothing. */
    preview(options: ChainOptions): Promise<ChainPreview>
    /** Says what the next tier of a held chain would cost, or the tier of a broken-off one if it is continued, and how the conversation would reach it. Throws `conflict` for any other chain, and for one whose budget or time is spent. */
    previewNext(id: string): Promise<TierPreview>
    /** Throws `not-found`. */
    get(id: string): Promise<Chain>
    /** Gives the chain of a run. Throws `not-found`. */
    ofRun(runId: string): Promise<Chain>
    /** Lists chains, newest first. */
    list(
      query?: Optional<{
        readonly status: ChainStatus
        readonly policy: string
        /** Only chains that were started at this time or later, in milliseconds since 1970. */
        readonly since: number
        readonly cursor: string
        readonly limit: number
      }>,
    ): Promise<readonly Chain[]>
    /** Approves the next tier of a held chain, in the name of a person. Cooldown and budget still hold. */
    approve(id: string): ChainRun
    /**
     * Continues a chain whose run was broken off, in the name of a person: the same tier runs once more, in its own
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
  /** Finds ids by their beginning, in order, at most `limit` (10); the id itself comes first. */
  findIds(
    query: { readonly kind: IdSubject; readonly beginning: string } & Optional<{
      readonly limit: number
    }>,
  ): Promise<readonly string[]>
  /** Says which agents were found on this machine. */
  agents(): Promise<readonly AgentReport[]>
  /** Lists the processes that work on jobs, on whichever host; also those that ended lately without a word. */
  workers(): Promise<readonly Worker[]>
  /** Sums up what runs used and saved, by day (default), thread or agent; `since` is in milliseconds since 1970. */
  savings(
    by?: 'day' | 'thread' | 'agent',
    query?: Optional<{ readonly since: number }>,
  ): Promise<SavingsReport>
  /** Checks the invariants of the store. An empty list means that the store is healthy. */
  verify(options?: VerifyOptions): Promise<readonly Violation[]>
  /**
   * Interrupts the runs of this process, after `drainMs` to end by themselves if given; waits for them and closes the
   * store.
   */
  close(options?: Optional<{ readonly drainMs: number }>): Promise<void>
}

/** A conversation that began elsewhere. */
export type AdoptRequest = {
  /** Default: the default agent. */
  readonly agent?: string | undefined
  /** The directory in which the agent worked. */
  readonly workDir: string
  readonly model?: string | undefined
  /** The conversation so far, in order. */
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly text: string
    readonly tools?: Message['tools'] | undefined
  }[]
  /** The agent's own session that holds these messages. It is used only if its file begins with them. */
  readonly sessionId?: string | undefined
  /** Whose settings take part in its turns, unless a turn says otherwise. */
  readonly trust?: Trust | undefined
  /** What holds the processes of its turns, unless a turn says otherwise. */
  readonly sandbox?: SandboxMode | undefined
  /** What its turns get of the conversation, unless a turn says otherwise; default: as `resume.carry` says. */
  readonly carry?: Carry | undefined
  /** A conversation that is adopted again with the same key is the same thread. */
  readonly key?: RequestKey | undefined
}

/** A Reprise that holds the store itself. The daemon serves from it. */
export type LocalReprise = Reprise & {
  /** Gives events as they are stored. */
  readonly log: StoredLog
  /** The text of a run's answer; empty while there is none. */
  answerOf(run: Pick<Run, 'answerMessageId'>): Promise<string>
  /** Counts questions with this state, or all of them. */
  countQuestions(state?: QuestionState): Promise<number>
  /** Counts runs by status and decision. */
  countRuns(): Promise<readonly RunCount[]>
  /** Counts jobs by status. */
  countJobs(): Promise<readonly JobCount[]>
  /** Counts chains by status, and runs with their cost by policy and tier. */
  countChains(): Promise<ChainCounts>
  /** Lists checkpoints in every known repository, and in the repository around a directory. */
  keptCheckpoints(directory: string): Promise<readonly KeptCheckpoints[]>
  /** When the database of the store stopped answering, in milliseconds since 1970; `null` while it answers. */
  databaseAwaySince(): number | null
  /** The processes that this process keeps between turns; `null`: it keeps none. */
  warm(): Promise<WarmReport | null>
  /** Begins no more turns, jobs or scheduled chains: what waits is kept for the next process. Runs that are going go on. */
  beginNothing(): void
  /** How a turn of the thread would continue if it were sent now, without its price: quicker than a preview. Throws `not-found`. */
  nextDecision(threadId: string, options: TurnOptions): Promise<Decision>
  /** Says what a key was used for; `null` when it is new. Throws `conflict` when that was another request. */
  findRequest(key: Pick<RequestKey, 'key' | 'request'>): Promise<StoredRequest | null>
}
