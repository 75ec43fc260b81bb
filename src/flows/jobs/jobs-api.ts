// The verbs for jobs that users call: submit, look, retry, cancel, wait, follow, remove, restore.
import type { JobDetails, Reprise } from '../../api.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import { given } from '../../core/optional.ts'
import { configOf } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { noCursor } from '../threads/check-input.ts'
import { removeThread } from '../threads/threads.ts'
import { diffOf } from './job-checkpoints.ts'
import { JOB_QUEUE } from './job-queue.ts'
import { existingJob, jobDetails, runsOf } from './job-runs.ts'
import { findUnknownPlaces, pruneCheckpoints } from './remove-checkpoints.ts'
import { previewRestore, restoreJob, running } from './restore-job.ts'
import { submitJob, workOf } from './submit-job.ts'
import { withWaiting } from './waiting-jobs.ts'

const POLL_MS = 200

export type JobSurroundings = {
  readonly ready: () => Promise<Dependencies>
  readonly defaultAgent: () => string
  readonly followJob: Reprise['jobs']['follow']
  /** Makes this process a worker of the engine if the options say so. */
  readonly work: (dependencies: Dependencies) => Promise<void>
}

export function jobsApi(around: JobSurroundings): Reprise['jobs'] {
  const { ready, defaultAgent, work } = around
  return {
    submit: async request => {
      const dependencies = await ready()
      const agent = configOf(dependencies, request.agent ?? defaultAgent()).name
      await work(dependencies)
      return submitJob(dependencies, { ...request, agent })
    },
    get: async id => jobDetails(await ready(), id),
    list: async (query = {}) => {
      const dependencies = await ready()
      if (query.cursor && !(await dependencies.store.job(query.cursor)))
        throw noCursor(query.cursor, 'job')
      const listed = await dependencies.store.listJobs({ limit: 50, ...given(query) })
      return withWaiting(dependencies, listed)
    },
    retry: async (id, { resume = true } = {}) => {
      const dependencies = await ready()
      await work(dependencies)
      return retryJob(dependencies, { id, resume })
    },
    cancel: async id => cancelJob(await ready(), id),
    wait: async (id, signal) => {
      const dependencies = await ready()
      await existingJob(dependencies, id)
      await work(dependencies)
      return waitForJob(dependencies, id, signal)
    },
    follow: around.followJob,
    remove: async id => {
      const dependencies = await ready()
      const { threadId } = await existingJob(dependencies, id)
      return { id, checkpoints: await removeThread(dependencies, threadId) }
    },
    prune: async () => {
      const dependencies = await ready()
      await findUnknownPlaces(dependencies)
      return pruneCheckpoints(dependencies)
    },
    diff: async (id, checkpoint) => {
      const dependencies = await ready()
      return diffOf(dependencies, await existingJob(dependencies, id), checkpoint)
    },
    previewRestore: async (id, checkpoint) => previewRestore(await ready(), { id, checkpoint }),
    restore: async (id, checkpoint) => restoreJob(await ready(), { id, checkpoint }),
  }
}

/** A user retries the job: it continues from where it is, whatever limits it has used up. */
async function retryJob(
  dependencies: Dependencies,
  { id, resume }: { readonly id: string; readonly resume: boolean },
): Promise<JobDetails> {
  const job = await existingJob(dependencies, id)
  const runs = await runsOf(dependencies, id)
  const now = dependencies.clock.now()
  const how = resume ? 'resume' : 'fresh'
  const settledRunId = runs.at(-1)?.id ?? null
  const again = { how, attemptsFrom: runs.length, settledRunId, now } as const
  const enlist = dependencies.engine.enlist(workOf(dependencies, job, now))
  if (!(await dependencies.store.requeueJob(id, again, enlist))) throw running(id)
  dependencies.engine.wake(JOB_QUEUE)
  return jobDetails(dependencies, id)
}

/** Returns in bounded time; gives the job as it is then. */
async function cancelJob(dependencies: Dependencies, id: string): Promise<JobDetails> {
  await existingJob(dependencies, id)
  const status = await dependencies.store.requestJobCancel(id, dependencies.clock.now())
  await dependencies.engine.cancel(JOB_QUEUE, id)
  if (status !== 'running') return jobDetails(dependencies, id)
  const last = (await runsOf(dependencies, id)).at(-1)
  if (last) await dependencies.store.requestCancel(last.id, dependencies.clock.now())
  return waitForJob(dependencies, id, AbortSignal.timeout(30_000))
}

/** Waits until the job is over or the signal aborts. */
async function waitForJob(
  dependencies: Dependencies,
  id: string,
  signal?: AbortSignal,
): Promise<JobDetails> {
  for (;;) {
    const { status } = await existingJob(dependencies, id)
    if (!OPEN_JOB_STATUSES.includes(status) || signal?.aborted) return jobDetails(dependencies, id)
    await dependencies.clock.sleep(POLL_MS, signal)
  }
}
