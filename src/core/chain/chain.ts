// A chain as it is stored, and how many there are.
import type { Mandate } from './policy.ts'
import type { ChainReason, ChainStatus } from './supervise.ts'

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

export type ChainCounts = {
  readonly chains: readonly { readonly status: ChainStatus; readonly chains: number }[]
  readonly tiers: readonly {
    readonly policy: string
    readonly tier: number
    readonly runs: number
    readonly costUsd: number
  }[]
}
