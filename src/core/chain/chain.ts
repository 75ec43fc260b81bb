// A chain as it is stored, and how many there are.
import type { Workspace } from '../run/workspace.ts'
import type { Mandate } from './policy.ts'
import type { ChainReason, ChainStatus } from './supervise.ts'

/** A chain as it is stored, without its runs. */
export type ChainRecord = {
  readonly id: string
  /** The thread that holds its conversation. */
  readonly threadId: string
  /** The agent of the tiers that name none. */
  readonly agent: string
  /** For a repository: the work tree of the host that made one last. */
  readonly workDir: string
  /** The host whose path `workDir` is; `null`: any host, or not known. */
  readonly host: string | null
  /** The repository that each host checks out for itself; `null`: `workDir` is a directory of `host`. */
  readonly workspace: Workspace | null
  readonly prompt: string
  readonly mandate: Mandate
  readonly status: ChainStatus
  /** The tier of the chain, also after its end; 0 when it never entered the first. */
  readonly tier: number
  /** Why the chain has this status. */
  readonly because: ChainReason
  /** The schedule that started it; `null` when a user did. */
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
    /** `null`: no run reports its cost. */
    readonly costUsd: number | null
  }[]
}
