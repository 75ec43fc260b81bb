// How many attempts and waits of a job are used, as its next step counts them.
import { countsAsWait } from '../../src/core/job/retry.ts'
import type { Run } from '../../src/core/run/run.ts'

export type AttemptsUsed = { readonly attempts: number; readonly waits: number }

/** A refused run and the run that took over count once; so does nothing from before a person retried the job. */
export function attemptsUsed(runs: readonly Run[], attemptsFrom: number): AttemptsUsed {
  const over = runs
    .slice(attemptsFrom)
    .filter(({ endedAt, continuedBy }) => endedAt !== null && continuedBy === null)
  const waits = over.filter(({ failure }) => failure !== null && countsAsWait(failure.class)).length
  return { attempts: over.length - waits, waits }
}
