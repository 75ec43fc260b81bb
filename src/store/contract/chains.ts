// What a store does for chains, and what it asks their supervisor in the middle of a transaction.
import type { ChainCounts, ChainRecord } from '../../core/chain/chain.ts'
import type { ChainFacts, ChainStatus, ChainStep } from '../../core/chain/supervise.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Run } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import type { TraceContext } from '../../core/trace/trace-context.ts'
import type { Lease } from './leases.ts'
import type { NewTurn } from './queue.ts'

export type Supervise = (facts: ChainFacts) => ChainMove

/** A step, and the next turn if the chain goes on. */
export type ChainMove = { readonly step: ChainStep; readonly next: NewTurn | null }

/** How a chain that was over goes on. */
export type Resumption = {
  readonly from: 'held' | 'broken-off'
  /** The last run of the chain that the caller has seen. If the store has a later one, somebody else was faster. */
  readonly after: string | null
  readonly supervise: Supervise
  readonly at: number
  /** Why its run has to wait. */
  readonly noSlot?: WaitReason
}

export type NewChain = Pick<
  ChainRecord,
  'id' | 'agent' | 'workDir' | 'prompt' | 'mandate' | 'scheduleId' | 'createdAt'
> & {
  readonly thread: ThreadRecord
  /** The store calls it in the transaction that creates the chain, as if a run had ended in tier 0. */
  readonly supervise: Supervise
  readonly key?: RequestKey
  /** The trace that its tiers belong to. */
  readonly trace?: TraceContext | null
}

export type ChainFilter = {
  readonly status?: ChainStatus
  readonly policy?: string
  /** Only chains that were started at this time or later. */
  readonly since?: number
  /** Newest first; pass the last item's id to get the next page. */
  readonly cursor?: string
  readonly limit: number
}

export type ChainVerbs = {
  /**
   * Stores thread, chain and first run together. `run` is null when the chain may not enter its first tier.
   * Without `leaseMs` the run is only queued, for the reason `noSlot`.
   */
  startChain(
    chain: NewChain,
    leaseMs: number | null,
    noSlot?: WaitReason,
  ): Promise<{
    readonly chain: ChainRecord
    readonly run: Run | null
    readonly lease: Lease | null
  }>
  /** Lets a chain go on: asks the supervisor again, as after its last run, in one transaction. Gives the new run, if any. */
  resumeChain(
    id: string,
    resumption: Resumption,
  ): Promise<{ readonly step: ChainStep; readonly run: Run | null }>
  /** What the supervisor would be told if the chain went on now. Nothing is locked, so a chain must not move by it. */
  chainFacts(id: string, now: number): Promise<ChainFacts>
  chain(id: string): Promise<ChainRecord | null>
  /** Oldest first. */
  runsOfChain(id: string): Promise<readonly Run[]>
  listChains(filter: ChainFilter): Promise<readonly ChainRecord[]>
  /** Counts chains by status, and sums the cost of their ended runs by policy and tier. */
  countChains(): Promise<ChainCounts>
}
