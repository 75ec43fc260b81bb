// What an engine needs of a store on one machine: work that is to be handed out, once at a time.
import type { Owner } from './leases.ts'

export type NewWork = {
  readonly queue: string
  readonly id: string
  /** At most `perKey` of the same key are out at a time; `null`: any number. */
  readonly key: string | null
  readonly perKey: number
  /** Higher first; equal ones in the order they came. */
  readonly priority: number
  readonly notBefore: number
  /** How often in a row a delivery may fail or be lost before the work is dead. */
  readonly retryLimit: number
}

/** Work in somebody's hands. `delivery` fences: it grows each time the work is handed out. */
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

/** A transaction of the store that is still open, as an engine sees it. */
export type OpenTransaction = Pick<WorkVerbs, 'enqueueWork'>

/**
 * Made by the engine, called by the store in the middle of a verb: the work that it stores commits with that verb, or
 * not at all. It may use nothing of the store but the transaction.
 */
export type Enlistment = (transaction: OpenTransaction) => Promise<unknown>

export type WorkVerbs = {
  /**
   * Stores work; what is known already is not stored twice. Waiting work becomes due at the earlier time; work in
   * somebody's hands is handed out again after that; dead work comes back to life.
   */
  enqueueWork(work: NewWork, now: number): Promise<'new' | 'known'>
  /** The next that is due, by priority and order, within the limits of its key. One conditional update. */
  dequeueWork(taking: {
    readonly queue: string
    readonly owner: Owner
    readonly beatMs: number
    readonly now: number
  }): Promise<Delivered | null>
  /** Says that it is still in good hands; throws `lease-lost` when it no longer is. */
  beatWork(work: Delivered, beatMs: number): Promise<{ readonly cancelRequested: boolean }>
  /** False when somebody else has it by now: then nothing changes. */
  endWork(work: Delivered, end: WorkEnd): Promise<boolean>
  /** All that is out; `expired` by the database's clock. */
  workInHands(
    queue: string,
  ): Promise<readonly { readonly work: Delivered; readonly expired: boolean }[]>
  /** When the next of a queue becomes due; `null` when nothing waits. */
  nextWorkAt(queue: string): Promise<number | null>
  /** Waiting and dead work goes; who has it in hands is told with the next beat. */
  cancelWork(queue: string, id: string): Promise<'gone' | 'told' | 'unknown'>
  deadWork(queue: string, limit: number): Promise<readonly DeadWork[]>
}
