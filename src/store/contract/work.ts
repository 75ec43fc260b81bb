// What an engine on one machine needs of a store: work to hand out, to one worker at a time.
import type { Owner } from './leases.ts'

export type NewWork = {
  readonly queue: string
  readonly id: string
  /** At most `perKey` items with the same key are handed out at a time; `null`: any number. */
  readonly key: string | null
  readonly perKey: number
  /** Which workers may have it (core/job/lane.ts); '': all of them. */
  readonly lane: string
  /** Higher first; equal priorities in the order of arrival. */
  readonly priority: number
  readonly notBefore: number
  /** How often in a row a delivery may fail or be lost before the work is dead. */
  readonly retryLimit: number
  /** The id was made for this work, so nothing of it can be there; work of the same id is found all the same. */
  readonly isFresh?: boolean
}

/** Work that a worker has. `delivery` fences: it grows each time the work is handed out. */
export type Delivered = Pick<NewWork, 'queue' | 'id' | 'key'> & {
  readonly delivery: number
  /** What the keeper of the work calls it, where that is not its id. */
  readonly handle?: string
  readonly failures: number
  readonly owner: Owner
}

export type WorkEnd =
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly at: number }
  | { readonly next: 'failed'; readonly error: string; readonly retryAt: number }

export type DeadWork = Pick<NewWork, 'queue' | 'id' | 'key'> & { readonly error: string }

/** Work that waits because its last delivery failed or was lost. */
export type FailedWork = {
  readonly id: string
  /** How many deliveries in a row. */
  readonly failures: number
  readonly error: string
  /** When it is handed out again, in milliseconds since 1970. */
  readonly at: number
}

/** Runs SQL with values for `$1`, `$2` and so on, and gives its rows. */
export type RunSql = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** What an engine may use of an open transaction of the store. */
export type OpenTransaction = Pick<WorkVerbs, 'enqueueWork' | 'cancelWork'> & {
  /** For an engine with tables of its own in the same database. */
  readonly run: RunSql
}

/** The database of a store on a server, for an engine that keeps its work there: connections beside those of the store. */
export type WorkDatabase = {
  readonly run: RunSql
  transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T>
  /** Calls the listener with what any process notifies on the channel, and with `null` when something may have been missed. */
  listen(channel: string, listener: (said: string | null) => void): () => void
}

/**
 * The engine makes it, and the store calls it in the middle of a verb: what it stores or cancels commits with that
 * verb, or not at all. It may use only the transaction, nothing else of the store.
 */
export type Enlistment = (transaction: OpenTransaction) => Promise<unknown>

export type WorkVerbs = {
  /**
   * Stores work, but known work not twice. Waiting work becomes due at the earlier of both times; work that a
   * worker has is handed out again after that; dead work waits again. Its lane is the latest one.
   */
  enqueueWork(work: NewWork, now: number): Promise<'new' | 'known'>
  /** Takes the next due work of these lanes, by priority and order, within the limits of its key. One conditional update. */
  dequeueWork(taking: {
    readonly queue: string
    readonly owner: Owner
    readonly beatMs: number
    readonly now: number
    /** Default: all. */
    readonly lanes?: readonly string[] | undefined
  }): Promise<Delivered | null>
  /** Takes up to so much at once, where one call for each would be slow. */
  dequeueMany?(
    taking: Parameters<WorkVerbs['dequeueWork']>[0] & { readonly most: number },
  ): Promise<readonly Delivered[]>
  /** The worker's heartbeat; throws `lease-lost` when another worker has the work. */
  beatWork(work: Delivered, beatMs: number): Promise<{ readonly cancelRequested: boolean }>
  /** False when another worker has the work by now; then nothing changes. */
  endWork(work: Delivered, end: WorkEnd): Promise<boolean>
  /** All work that workers have; `expired` by the database's clock. */
  workInHands(
    queue: string,
  ): Promise<readonly { readonly work: Delivered; readonly expired: boolean }[]>
  /** When the next work of a queue becomes due, in these lanes or in any; `null` when nothing waits there. */
  nextWorkAt(queue: string, lanes?: readonly string[]): Promise<number | null>
  /** The lanes of the work that waits, each once. Its cost grows with the number of lanes, not with that of work. */
  waitingLanes(queue: string): Promise<readonly string[]>
  /** Removes waiting and dead work; a worker that has the work sees the cancel at its next heartbeat. */
  cancelWork(queue: string, id: string): Promise<'gone' | 'requested' | 'unknown'>
  deadWork(queue: string, limit: number): Promise<readonly DeadWork[]>
  /** Gives those of the ids whose work waits or is in the hands of a worker. Dead work does not count. */
  liveWork(queue: string, ids: readonly string[]): Promise<readonly string[]>
  /** Gives the work of this id if it waits because it failed. */
  failedWork(queue: string, id: string): Promise<FailedWork | null>
}
