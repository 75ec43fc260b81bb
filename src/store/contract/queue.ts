// What a store does for turns that wait: queued, claimed, cancelled, taken over from a dead process.
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Failure, Run, RunStatus, TurnLimits } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import type { TraceContext } from '../../core/trace/trace-context.ts'
import type { Lease, Owner } from './leases.ts'
import type { BranchChange } from './threads.ts'

export type NewTurn = {
  readonly run: Pick<
    Run,
    | 'id'
    | 'agent'
    | 'model'
    | 'threadId'
    | 'workDir'
    | 'permissionMode'
    | 'allowedTools'
    | 'disallowedTools'
    | 'trust'
    | 'sandboxWanted'
    | 'freshSession'
    | 'questions'
  > &
    Partial<Pick<Run, 'chainId' | 'tier' | 'parentRunId' | 'attempt'>>
  /** The job of which this run is an attempt. */
  readonly job?: { readonly id: string; readonly attempt: number }
  readonly message: Message
  readonly owner: Owner
  /** New instructions for the thread and this run; an empty text clears them. Absent: the thread's own apply. */
  readonly instructions?: string
  readonly limits?: TurnLimits
  /** New values for the thread. */
  readonly thread?: Pick<ThreadRecord, 'title' | 'agent' | 'workDir' | 'host'>
  /** The branch from which the turn continues, if it is not the thread's own (retry). */
  readonly branch?: BranchChange
  readonly key?: RequestKey
  /** The trace that a turn of a thread belongs to. Jobs and chains store theirs once. */
  readonly trace?: TraceContext | null
}

export type Claim =
  | { readonly state: 'claimed'; readonly lease: Lease }
  /** `holder`: the run that holds the thread, or is queued before this one. */
  | { readonly state: 'busy'; readonly holder: string }
  /** It was cancelled or recovered while it waited. */
  | { readonly state: 'ended'; readonly status: RunStatus }

export type OrphanCandidate = {
  readonly run: Run
  readonly owner: Owner
  /** By the database's clock: the lease of the run is over, or the process of a queued one has been silent for too long. */
  readonly expired: boolean
}

export type TurnVerbs = {
  /**
   * Stores the prompt, the queued run and the branch from which they continue together: the acknowledgement.
   * With a key that was used before, gives the run of that time. When the turn has to wait, because the thread is busy or
   * for `noSlot`, its `queued` event is stored with it.
   */
  submitTurn(turn: NewTurn, now: number, noSlot?: WaitReason): Promise<Run>
  /** `submitTurn` and `claimTurn` in one transaction. `lease` is null when the turn has to wait, or was there before. */
  submitAndClaim(
    turn: NewTurn,
    now: number,
    leaseMs: number,
  ): Promise<{ readonly run: Run; readonly lease: Lease | null }>
  /** Takes the thread's lease if the run is first in the queue and no run holds the thread. One conditional update. */
  claimTurn(runId: string, owner: Owner, leaseMs: number): Promise<Claim>
  /** Gives the run that holds the thread, or else the first one in its queue. */
  firstInLine(threadId: string): Promise<string | null>
}

export type QueueVerbs = {
  /**
   * A process on one of several hosts whose turns wait says that it lives, again and again: when it is silent for too long
   * (`aliveMs`), its queued turns have expired. A turn that has to wait says so when it is stored.
   */
  sayWaiting(owner: Owner, aliveMs?: number): Promise<void>
  /**
   * Ends a queued or parked run at once (`cancelled`); the process of a running one sees the request in `renewLease`.
   * Gives the status seen.
   */
  requestCancel(runId: string, now: number): Promise<RunStatus | null>
  /** Ends a queued run whose owner died before its turn came; the prompt stays stored. */
  abandonQueued(runId: string, dead: Owner, failure: Failure, now: number): Promise<boolean>
  /** Gives a dead owner's queued run a new owner, at the same place in the queue, and frees the leases of the run. */
  adoptQueued(runId: string, dead: Owner, owner: Owner): Promise<boolean>
}

export type RecoveryVerbs = {
  /** Gives open runs, except parked ones, in the order of the queue; the caller knows which owners are dead. */
  openRuns(): Promise<readonly OrphanCandidate[]>
  /** Takes the lease of a dead owner's running run with a new token; null when somebody else was faster. */
  takeOver(runId: string, dead: Owner, owner: Owner, leaseMs: number): Promise<Lease | null>
}
