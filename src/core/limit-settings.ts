// How long an agent may take for a turn. One value for config files, the library and the runner.

export type LimitSettings = {
  /** Longest time until the first line, and from one line to the next while the agent prepares the turn. */
  readonly firstEventMs: number
  /** Longest time from one line to the next. */
  readonly silenceMs: number
  /** Longest time of the whole process. */
  readonly totalMs: number
}

export const DEFAULT_LIMIT_SETTINGS: LimitSettings = {
  firstEventMs: 60_000,
  silenceMs: 30 * 60_000,
  totalMs: 6 * 60 * 60_000,
}
