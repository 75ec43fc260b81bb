// What a job may be told about its attempts: how long, how often, how far apart, how much.

export type Backoff = {
  readonly firstMs: number
  readonly factor: number
  readonly maxMs: number
  /** Share by which a pause is made longer or shorter, so that many jobs do not come back at once. */
  readonly jitter: number
}

export type JobPolicy = {
  /** Attempts that worked and did not finish. What fails from outside counts against `maxWaits` instead. */
  readonly maxAttempts: number
  /** Attempts that met a limit, an outage or a restart: bounded too, so that nothing goes on for ever. */
  readonly maxWaits: number
  /** Of one attempt. */
  readonly timeoutMs: number
  /** Without a word from the agent. */
  readonly idleTimeoutMs: number
  /** Before the first attempt; `null`: as long as it takes. */
  readonly queueTimeoutMs: number | null
  /** Of the whole job, from when it was due; `null`: as long as it takes. */
  readonly totalTimeoutMs: number | null
  readonly backoff: Backoff
  readonly resume: 'auto' | 'never'
  /** Resumes in a row that left no new answer in the session; then a fresh start. */
  readonly maxFruitlessResumes: number
  /** A fresh start after tools ran tells what was done, or does not happen. */
  readonly onSideEffects: 'brief' | 'stop'
  readonly budgetUsd: number | null
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
