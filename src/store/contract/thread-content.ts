// What a store does for threads that leave and enter as one file.
import type { Message } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import type { ThreadImport, ThreadRecord } from '../../core/conversation/thread.ts'
import type { Run } from '../../core/run/run.ts'
import type { SentPrompt } from '../../core/run/sent-prompt.ts'
import type { StoredEvent } from '../../core/run/stored-events.ts'

/** A list of messages of a thread; one of them is the current one. */
export type StoredBranch = {
  readonly id: string
  readonly createdAt: number
  readonly messageIds: readonly string[]
}

/** Everything that a store knows about a thread, except the events of its runs. */
export type ThreadContent = {
  readonly thread: ThreadRecord
  /** The current branch. */
  readonly branchId: string
  readonly branches: readonly StoredBranch[]
  readonly messages: readonly Message[]
  /** In the order in which they were stored. All of them have ended. */
  readonly runs: readonly Run[]
  readonly prompts: readonly (SentPrompt & { readonly runId: string })[]
  readonly sessions: readonly Session[]
}

export type ThreadArrival = {
  readonly content: ThreadContent
  readonly imported: ThreadImport
  /** A file or thread that comes in again has the same key. */
  readonly key: string
  /** Of all runs, in the order of their `seq`; called inside the transaction, perhaps more than once. */
  events(): AsyncIterable<readonly StoredEvent[]>
}

/** A pair of keys (Ed25519), as text. */
export type StoreKey = { readonly privateKey: string; readonly publicKey: string }

export type ThreadContentVerbs = {
  /** Reads one moment of the thread. Throws `busy` while a run of it is open; `null` when there is no such thread. */
  threadContent(id: string): Promise<ThreadContent | null>
  /** Stores the whole thread in one transaction. Gives its id, or the id of the thread that came in with the same key. */
  importThread(arrival: ThreadArrival): Promise<string>
  /** The thread that came in with this key. */
  threadOfImport(key: string): Promise<string | null>
  /** Lets an imported thread be continued and changed. False when there is no such thread, or it began here. */
  approveThread(approval: { readonly id: string; readonly at: number }): Promise<boolean>
  /** The key of this store; the first call stores what `make` gives. */
  storeKey(make: () => StoreKey, now: number): Promise<StoreKey>
}
