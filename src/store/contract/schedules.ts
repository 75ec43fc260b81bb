// What a store does for schedules of chains.
import type { Schedule } from '../../core/chain/schedule.ts'

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
