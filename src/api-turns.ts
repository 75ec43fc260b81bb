// What users send and what comes of it: the options of a turn, the turn under way, its result.
import type { Carry } from './core/chain/carry.ts'
import type { Optional } from './core/optional.ts'
import type { PermissionMode } from './core/run/permission-mode.ts'
import type { RequestKey } from './core/run/request-key.ts'
import type { Run } from './core/run/run.ts'
import type { RunEvent } from './core/run/run-events.ts'
import type { SandboxMode } from './core/run/sandbox.ts'
import type { Trust } from './core/run/trust.ts'
import type { TraceContext } from './core/trace/trace-context.ts'

/** How a turn is sent. What is left out is taken from the thread, else from the agent. */
export type TurnOptions = Optional<{
  /** The name of the agent; default: the agent of the thread. */
  readonly agent: string
  /** Default: the one in the config of the agent, else that of the session which continues, else the agent chooses. */
  readonly model: string
  /** The directory in which the agent works; default: that of the thread. */
  readonly workDir: string
  /** In the words of the agent; default: as the agent is configured. */
  readonly permissionMode: PermissionMode
  /** Tools that the agent may use without asking, as rules in its own words. */
  readonly allowedTools: readonly string[]
  /** Tools that the agent may not use, as rules in its own words. */
  readonly disallowedTools: readonly string[]
  /** Text for the system prompt. The thread keeps it until a turn brings another; an empty text clears it. */
  readonly instructions: string
  /** The agent stops by itself after this many model requests. */
  readonly maxTurns: number
  /** Reprise stops the run after this many dollars by list prices. The request under way comes on top. */
  readonly budgetUsd: number
  /** Whose settings take part in this turn; default: as the thread says, else the agent, else `project`. */
  readonly trust: Trust
  /** What holds the processes of this turn; default: as the thread says, else the agent, else `none`. */
  readonly sandbox: SandboxMode
  /** Does not resume a session: the agent gets the conversation so far in a new one. */
  readonly freshSession: boolean
  /**
   * What the agent gets of the conversation: the session as it is (`whole`), a copy of it with long outputs cut (`trimmed`), a note in a
   * new session (`note`), or the cheapest that loses nothing (`auto`); default: as the thread says, else `resume.carry`, else `whole`.
   */
  readonly carry: Carry
  /** `ask`: questions of the agent arrive as events and wait for `runs.answer`. `none` (default): the agent cannot ask. */
  readonly questions: 'ask' | 'none'
  /** While another run is going on the thread, the turn waits in the queue (default) or fails with `busy`. */
  readonly whenBusy: 'queue' | 'fail'
  /**
   * The message of the thread that the prompt follows; later messages are dropped. Throws `busy` while a run is
   * going, and `conflict` when the thread has changed, so that nobody continues from messages that they have not
   * seen.
   */
  readonly after: string
  /** A turn that is sent again with its key does not run again; its result is that of the first. */
  readonly key: RequestKey
  /** The trace that it belongs to; default: the active span, when telemetry is on. A malformed one is ignored. */
  readonly trace: TraceContext
  /** Aborting it cancels the turn. */
  readonly signal: AbortSignal
}>

/** How a turn would be sent. */
export type PreviewOptions = TurnOptions &
  Optional<{
    /** Its length counts for the estimate; with `retry`, the default is the text that is asked again. */
    readonly prompt: string
    /** The message that would be asked again, as `thread.retry` does. */
    readonly retry: string
  }>

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
  /** Resolves when the turn is over, also when it failed. Rejects when the turn was refused, or cancelled before it began. */
  readonly result: Promise<TurnResult>
  /** Ends the run with all its processes. */
  cancel(): Promise<void>
}
