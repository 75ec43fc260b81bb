// The contract of an engine: hand this out, now or later, one at a time, at most so many per key. It knows nothing of what it hands out.
import type { Enlistment } from '../store/contract/work.ts'

export type Work = {
  readonly queue: string
  readonly id: string
  readonly key?: string | null
  /** How many of the same key may be out at a time; 1 when nothing is said. */
  readonly perKey?: number
  /** Higher first. */
  readonly priority?: number
  /** Milliseconds since 1970; at once when nothing is said. */
  readonly notBefore?: number
  /** How often in a row it may fail or be lost before it is dead; the engine's own limit when nothing is said. */
  readonly retryLimit?: number
}

export type Delivery = {
  readonly id: string
  readonly key: string | null
  /** Deliveries before this one that failed or were lost in a row. */
  readonly failures: number
  /** Aborted when it was cancelled, taken over by others, or the engine closes; `reason` says which. */
  readonly signal: AbortSignal
}

export type AbortReason = 'cancelled' | 'lost' | 'closing'

export type Handled = { readonly next: 'done' } | { readonly next: 'again'; readonly at: number }

/** May be called again for the same id after a crash: what it does must bear that. A throw is a failure. */
export type Handler = (delivery: Delivery) => Promise<Handled>

export type Engine = {
  /** Answered is stored. Work that is known is not doubled: it becomes due at the earlier time. */
  dispatch(work: Work): Promise<'new' | 'known'>
  /**
   * The same as `dispatch`, in a transaction of the store: the work is there exactly when what it stands for is.
   * Call `wake` once the transaction has ended.
   */
  enlist(work: Work): Enlistment
  /** Wakes the consumers of a queue after work was enlisted. */
  wake(queue: string): void
  /** One handler per queue and engine. */
  consume(queue: string, handler: Handler, options: { readonly concurrency: number }): Consumer
  /** What waits will not be handed out; who works on it is told through the signal. */
  cancel(queue: string, id: string): Promise<'gone' | 'told' | 'unknown'>
  /** Work that failed or was lost too often; `dispatch` brings it back to life. */
  dead(
    queue: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly error: string }[]>
  close(): Promise<void>
}

export type Consumer = {
  /** How many are being handled now. */
  readonly active: number
  /** Takes no more; what is being handled is told, and waited for. */
  close(): Promise<void>
}
