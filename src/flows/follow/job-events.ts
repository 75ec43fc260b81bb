// Reads the events of all attempts of a job from the store, and waits for the next attempt.
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import type { EventPlace } from '../../core/run/run-events.ts'
import type { StoredEvent } from '../../core/run/stored-events.ts'
import { RepriseError } from '../../errors.ts'
import { followRuns } from '../../follow-runs.ts'
import type { Dependencies } from '../dependencies.ts'
import { existingJob, runsOf } from '../jobs/job-runs.ts'

export type JobRuns = {
  /** In order. A refused run and the run that took over its turn both count. */
  readonly runs: readonly Run[]
  /** No more runs will come, unless a user retries the job. */
  readonly isOver: boolean
}

/** Throws `not-found`. */
export async function jobRuns(dependencies: Dependencies, jobId: string): Promise<JobRuns> {
  // The order matters: when the job is over, its last run is already stored.
  const { status } = await existingJob(dependencies, jobId)
  return {
    runs: await runsOf(dependencies, jobId),
    isOver: !OPEN_JOB_STATUSES.includes(status),
  }
}

export type JobFollowOptions = {
  readonly after: EventPlace | null
  readonly signal?: AbortSignal | undefined
}

/** Gives the events as they are stored, until the job is over, the signal aborts or this process closes. */
export async function* followStoredJob(
  dependencies: Dependencies,
  jobId: string,
  { after, signal }: JobFollowOptions,
): AsyncGenerator<StoredEvent, void> {
  const { log } = dependencies
  await existingJob(dependencies, jobId)
  if (after !== null) await checkPlace(dependencies, jobId, after)
  const nextRun = async (runId: string | null) => {
    const look = () => lookForRun(dependencies, jobId, runId)
    return (await log.lookUntilFound(look, signal))?.runId ?? null
  }
  const runId = after?.runId ?? (await nextRun(null))
  if (runId === null) return
  const followRun = (id: string, seq: number) => log.followRun(id, { after: seq, signal })
  yield* followRuns(after ?? { runId, seq: 0 }, followRun, nextRun)
}

async function checkPlace({ store }: Dependencies, jobId: string, { runId }: EventPlace) {
  if ((await store.run(runId))?.jobId === jobId) return
  const what = `${runId} is no attempt of job ${jobId}`
  throw new RepriseError('not-found', what, `Run \`reprise jobs show ${jobId}\` to see them.`)
}

/** `null`: there may be one later. A job that was removed is over. */
async function lookForRun(
  dependencies: Dependencies,
  jobId: string,
  previous: string | null,
): Promise<{ readonly runId: string | null } | null> {
  const { store } = dependencies
  const job = await store.job(jobId)
  const [newest] = await store.listRuns({ jobId, limit: 1 })
  if (newest !== undefined && newest.id !== previous) {
    const runs = await runsOf(dependencies, jobId)
    const at = runs.findIndex(run => run.id === previous)
    return { runId: runs[previous === null ? 0 : at + 1]?.id ?? null }
  }
  return job === null || !OPEN_JOB_STATUSES.includes(job.status) ? { runId: null } : null
}
