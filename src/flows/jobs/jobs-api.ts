// The verbs for jobs that users call: submit, look, retry, cancel, wait, follow, remove, restore.
import type { JobDetails, Reprise, RestoredJob } from '../../api.ts'
import type { Checkpoint } from '../../checkpoints/checkpoint.ts'
import type { Job } from '../../core/job/job.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import { given } from '../../core/optional.ts'
import { RepriseError } from '../../errors.ts'
import { configOf } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { noCursor } from '../threads/check-input.ts'
import { removeThread } from '../threads/threads.ts'
import { diffOf, restoreFiles } from './job-checkpoints.ts'
import { existingJob, jobDetails, runsOf } from './job-runs.ts'
import { findUnknownPlaces, pruneCheckpoints } from './remove-checkpoints.ts'
import { JOB_QUEUE, submitJob, workOf } from './submit-job.ts'

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
      return dependencies.store.listJobs({ limit: 50, ...given(query) })
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
  const enlist = dependencies.engine.enlist(workOf(job, now))
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

/** Restores the files and the thread. The next attempt forks the session at that point, without what it has seen since. */
async function restoreJob(
  dependencies: Dependencies,
  { id, checkpoint: number }: { readonly id: string; readonly checkpoint: number },
): Promise<RestoredJob> {
  const job = await existingJob(dependencies, id)
  if (job.status === 'running') throw running(id)
  const { checkpoint, safety, changes } = await restoreFiles(dependencies, job, number)
  await cutThread(dependencies, job, checkpoint)
  return { job: await jobDetails(dependencies, id), checkpoint, safety, changes }
}

async function cutThread(
  dependencies: Dependencies,
  job: Job,
  { attempt, kind }: Pick<Checkpoint, 'attempt' | 'kind'>,
): Promise<void> {
  if (attempt === null) return
  const runs = await runsOf(dependencies, job.id)
  const later = new Set(
    runs
      .filter(run => (kind === 'after' ? run.attempt > attempt : run.attempt >= attempt))
      .map(run => run.id),
  )
  const branch = await dependencies.store.branch(job.threadId)
  const end = branch.findIndex(message => message.runId !== null && later.has(message.runId))
  if (end < 0) return
  await dependencies.store.replaceBranch({
    threadId: job.threadId,
    branchId: dependencies.random.id('brn'),
    expected: branch.map(message => message.id),
    messages: branch.slice(0, end),
    now: dependencies.clock.now(),
  })
}

function running(id: string): RepriseError {
  const hint = `Wait for it, or cancel it first: reprise jobs cancel ${id}.`
  return new RepriseError('busy', `job ${id} is running`, hint)
}
