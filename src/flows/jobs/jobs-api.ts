// The verbs of jobs: submit, look, retry, cancel, wait, remove, put back.
import type { Reprise } from '../../api.ts'
import type { Engine } from '../../engine/engine.ts'
import { configOf } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { noCursor } from '../threads/check-input.ts'
import { removeThread } from '../threads/threads.ts'
import { existingJob, jobDetails } from './job-runs.ts'
import { cancelJob, restoreJob, retryJob, submitJob, waitForJob } from './jobs.ts'
import { findUnknownPlaces, pruneCheckpoints } from './remove-checkpoints.ts'

export type JobSurroundings = {
  readonly ready: () => Promise<Dependencies>
  readonly defaultAgent: () => string
  readonly engineOf: (dependencies: Dependencies) => Engine
  /** The same engine, with this process among its workers if it is to be one. */
  readonly work: (dependencies: Dependencies) => Promise<Engine>
}

export function jobsApi({ ready, defaultAgent, engineOf, work }: JobSurroundings): Reprise['jobs'] {
  return {
    submit: async request => {
      const dependencies = await ready()
      const agent = configOf(dependencies, request.agent ?? defaultAgent()).name
      return submitJob(dependencies, await work(dependencies), { ...request, agent })
    },
    get: async id => jobDetails(await ready(), id),
    list: async query => {
      const dependencies = await ready()
      if (query?.cursor && !(await dependencies.store.job(query.cursor)))
        throw noCursor(query.cursor, 'job')
      return dependencies.store.listJobs({ limit: 50, ...query })
    },
    retry: async (id, { resume = true } = {}) => {
      const dependencies = await ready()
      return retryJob(dependencies, await work(dependencies), { id, resume })
    },
    cancel: async id => {
      const dependencies = await ready()
      return cancelJob(dependencies, engineOf(dependencies), id)
    },
    wait: async (id, signal) => {
      const dependencies = await ready()
      await existingJob(dependencies, id)
      await work(dependencies)
      return waitForJob(dependencies, id, signal)
    },
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
    restore: async (id, checkpoint) => restoreJob(await ready(), { id, checkpoint }),
  }
}
