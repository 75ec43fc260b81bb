// The limits of a job's attempts: how long, how often, how far apart, how much money.
import type { Carry } from '../chain/carry.ts'

/** The pause before an attempt after an outage: it grows from `firstMs` by `factor` up to `maxMs`. */
export type Backoff = {
  readonly firstMs: number
  readonly factor: number
  readonly maxMs: number
  /** Share by which a pause is made longer or shorter, so that many jobs do not come back at once. */
  readonly jitter: number
}

/** The limits of a job and of its attempts. */
export type JobPolicy = {
  /** Most attempts that worked and did not finish. Failures from outside count against `maxWaits` instead. */
  readonly maxAttempts: number
  /** Most attempts that met a usage limit, an outage or a restart. */
  readonly maxWaits: number
  /** The time limit of one attempt. */
  readonly timeoutMs: number
  /** How long an attempt may go without any output of the agent. */
  readonly idleTimeoutMs: number
  /** How long the job may wait for its first attempt; `null`: no limit. */
  readonly queueTimeoutMs: number | null
  /** The time limit of the whole job, from when it was due; `null`: no limit. */
  readonly totalTimeoutMs: number | null
  readonly backoff: Backoff
  /** `never`: every attempt starts afresh. */
  readonly resume: 'auto' | 'never'
  /** After this many resumes in a row without a new answer, the next attempt starts afresh. */
  readonly maxFruitlessResumes: number
  /** When a session cannot be continued after tools ran: start afresh with a list of what was done, or stop. */
  readonly onSideEffects: 'brief' | 'stop'
  /** Dollars for the whole job; `null`: no limit. */
  readonly budgetUsd: number | null
  /** What an attempt gets of the conversation; absent: as `resume.carry` says. */
  readonly carry?: Carry
}

export const DEFAULT_JOB_POLICY: JobPolicy = {
  maxAttempts: 3,
  maxWaits: 40,
  timeoutMs: 60 * 60_000,
  idleTimeoutMs: 15 * 60_000,
  queueTimeoutMs: null,
  totalTimeoutMs: null,
  backoff: { firstMs: 10_000, factor: 2, maxMs: 60 * 60_000, jitter: 0.2 },
  resume: 'auto',
  maxFruitlessResumes: 3,
  onSideEffects: 'brief',
  budgetUsd: null,
}
