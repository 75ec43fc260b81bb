// What a store does for schedules of chains.
import type { Schedule } from '../../core/chain/schedule.ts'
import type { Enlistment } from './work.ts'

export type ScheduleVerbs = {
  /** `enlist` stores the work by which the engine hands it out, in the same transaction. */
  createSchedule(schedule: Schedule, enlist: Enlistment): Promise<void>
  schedule(id: string): Promise<Schedule | null>
  /** Oldest first. */
  schedules(): Promise<readonly Schedule[]>
  /** Gives false when there is no such schedule. Chains that it has started go on. */
  removeSchedule(id: string): Promise<boolean>
  /**
   * Takes a cycle by setting its next time; `null`: somebody else has taken it. `isBusy`: a chain of it is still
   * running; the cycle is counted as skipped.
   */
  takeCycle(
    due: Pick<Schedule, 'id' | 'nextAt'>,
    taken: { readonly nextAt: number; readonly now: number },
  ): Promise<{ readonly isBusy: boolean } | null>
}
