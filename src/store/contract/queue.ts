// What a store does for turns that wait: queued, claimed, cancelled, taken over from a dead process.
import type { Message } from '../../core/conversation/messages.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Failure, Run, RunStatus, TurnLimits } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
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
  /** The job it is an attempt of. */
  readonly job?: { readonly id: string; readonly attempt: number }
  readonly message: Message
  readonly owner: Owner
  /** The thread's from now on; an empty text clears them. Left out: those that the thread has. Kept with the run too. */
  readonly instructions?: string
  readonly limits?: TurnLimits
  /** What the thread has from now on. */
  readonly thread?: Pick<ThreadRecord, 'title' | 'agent' | 'workDir'>
  /** The branch that the turn goes on from, when it is not the thread's own (retry). */
  readonly branch?: BranchChange
  readonly key?: RequestKey
}

export type Claim =
  | { readonly state: 'claimed'; readonly lease: Lease }
  /** `holder`: the run that is going or queued before this one. */
  | { readonly state: 'busy'; readonly holder: string }
  /** It was cancelled or recovered while it waited. */
  | { readonly state: 'ended'; readonly status: RunStatus }

export type OrphanCandidate = {
  readonly run: Run
  readonly owner: Owner
  readonly expired: boolean
}

export type TurnVerbs = {
  /**
   * Stores prompt and queued run together, with the branch that they go on from: the acknowledgement.
   * With a key that was used before: the run of that time. When the turn has to wait, because the thread is busy or
   * for `noSlot`, its `queued` event is stored with it.
   */
  submitTurn(turn: NewTurn, now: number, noSlot?: WaitReason): Promise<Run>
  /** `submitTurn` and `claimTurn` in one transaction. `lease` is null when the turn has to wait, or was there before. */
  submitAndClaim(
    turn: NewTurn,
    now: number,
    leaseMs: number,
  ): Promise<{ readonly run: Run; readonly lease: Lease | null }>
  /** First of the thread's queue, and nobody runs: takes the thread's lease. One conditional update. */
  claimTurn(runId: string, owner: Owner, leaseMs: number): Promise<Claim>
  /** Who is going on the thread, or else who is the first of its queue. */
  firstInLine(threadId: string): Promise<string | null>
}

export type QueueVerbs = {
  /** A queued run, or one whose process is gone, ends at once (`cancelled`); a running one is told through `renewLease`. Gives the status seen. */
  requestCancel(runId: string, now: number): Promise<RunStatus | null>
  /** Ends a queued run whose owner died before its turn came; the prompt stays stored. */
  abandonQueued(runId: string, dead: Owner, failure: Failure, now: number): Promise<boolean>
  /** Gives a queued run of a dead owner another one, at the same place of the queue; what the dead one held for it is free. */
  adoptQueued(runId: string, dead: Owner, owner: Owner): Promise<boolean>
}

export type RecoveryVerbs = {
  /** Runs that are queued or going, with who holds them, as they stand in line; the caller knows which owners are dead. */
  openRuns(): Promise<readonly OrphanCandidate[]>
  /** Takes the lease of a dead owner's running run with a new token; null when somebody else was faster. */
  takeOver(runId: string, dead: Owner, owner: Owner, leaseMs: number): Promise<Lease | null>
}
