// What is stored of schedules: a chain that is started again and again.
import type { Policy } from '../core/policy.ts'

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
  readonly everyMs: number
  readonly nextAt: number
  readonly lastChainId: string | null
  /** Cycles that did not begin because the one before was still running. */
  readonly skipped: number
  readonly lastSkippedAt: number | null
  readonly createdAt: number
}

export type ScheduleVerbs = {
  createSchedule(schedule: Schedule): Promise<void>
  /** Oldest first. */
  schedules(): Promise<readonly Schedule[]>
  /** Gives false when there is no such schedule. Chains that it has started go on. */
  removeSchedule(id: string): Promise<boolean>
  /**
   * One that is due: its next time is set in the same transaction, so nobody else takes this cycle. `isBusy`: a chain
   * of it is still running; the cycle is counted as skipped.
   */
  takeDue(now: number): Promise<{ readonly schedule: Schedule; readonly isBusy: boolean } | null>
}
