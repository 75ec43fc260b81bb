// The attempts of a job as its next step sees them: what each run came to, and whether it left anything in the session.
import type { JobDetails } from '../api.ts'
import type { Job } from '../core/job.ts'
import type { Attempt } from '../core/retry.ts'
import { stepWords } from '../core/retry-words.ts'
import type { Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import { checkpointsOf } from './job-checkpoints.ts'
import type { Parts } from './parts.ts'

const PAGE = 200

/** In order. */
export async function runsOf({ store }: Parts, jobId: string): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (;;) {
    const last = runs.at(-1)
    const page = await store.listRuns({ jobId, limit: PAGE, ...(last && { cursor: last.id }) })
    runs.push(...page)
    if (page.length < PAGE) return runs.toReversed()
  }
}

/** A run that was refused and the one that took its turn over are one attempt. */
export async function attemptsOf(
  parts: Parts,
  job: Job,
  runs: readonly Run[],
): Promise<readonly Attempt[]> {
  const held = await heldBySessions(parts, job)
  const attempts: Attempt[] = []
  let refusedUsd = 0
  for (const run of runs.slice(job.attemptsFrom)) {
    if (run.continuedBy !== null) {
      refusedUsd += run.costUsd ?? 0
      continue
    }
    const answer = run.answerMessageId ? await parts.store.message(run.answerMessageId) : null
    attempts.push({
      outcome: run.status === 'completed' ? 'completed' : (run.failure?.class ?? 'unknown'),
      endedAt: run.endedAt ?? 0,
      resetsAt: run.failure?.resetsAt ?? null,
      resumed: run.decision?.action === 'resume' || run.decision?.action === 'fork',
      progressed: answer !== null && held.has(answer.hash),
      toolsRan: run.failure?.toolsRan ?? 0,
      costUsd: refusedUsd + (run.costUsd ?? 0),
    })
    refusedUsd = 0
  }
  return attempts
}

async function heldBySessions({ store }: Parts, { threadId }: Job): Promise<ReadonlySet<string>> {
  const sessions = await store.sessions({ threadId })
  return new Set(sessions.flatMap(session => session.seen.map(entry => entry.hash)))
}

export async function existingJob({ store }: Parts, id: string): Promise<Job> {
  const job = await store.job(id)
  if (job) return job
  throw new RepriseError('not-found', `there is no job ${id}`, 'List them: reprise jobs ls.')
}

export async function jobDetails(parts: Parts, id: string): Promise<JobDetails> {
  const job = await existingJob(parts, id)
  const attempts = await runsOf(parts, id)
  const last = attempts.at(-1)
  return {
    ...job,
    attempts,
    failure: job.status === 'completed' ? null : (last?.failure ?? null),
    costUsd: attempts.reduce((sum, run) => sum + (run.costUsd ?? 0), 0),
    checkpoints: await checkpointsOf(parts, job),
    text: await lastWords(parts, attempts),
    // While an attempt runs, what the one before it came to says nothing about the job.
    words: job.step === null || job.status === 'running' ? null : stepWords(job.step),
  }
}

async function lastWords({ store }: Parts, attempts: readonly Run[]): Promise<string | null> {
  const answered = attempts.findLast(run => run.answerMessageId !== null)
  const answer = answered?.answerMessageId ? await store.message(answered.answerMessageId) : null
  return answer?.text || null
}
