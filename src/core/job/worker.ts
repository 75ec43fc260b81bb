// A process that works on jobs: where it is, what it offers and how busy it is.

import type { LaneWorker } from './lane.ts'

/** A process that works on jobs, in a daemon, in `reprise worker` or in a program. Times are in milliseconds since 1970. */
export type Worker = LaneWorker & {
  readonly id: string
  readonly pid: number
  /** The version of Reprise. */
  readonly version: string
  /** The agents of its config. */
  readonly agents: readonly string[]
  /** How many jobs it works on at a time. */
  readonly concurrency: number
  /** How many it works on now. */
  readonly active: number
  readonly startedAt: number
  /** When it last said that it lives. */
  readonly beatAt: number
  readonly state: WorkerState
}

/** `draining`: it takes no more jobs. `gone`: it ended without a word, or nobody can say that it lives. */
export type WorkerState = (typeof WORKER_STATES)[number]

export const WORKER_STATES = ['working', 'draining', 'gone'] as const
