// How many processes are kept between turns, and for how long. One value for config files, the library and the flows.

export type WarmSettings = {
  /** How long a process may wait for its next turn. */
  readonly idleMs: number
  /** How many processes are kept at a time. */
  readonly maxProcesses: number
  /** Memory of all kept processes together. */
  readonly maxMemoryBytes: number
  /** How old a process may get. */
  readonly maxAgeMs: number
}

/** The prompt cache of the model lives for five minutes; a later turn pays for its context anyway. */
export const DEFAULT_WARM: WarmSettings = {
  idleMs: 5 * 60_000,
  maxProcesses: 4,
  maxMemoryBytes: 1_536 * 1024 * 1024,
  maxAgeMs: 60 * 60_000,
}

/** What this process keeps, and whose processes its turns have used. */
export type WarmReport = {
  readonly processes: number
  readonly memoryBytes: number
  readonly turns: { readonly warm: number; readonly new: number }
}
