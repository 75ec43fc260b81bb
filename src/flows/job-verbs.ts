// The verbs of jobs: submit, look, retry, cancel, wait, remove, put back.
import type { Reprise } from '../api.ts'
import type { Engine } from '../engine/engine.ts'
import { configOf } from './agents.ts'
import { noCursor } from './check-input.ts'
import { existingJob, jobDetails } from './job-runs.ts'
import { cancelJob, putBack, retryJob, submitJob, waitForJob } from './jobs.ts'
import type { Parts } from './parts.ts'
import { findUnknownPlaces, pruneCheckpoints } from './remove-checkpoints.ts'
import { removeThread } from './threads.ts'

export type JobSurroundings = {
  readonly ready: () => Promise<Parts>
  readonly defaultAgent: () => string
  readonly engineOf: (parts: Parts) => Engine
  /** The same engine, with this process among its workers if it is to be one. */
  readonly work: (parts: Parts) => Promise<Engine>
}

export function jobVerbs({
  ready,
  defaultAgent,
  engineOf,
  work,
}: JobSurroundings): Reprise['jobs'] {
  return {
    submit: async request => {
      const parts = await ready()
      const agent = configOf(parts, request.agent ?? defaultAgent()).name
      return submitJob(parts, await work(parts), { ...request, agent })
    },
    get: async id => jobDetails(await ready(), id),
    list: async query => {
      const parts = await ready()
      if (query?.cursor && !(await parts.store.job(query.cursor)))
        throw noCursor(query.cursor, 'job')
      return parts.store.listJobs({ limit: 50, ...query })
    },
    retry: async (id, { resume = true } = {}) => {
      const parts = await ready()
      return retryJob(parts, await work(parts), { id, resume })
    },
    cancel: async id => {
      const parts = await ready()
      return cancelJob(parts, engineOf(parts), id)
    },
    wait: async (id, signal) => {
      const parts = await ready()
      await existingJob(parts, id)
      await work(parts)
      return waitForJob(parts, id, signal)
    },
    remove: async id => {
      const parts = await ready()
      const { threadId } = await existingJob(parts, id)
      return { id, checkpoints: await removeThread(parts, threadId) }
    },
    prune: async () => {
      const parts = await ready()
      await findUnknownPlaces(parts)
      return pruneCheckpoints(parts)
    },
    restore: async (id, checkpoint) => putBack(await ready(), { id, checkpoint }),
  }
}
