// When a session counts as paused or expired. Both are about time alone; whether it may be resumed is the decision's.

export type SessionSettings = {
  readonly pauseAfterMs: number
  /** `null`: never. */
  readonly expireAfterMs: number | null
  readonly sweepEveryMs: number
}

export const DEFAULT_SESSIONS: SessionSettings = {
  pauseAfterMs: 1_800_000,
  expireAfterMs: null,
  sweepEveryMs: 300_000,
}
