// A schedule: a chain that is started again and again.

import type { Recurrence } from '../job/recurrence.ts'
import type { Workspace } from '../run/workspace.ts'
import type { Policy } from './policy.ts'

/** The chain that a schedule starts. */
export type ScheduledChain = {
  /** The policy as it was when the schedule was made. */
  readonly policy: Policy
  readonly prompt: string
  /** `null`: each chain works in a work tree of its repository. */
  readonly workDir: string | null
  /** The repository in which its chains work, each from the commit that the ref has then; `null`: in the directory. */
  readonly workspace: Workspace | null
  /** The host that has the directory; `null` for a repository, and for schedules of earlier versions. */
  readonly host: string | null
  /** The directory shared by several hosts that holds the work dir. */
  readonly sharedRoot: string | null
  readonly agent: string
  readonly maxTier: number | null
  readonly dryRun: boolean
  readonly budgetUsd: number | null
}

/** A chain that is repeated. */
export type Schedule = ScheduledChain & {
  readonly id: string
  readonly recurrence: Recurrence
  /** When the next chain starts, in milliseconds since 1970. */
  readonly nextAt: number
  /** The chain that it started last. */
  readonly lastChainId: string | null
  /** How many times no chain started because the one before was still running. */
  readonly skipped: number
  readonly lastSkippedAt: number | null
  readonly createdAt: number
}
