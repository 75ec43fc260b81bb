// What a call of the agent does when another process works on its session.

/** `wait`: until the session is free, but not for ever; `fork`: in a copy of the session; `refuse`: not at all. */
export const WHEN_BUSY = ['wait', 'fork', 'refuse'] as const

export type DropInSettings = {
  readonly whenBusy: (typeof WHEN_BUSY)[number]
  /** How long `wait` waits. Then the agent runs as if it had been called without Reprise. */
  readonly waitMs: number
}

export const DEFAULT_DROP_IN: DropInSettings = { whenBusy: 'wait', waitMs: 60_000 }
