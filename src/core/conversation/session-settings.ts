// When a session counts as paused or expired. Both are about time alone; whether it may be resumed is the decision's.

/** When a session counts as paused or expired. */
export type SessionSettings = {
  /** Since its last message. */
  readonly pauseAfterMs: number
  /** Since its last message; an expired session is archived. `null`: never. */
  readonly expireAfterMs: number | null
  /** How often Reprise looks for sessions to pause or archive. */
  readonly sweepEveryMs: number
}

export const DEFAULT_SESSIONS: SessionSettings = {
  pauseAfterMs: 1_800_000,
  expireAfterMs: null,
  sweepEveryMs: 300_000,
}
