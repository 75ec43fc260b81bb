// What the flows say to a tracing system, and the silence that is the default. Only this room knows what a span is.
import type { Run } from '../core/run/run.ts'
import type { TraceContext } from '../core/trace/trace-context.ts'

export type TracedSubmission = {
  readonly kind: 'job' | 'chain'
  readonly agent: string
  readonly threadId: string
  /** `active`: the active span of the caller. `null`: nobody asked for it now, so a trace of its own begins. */
  readonly parent: TraceContext | 'active' | null
}

export type SubmissionSpan = {
  /** What runs of the submission belong to. It is stored with the submission. */
  readonly trace: TraceContext | null
  /** Called when it is stored, with its id; with the id of an earlier one if the request was a repetition. */
  stored(id: string): void
}

export type Tracing = {
  /** The active span of the caller; `null` when there is none. */
  current(): TraceContext | null
  submit(submission: TracedSubmission): SubmissionSpan
  /** A run begins: gives the context that its agent may continue. Does nothing more when it is called again. */
  begin(run: Run): Promise<TraceContext | null>
  /**
   * The end of a run is stored. The process that stored it calls this, so each run is reported once, also after a crash.
   * `continues`: the next run belongs to the same turn, attempt or tier. Never rejects.
   */
  end(run: Run, told: { readonly continues: boolean }): Promise<void>
  /** Forgets what has begun on a thread and was not ended here: another process stores the end. */
  leave(threadId: string): void
  /** Sends what is left. */
  close(): Promise<void>
}

/** Nothing is loaded and nothing is read. A context that a caller named is kept for processes that do trace. */
export const NO_TRACING: Tracing = {
  current: () => null,
  submit: ({ parent }) => ({ trace: parent === 'active' ? null : parent, stored: () => {} }),
  begin: async () => null,
  end: async () => {},
  leave: () => {},
  close: async () => {},
}
