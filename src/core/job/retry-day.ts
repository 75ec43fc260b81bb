// Simulates a day in which every attempt of a job fails the same way: how often it starts, how long it waits. For docs and tests.

import type { FailureClass } from '../run/run.ts'
import type { JobPolicy } from './job-policy.ts'
import { type Attempt, type JobStep, nextStep } from './retry.ts'

export type Day = {
  readonly starts: number
  readonly waitsMs: readonly number[]
  /** `null`: the job still waits at the end of the day. */
  readonly end: Extract<JobStep, { do: 'stop' | 'cancel' }> | null
}

export type BadDay = {
  readonly class: FailureClass
  readonly policy: JobPolicy
  /** Time from the failure to the reset of the limit; `null`: the agent gave no reset time. */
  readonly resetsAfterMs?: number | null
  readonly resumed?: boolean
  readonly attemptMs?: number
  readonly random?: () => number
}

const DAY_MS = 24 * 3_600_000
/** No policy may start a job more often than this in a day. The loop needs an end too. */
const MAX_STARTS = 10_000

export function simulateDay(bad: BadDay): Day {
  const { policy, attemptMs = 5_000, random = () => 0.5, resetsAfterMs = null } = bad
  const attempts: Attempt[] = []
  const waitsMs: number[] = []
  let now = 0
  while (now < DAY_MS && attempts.length < MAX_STARTS) {
    now += attemptMs
    attempts.push({
      outcome: bad.class,
      endedAt: now,
      resetsAt: resetsAfterMs === null ? null : now + resetsAfterMs,
      resumed: (bad.resumed ?? true) && attempts.length > 0,
      progressed: false,
      toolsRan: 0,
      costUsd: 0,
    })
    const step = nextStep({ attempts, dueAt: 0, now, random: random() }, policy)
    if (step.do === 'finish') throw new TypeError('a failed attempt cannot finish a job')
    if (step.do !== 'retry') return { starts: attempts.length, waitsMs, end: step }
    waitsMs.push(step.at - now)
    now = step.at
  }
  return { starts: attempts.length, waitsMs, end: null }
}
