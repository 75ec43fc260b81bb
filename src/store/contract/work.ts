// What an engine on one machine needs of a store: work to hand out, to one worker at a time.
import type { Owner } from './leases.ts'

export type NewWork = {
  readonly queue: string
  readonly id: string
  /** At most `perKey` items with the same key are handed out at a time; `null`: any number. */
  readonly key: string | null
  readonly perKey: number
  /** Higher first; equal priorities in the order of arrival. */
  readonly priority: number
  readonly notBefore: number
  /** How often in a row a delivery may fail or be lost before the work is dead. */
  readonly retryLimit: number
}

/** Work that a worker has. `delivery` fences: it grows each time the work is handed out. */
export type Delivered = Pick<NewWork, 'queue' | 'id' | 'key'> & {
  readonly delivery: number
  readonly failures: number
  readonly owner: Owner
}

export type WorkEnd =
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly at: number }
  | { readonly next: 'failed'; readonly error: string; readonly retryAt: number }

export type DeadWork = Pick<NewWork, 'queue' | 'id' | 'key'> & { readonly error: string }

/** What an engine may use of an open transaction of the store. */
export type OpenTransaction = Pick<WorkVerbs, 'enqueueWork' | 'cancelWork'>

/**
 * The engine makes it, and the store calls it in the middle of a verb: what it stores or cancels commits with that
 * verb, or not at all. It may use only the transaction, nothing else of the store.
 */
export type Enlistment = (transaction: OpenTransaction) => Promise<unknown>

export type WorkVerbs = {
  /**
   * Stores work, but known work not twice. Waiting work becomes due at the earlier of both times; work that a
   * worker has is handed out again after that; dead work waits again.
   */
  enqueueWork(work: NewWork, now: number): Promise<'new' | 'known'>
  /** Takes the next due work, by priority and order, within the limits of its key. One conditional update. */
  dequeueWork(taking: {
    readonly queue: string
    readonly owner: Owner
    readonly beatMs: number
    readonly now: number
  }): Promise<Delivered | null>
  /** The worker's heartbeat; throws `lease-lost` when another worker has the work. */
  beatWork(work: Delivered, beatMs: number): Promise<{ readonly cancelRequested: boolean }>
  /** False when another worker has the work by now; then nothing changes. */
  endWork(work: Delivered, end: WorkEnd): Promise<boolean>
  /** All work that workers have; `expired` by the database's clock. */
  workInHands(
    queue: string,
  ): Promise<readonly { readonly work: Delivered; readonly expired: boolean }[]>
  /** When the next work of a queue becomes due; `null` when nothing waits. */
  nextWorkAt(queue: string): Promise<number | null>
  /** Removes waiting and dead work; a worker that has the work sees the cancel at its next heartbeat. */
  cancelWork(queue: string, id: string): Promise<'gone' | 'requested' | 'unknown'>
  deadWork(queue: string, limit: number): Promise<readonly DeadWork[]>
  /** Gives those of the ids whose work waits or is in the hands of a worker. Dead work does not count. */
  liveWork(queue: string, ids: readonly string[]): Promise<readonly string[]>
}
