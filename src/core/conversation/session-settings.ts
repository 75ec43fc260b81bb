// When a session counts as paused or expired. Both depend on time alone; `decide` says whether a session is resumed.

/** When a session counts as paused or expired. */
export type SessionSettings = {
  /** Time since its last message. */
  readonly pauseAfterMs: number
  /** Time since its last message; an expired session is archived. `null`: never. */
  readonly expireAfterMs: number | null
  /** How often Reprise looks for sessions to pause or archive. */
  readonly sweepEveryMs: number
}

export const DEFAULT_SESSIONS: SessionSettings = {
  pauseAfterMs: 1_800_000,
  expireAfterMs: null,
  sweepEveryMs: 300_000,
}
