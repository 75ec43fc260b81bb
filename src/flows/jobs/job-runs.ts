// Reads the attempts of a job for its next step: how each run ended, and whether it left anything in the session.
import type { JobDetails } from '../../api.ts'
import type { Job } from '../../core/job/job.ts'
import type { Attempt } from '../../core/job/retry.ts'
import { stepWords } from '../../core/job/retry-words.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { checkpointsOf } from './job-checkpoints.ts'
import { withWaiting } from './waiting-jobs.ts'

const PAGE = 200

/** Oldest first. */
export async function runsOf({ store }: Dependencies, jobId: string): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (;;) {
    const last = runs.at(-1)
    const page = await store.listRuns({ jobId, limit: PAGE, ...(last && { cursor: last.id }) })
    runs.push(...page)
    if (page.length < PAGE) return runs.toReversed()
  }
}

/** A refused run and the run that took over its turn count as one attempt. */
export async function attemptsOf(
  dependencies: Dependencies,
  job: Job,
  runs: readonly Run[],
): Promise<readonly Attempt[]> {
  const held = await heldBySessions(dependencies, job)
  const attempts: Attempt[] = []
  let refusedUsd = 0
  for (const run of runs.slice(job.attemptsFrom)) {
    if (run.continuedBy !== null) {
      refusedUsd += run.costUsd ?? 0
      continue
    }
    const answer = run.answerMessageId
      ? await dependencies.store.message(run.answerMessageId)
      : null
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

async function heldBySessions(
  { store }: Dependencies,
  { threadId }: Job,
): Promise<ReadonlySet<string>> {
  const sessions = await store.sessions({ threadId })
  return new Set(sessions.flatMap(session => session.seen.map(entry => entry.hash)))
}

export async function existingJob({ store }: Dependencies, id: string): Promise<Job> {
  const job = await store.job(id)
  if (job) return job
  throw new RepriseError(
    'not-found',
    `there is no job ${id}`,
    'Run `reprise jobs` to see their ids.',
  )
}

export async function jobDetails(dependencies: Dependencies, id: string): Promise<JobDetails> {
  const job = await existingJob(dependencies, id)
  const attempts = await runsOf(dependencies, id)
  const last = attempts.at(-1)
  const [waiting] = await withWaiting(dependencies, [job])
  return {
    ...job,
    waitingFor: waiting?.waitingFor ?? null,
    attempts,
    failure: job.status === 'completed' ? null : (last?.failure ?? null),
    costUsd: attempts.reduce((sum, run) => sum + (run.costUsd ?? 0), 0),
    checkpoints: await checkpointsOf(dependencies, job),
    text: await lastWords(dependencies, attempts),
    // While an attempt runs, the step that followed the attempt before it is out of date.
    words: job.step === null || job.status === 'running' ? null : stepWords(job.step),
  }
}

async function lastWords(
  { store }: Dependencies,
  attempts: readonly Run[],
): Promise<string | null> {
  const answered = attempts.findLast(run => run.answerMessageId !== null)
  const answer = answered?.answerMessageId ? await store.message(answered.answerMessageId) : null
  return answer?.text || null
}
