// What a store does for threads and their branches.
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadFilter, ThreadRecord, ThreadSummary } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Enlistment } from './work.ts'

/** A list of messages that replaces the branch, if the branch still is `expected`. */
export type BranchChange = {
  readonly threadId: string
  readonly branchId: string
  readonly expected: readonly string[]
  readonly messages: readonly Message[]
}

export type ThreadQuery = ThreadFilter & { readonly cursor?: string; readonly limit: number }

export type ThreadVerbs = {
  /** Gives the id of the thread; with a key that was used before, the id of the thread created then. */
  createThread(
    thread: ThreadRecord,
    messages: readonly Message[],
    key?: RequestKey,
  ): Promise<string>
  thread(id: string): Promise<ThreadRecord | null>
  /** Lists threads, the latest used first. */
  listThreads(query: ThreadQuery): Promise<readonly ThreadSummary[]>
  countThreads(filter: ThreadFilter): Promise<number>
  /** Gives a thread another title; it counts as no use of the thread. False when there is no such thread. */
  renameThread(change: {
    readonly id: string
    readonly title: string
    readonly now: number
  }): Promise<boolean>
  /**
   * Stores the commit from which every host begins, unless another host was faster, and gives the stored one. `null`
   * when there is no such thread or it works in a directory.
   */
  settleCommit(found: {
    readonly threadId: string
    readonly commit: string
  }): Promise<string | null>
  /**
   * Throws `busy` while a run of the thread is open, or its job is running. False when there is no such thread.
   * In the same transaction, `enlist` cancels the work by which the engine hands out the thread's job.
   */
  removeThread(id: string, enlist?: Enlistment): Promise<boolean>
  /** Those of the threads that this store had and that were removed. A thread that it never had is none of them. */
  removedThreads(ids: readonly string[]): Promise<readonly string[]>
}

export type BranchVerbs = {
  branch(threadId: string): Promise<readonly Message[]>
  message(id: string): Promise<Message | null>
  /** The thread to which a message belongs, even if no branch lists it any more. */
  threadOfMessage(messageId: string): Promise<string | null>
  /**
   * Replaces the branch by another list of messages and stores the new ones; the old list is kept.
   * Throws `busy` while a run of the thread is open; `conflict` when the branch is no longer `expected`.
   */
  replaceBranch(change: BranchChange & { readonly now: number }): Promise<void>
}

export type VersionVerbs = {
  /** For each message of the branch that has other versions: the ids of all of them, in the order they were written. */
  versions(threadId: string): Promise<readonly (readonly string[])[]>
  /**
   * Makes the branch that holds the message the current one; of several, the one that was written to last. Throws
   * `busy` while a run of the thread is open; `not-found` when no branch of the thread holds the message.
   */
  selectMessage(choice: {
    readonly threadId: string
    readonly messageId: string
    readonly now: number
  }): Promise<void>
}
