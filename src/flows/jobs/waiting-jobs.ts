// Where jobs may run on this store, and which of them wait because no worker takes them.
import { type Job, OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import { type PlacedJob, rootAround } from '../../core/job/job-requirements.ts'
import {
  type WaitingInWords,
  waitingFor,
  waitingForKey,
  waitingInWords,
} from '../../core/job/waiting-for.ts'
import { redact } from '../../core/secrets/redact.ts'
import type { Dependencies } from '../dependencies.ts'
import { JOB_QUEUE } from './job-queue.ts'
import { listWorkers } from './worker-presence.ts'

/** A store of one host binds no job to its host, whose name may change. */
export function placeOn({ reach }: Dependencies['store'], job: PlacedJob): PlacedJob {
  const { workspace, labels } = job
  return reach === 'hosts' ? job : { workspace, labels, host: null, sharedRoot: null }
}

/** The declared root that holds the work dir. Roots may be links, and the work dir is a real path. */
export async function sharedRootOf(
  { files, offer }: Pick<Dependencies, 'files' | 'offer'>,
  workDir: string,
): Promise<string | null> {
  for (const root of offer.sharedRoots.toSorted((one, other) => other.length - one.length)) {
    const real = (await files.realpath(root)) ?? root
    if (rootAround(workDir, [root, real]) !== null) return root
  }
  return null
}

/** What is due is taken at once as a rule. Only after so long there is something to explain. */
const LATE_MS = 1_000

/** Also of a job that runs, as far as the store knows: its worker may have failed before it could say otherwise. */
export async function failedWork(
  { engine, clock }: Pick<Dependencies, 'engine' | 'clock'>,
  job: Job,
): Promise<WaitingInWords | null> {
  const since = job.nextAttemptAt ?? job.startedAt ?? job.dueAt
  if (!OPEN_JOB_STATUSES.includes(job.status) || since + LATE_MS > clock.now()) return null
  // It only explains: a job is shown also while the engine cannot be asked.
  const failed = await engine.failed(JOB_QUEUE, job.id).catch(() => null)
  if (failed === null) return null
  const { failures, error, at } = failed
  return waitingInWords({ code: 'work-failed', failures, error: redact(error), at, since })
}

/** More jobs at a time are not looked through for the one that has the key. */
const MOST_RUNNING = 200

export type WithWaiting = { readonly waitingFor: WaitingInWords | null }

/** Reads the workers and the running jobs once, and only if one of the jobs may wait for them. */
export async function withWaiting<Listed extends Job>(
  dependencies: Dependencies,
  jobs: readonly Listed[],
): Promise<readonly (Listed & WithWaiting)[]> {
  const now = dependencies.clock.now()
  const mayWait = ({ status, nextAttemptAt }: Job) =>
    OPEN_JOB_STATUSES.includes(status) && status !== 'running' && (nextAttemptAt ?? 0) <= now
  const workers = jobs.some(mayWait) ? await listWorkers(dependencies) : []
  const running = jobs.some(job => mayWait(job) && job.concurrencyKey !== null)
    ? await dependencies.store.listJobs({ limit: MOST_RUNNING, status: 'running' })
    : []
  return jobs.map(job => {
    const place = placeOn(dependencies.store, job)
    const waiting =
      waitingFor({ ...job, ...place }, workers, now) ?? waitingForKey(job, running, now)
    return { ...job, waitingFor: waiting && waitingInWords(waiting) }
  })
}
