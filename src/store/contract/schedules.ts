// What a store does for schedules of chains.
import type { Schedule } from '../../core/chain/schedule.ts'
import type { Enlistment } from './work.ts'

export type ScheduleVerbs = {
  /** In the same transaction, `enlist` stores the work by which the engine hands out the schedule. */
  createSchedule(schedule: Schedule, enlist: Enlistment): Promise<void>
  schedule(id: string): Promise<Schedule | null>
  /** Oldest first. */
  schedules(): Promise<readonly Schedule[]>
  /** False when there is no such schedule. Chains that it has started go on. */
  removeSchedule(id: string): Promise<boolean>
  /**
   * Takes a cycle by setting the next time; `null`: somebody else took it. `isBusy`: a chain of the schedule is still
   * running, and the cycle counts as skipped.
   */
  takeCycle(
    due: Pick<Schedule, 'id' | 'nextAt'>,
    taken: { readonly nextAt: number; readonly now: number },
  ): Promise<{ readonly isBusy: boolean } | null>
}
