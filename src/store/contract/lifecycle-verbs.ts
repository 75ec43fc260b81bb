// What a store does for the life of sessions.
import type { LifecycleState, Session } from '../../core/conversation/session.ts'

export type LifecycleVerbs = {
  /** By time and by jobs that are over. Sessions that somebody runs on are left alone. Gives how many changed. */
  sweepSessions(times: {
    readonly pauseBefore: number
    /** `null`: nothing expires. */
    readonly expireBefore: number | null
  }): Promise<{ readonly paused: number; readonly completed: number; readonly expired: number }>
  /** Oldest first. */
  sessionsIn(state: LifecycleState, limit: number): Promise<readonly Session[]>
  /** False when it is in another state by now. */
  setSessionState(id: string, from: LifecycleState, to: LifecycleState): Promise<boolean>
}
