// Jobs of a daemon, over HTTP.
import type {
  CheckpointDiff,
  JobDetails,
  ListedJob,
  Removed,
  Reprise,
  RestoredJob,
  RestorePreview,
} from '../api.ts'
import type { RemovedCheckpoints } from '../core/job/checkpoint-keeping.ts'
import { OPEN_JOB_STATUSES } from '../core/job/job.ts'
import { whileAway } from './away.ts'
import type { Http } from './http.ts'
import { followRemoteJob } from './job-events.ts'
import { listAll } from './list-all.ts'
import { untilAborted } from './run-events.ts'
import { submitHeaders } from './submit-headers.ts'

type Pruned = { readonly checkpoints: readonly RemovedCheckpoints[] }

export function remoteJobs(http: Http, closing: AbortSignal): Reprise['jobs'] {
  const pathOf = (id: string) => `/api/jobs/${encodeURIComponent(id)}`
  const waitedFor = (id: string) => ({ what: id, goOn: `reprise jobs show ${id}` })
  return {
    submit: async ({ key, trace, ...body }) => {
      const headers = await submitHeaders(http, { key, trace })
      const submit = () => http.ask<JobDetails>('POST', '/api/jobs', { body, headers })
      const what = 'a job, which is submitted when it is back'
      return whileAway(submit, closing, { what, goOn: 'reprise jobs', onAway: http.onAway })
    },
    get: id => http.ask<JobDetails>('GET', pathOf(id)),
    list: ({ status, since, cursor, limit = 50 } = {}) =>
      listAll<ListedJob>(http, '/api/jobs', { query: { status, since, cursor }, limit }),
    retry: (id, { resume = true } = {}) =>
      http.ask<JobDetails>('POST', `${pathOf(id)}/retry`, {
        query: { resume: String(resume) },
        body: {},
      }),
    cancel: id => http.ask<JobDetails>('POST', `${pathOf(id)}/cancel`, { body: {} }),
    wait: async (id, signal) => {
      // Short waits: a caller with a signal can stop soon, and a daemon that restarts often still answers one.
      const ms = signal ? 500 : 1_000
      for (;;) {
        const ask = () => http.ask<JobDetails>('GET', `${pathOf(id)}/wait`, { query: { ms } })
        const awaited = { ...waitedFor(id), onAway: http.onAway }
        const job = await whileAway(ask, closing, awaited)
        if (!OPEN_JOB_STATUSES.includes(job.status) || signal?.aborted) return job
      }
    },
    follow: (id, { after = null, signal } = {}) => {
      const following = {
        after,
        signal: signal ? AbortSignal.any([signal, closing]) : closing,
        awaited: waitedFor(id),
      }
      return untilAborted(followRemoteJob(http, id, following), signal)
    },
    remove: id => http.ask<Removed>('DELETE', pathOf(id)),
    prune: async () =>
      (await http.ask<Pruned>('POST', '/api/jobs/prune', { body: {} })).checkpoints,
    diff: (id, checkpoint) =>
      http.ask<CheckpointDiff>('GET', `${pathOf(id)}/checkpoints/${checkpoint}/diff`),
    previewRestore: (id, checkpoint) =>
      http.ask<RestorePreview>('GET', `${pathOf(id)}/checkpoints/${checkpoint}/restore`),
    restore: (id, checkpoint) =>
      http.ask<RestoredJob>('POST', `${pathOf(id)}/checkpoints/${checkpoint}/restore`, {
        body: {},
      }),
  }
}
