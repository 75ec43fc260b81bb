// What a store does for threads and their branches.
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadKind, ThreadRecord, ThreadSummary } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'

/** Another list of messages in place of the branch, as long as that still is `expected`. */
export type BranchChange = {
  readonly threadId: string
  readonly branchId: string
  readonly expected: readonly string[]
  readonly messages: readonly Message[]
}

export type ThreadVerbs = {
  /** Gives the id of the thread: with a key that was used before, of the one that was created then. */
  createThread(
    thread: ThreadRecord,
    messages: readonly Message[],
    key?: RequestKey,
  ): Promise<string>
  thread(id: string): Promise<ThreadRecord | null>
  listThreads(query: {
    readonly text?: string
    /** Only people's own unless another kind is asked for. */
    readonly kind?: ThreadKind
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly ThreadSummary[]>
  /** Refused with `busy` while a run is going or queued, or its job is going. Gives false when there is no such thread. */
  removeThread(id: string): Promise<boolean>
}

export type BranchVerbs = {
  branch(threadId: string): Promise<readonly Message[]>
  message(id: string): Promise<Message | null>
  /** Thread a message belongs to, also when it is on no branch any more. */
  threadOfMessage(messageId: string): Promise<string | null>
  /**
   * Puts another list of messages in place of the branch (new ones are stored first); the old list is kept.
   * `busy` while a run is going or queued on the thread; `conflict` when the branch is no longer `expected`.
   */
  replaceBranch(change: BranchChange & { readonly now: number }): Promise<void>
}
