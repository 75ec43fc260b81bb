// What is stored of chains, and what their supervisor is asked in the middle of a transaction.
import type { Mandate } from '../../core/chain/policy.ts'
import type { ChainFacts, ChainReason, ChainStatus, ChainStep } from '../../core/chain/supervise.ts'
import type { NewTurn, RequestKey, ThreadRecord } from './records.ts'

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
}

export type ChainRecord = {
  readonly id: string
  /** Its conversation. */
  readonly threadId: string
  readonly agent: string
  readonly workDir: string
  readonly prompt: string
  readonly mandate: Mandate
  readonly status: ChainStatus
  /** Where it is, or was when it ended; 0 when it was never let into the first. */
  readonly tier: number
  readonly because: ChainReason
  /** The schedule that started it. */
  readonly scheduleId: string | null
  readonly createdAt: number
  readonly endedAt: number | null
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

export type ChainCounts = {
  readonly chains: readonly { readonly status: ChainStatus; readonly chains: number }[]
  readonly tiers: readonly {
    readonly policy: string
    readonly tier: number
    readonly runs: number
    readonly costUsd: number
  }[]
}

export type ChainFilter = {
  readonly status?: ChainStatus
  readonly policy?: string
  /** Newest first; pass the last item's id to go on. */
  readonly cursor?: string
  readonly limit: number
}
