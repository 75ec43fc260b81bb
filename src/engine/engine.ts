// The contract of an engine: it hands out work, now or later, once at a time, with a limit per key, and does not know what it is.
import type { Enlistment, FailedWork } from '../store/contract/work.ts'

export type Work = {
  readonly queue: string
  readonly id: string
  readonly key?: string | null
  /** How many items with the same key may be handed out at a time; default: 1. */
  readonly perKey?: number
  /** Which consumers may have it: those that take its lane (core/job/lane.ts); default: '', all of them. */
  readonly lane?: string
  /** Higher first. */
  readonly priority?: number
  /** Milliseconds since 1970; default: at once. */
  readonly notBefore?: number
  /** How often in a row the work may fail or be lost before it is dead; default: the engine's own limit. */
  readonly retryLimit?: number
  /** The id was made for this work just now. It saves a look for known work of that id. */
  readonly isFresh?: boolean
}

export type Delivery = {
  readonly id: string
  readonly key: string | null
  /** How many deliveries in a row failed or were lost before this one. */
  readonly failures: number
  /** Aborted when the work was cancelled, another worker took it over, or the engine closes; `reason` says which. */
  readonly signal: AbortSignal
}

export type AbortReason = 'cancelled' | 'lost' | 'closing'

export type Handled = { readonly next: 'done' } | { readonly next: 'again'; readonly at: number }

/** The engine may call it again for the same id after a crash, so it must be safe to repeat. A throw counts as a failure. */
export type Handler = (delivery: Delivery) => Promise<Handled>

export type ConsumeOptions = {
  /** How much work is handled at a time, over all lanes. */
  readonly concurrency: number
  /** Asked each time before work is taken, so what a consumer takes may change meanwhile; default: every lane. */
  takes?(lane: string): boolean
}

export type Engine = {
  /** When it has answered, the work is stored. Known work is not stored twice: it becomes due at the earlier time, in the new lane. */
  dispatch(work: Work): Promise<'new' | 'known'>
  /**
   * The same as `dispatch`, in a transaction of the store: the work is stored exactly if that transaction commits.
   * Call `wake` once the transaction has ended.
   */
  enlist(work: Work): Enlistment
  /**
   * The same as `cancel`, in a transaction of the store: the work is cancelled exactly if that transaction commits. The
   * signal of a handler that is at work aborts at its next heartbeat.
   */
  enlistCancel(queue: string, id: string): Enlistment
  /** Wakes the consumers of a queue after work was enlisted. */
  wake(queue: string): void
  /** One handler per queue and engine. */
  consume(queue: string, handler: Handler, options: ConsumeOptions): Consumer
  /** `gone`: the work waited and is never handed out. `requested`: it is being handled, and the handler's signal aborts. */
  cancel(queue: string, id: string): Promise<'gone' | 'requested' | 'unknown'>
  /** Gives those of the ids for which it has work that waits or is being handled. Dead work does not count. */
  having(queue: string, ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Gives the work of this id if it waits because its last delivery failed or was lost; `null`: it does not. */
  failed(queue: string, id: string): Promise<FailedWork | null>
  /** Work that failed or was lost too often; `dispatch` makes it wait again. */
  dead(
    queue: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly error: string }[]>
  close(): Promise<void>
}

export type Consumer = {
  /** How much work is being handled now. */
  readonly active: number
  /** Takes no more work, aborts the signals of the running handlers and waits for them. */
  close(): Promise<void>
}
