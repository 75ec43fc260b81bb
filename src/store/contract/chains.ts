// What a store does for chains, and what their supervisor is asked in the middle of a transaction.
import type { ChainCounts, ChainRecord } from '../../core/chain/chain.ts'
import type { ChainFacts, ChainStatus, ChainStep } from '../../core/chain/supervise.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Run } from '../../core/run/run.ts'
import type { WaitReason } from '../../core/run/wait-reason.ts'
import type { Lease } from './leases.ts'
import type { NewTurn } from './queue.ts'

export type Supervise = (facts: ChainFacts) => ChainMove

/** A step, and for one that goes on: the turn it goes on with. */
export type ChainMove = { readonly step: ChainStep; readonly next: NewTurn | null }

/** How a chain that was over goes on. */
export type Resumption = {
  readonly from: 'held' | 'broken-off'
  /** The last run of the chain, as the caller has seen it; somebody else was faster when it is another. */
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
  /** Asked in the transaction that creates the chain, as for a run that has ended in tier 0. */
  readonly supervise: Supervise
  readonly key?: RequestKey
}

export type ChainFilter = {
  readonly status?: ChainStatus
  readonly policy?: string
  /** Newest first; pass the last item's id to go on. */
  readonly cursor?: string
  readonly limit: number
}

export type ChainVerbs = {
  /**
   * Thread, chain and first run together. `run` is null when the chain is not let into its first tier.
   * Without `leaseMs` the run is only queued, and waits for `noSlot`.
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
  /** A chain goes on: asked again in one transaction, as when its last run had ended. Gives the run, if there is one. */
  resumeChain(
    id: string,
    resumption: Resumption,
  ): Promise<{ readonly step: ChainStep; readonly run: Run | null }>
  chain(id: string): Promise<ChainRecord | null>
  /** In the order they were made. */
  runsOfChain(id: string): Promise<readonly Run[]>
  listChains(filter: ChainFilter): Promise<readonly ChainRecord[]>
  /** By status, and what their ended runs cost by policy and tier. */
  countChains(): Promise<ChainCounts>
}
