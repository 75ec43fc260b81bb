// How many processes are kept between turns, and for how long. One value for config files, the library and the flows.

export const BYTES_PER_MB = 1024 * 1024

export type WarmSettings = {
  /** How long a process may wait for its next turn. */
  readonly idleMs: number
  /** How many processes are kept at a time. */
  readonly max: number
  /** Memory (resident set) of all kept processes together, in units of 1,048,576 bytes. */
  readonly maxRssMb: number
  /** How old a process may get. */
  readonly maxAgeMs: number
}

/** The prompt cache of the model lives for five minutes; a later turn pays for its context anyway. */
export const DEFAULT_WARM: WarmSettings = {
  idleMs: 5 * 60_000,
  max: 4,
  maxRssMb: 1_536,
  maxAgeMs: 60 * 60_000,
}

/** What this process keeps, and whose processes its turns have used. */
export type WarmReport = {
  readonly processes: number
  readonly memoryBytes: number
  readonly turns: { readonly warm: number; readonly new: number }
}
