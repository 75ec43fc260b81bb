// What is stored of schedules: a chain that is started again and again.
import type { Policy } from '../../core/chain/policy.ts'
import type { Recurrence } from '../../core/job/recurrence.ts'

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

export type ScheduleVerbs = {
  createSchedule(schedule: Schedule): Promise<void>
  /** Oldest first. */
  schedules(): Promise<readonly Schedule[]>
  /** Gives false when there is no such schedule. Chains that it has started go on. */
  removeSchedule(id: string): Promise<boolean>
  /** The one that has been due for longest. */
  dueSchedule(now: number): Promise<Schedule | null>
  /**
   * Takes a cycle by setting its next time; `null`: somebody else has taken it. `isBusy`: a chain of it is still
   * running; the cycle is counted as skipped.
   */
  takeCycle(
    due: Pick<Schedule, 'id' | 'nextAt'>,
    taken: { readonly nextAt: number; readonly now: number },
  ): Promise<{ readonly isBusy: boolean } | null>
}
