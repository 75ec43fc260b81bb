// A schedule: a chain that is started again and again.

import type { Recurrence } from '../job/recurrence.ts'
import type { Policy } from './policy.ts'

export type ScheduledChain = {
  /** As it was when the schedule was made. */
  readonly policy: Policy
  readonly prompt: string
  readonly workDir: string
  readonly agent: string
  readonly maxTier: number | null
  readonly dryRun: boolean
  readonly budgetUsd: number | null
}

export type Schedule = ScheduledChain & {
  readonly id: string
  readonly recurrence: Recurrence
  readonly nextAt: number
  readonly lastChainId: string | null
  /** Cycles that did not begin because the one before was still running. */
  readonly skipped: number
  readonly lastSkippedAt: number | null
  readonly createdAt: number
}
