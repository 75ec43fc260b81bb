// Why no worker takes a job that is due: as a value, and in words.
import { durationWords } from '../duration-words.ts'
import { type Job, OPEN_JOB_STATUSES } from './job.ts'
import { type PlacedJob, requirementsOfJob } from './job-requirements.ts'
import { laneOf, type Requirements, takesLane } from './lane.ts'
import type { Worker } from './worker.ts'

/** Why no worker takes a job that is due. */
export type WaitingReason =
  /** Nobody works on jobs. */
  | { readonly code: 'no-worker' }
  | { readonly code: 'no-worker-for-host'; readonly host: string }
  | { readonly code: 'no-worker-for-root'; readonly root: string }
  | { readonly code: 'no-worker-with-labels'; readonly labels: readonly string[] }
  /** All workers that could take it have as many jobs as they take at a time. */
  | { readonly code: 'workers-busy'; readonly workers: number }
  /** Another job with its concurrency key runs. */
  | { readonly code: 'key-busy'; readonly key: string; readonly jobId: string }
  /** Workers took it and failed, or were lost, before they could record anything; it is handed out again at `at`. */
  | {
      readonly code: 'work-failed'
      readonly failures: number
      readonly error: string
      readonly at: number
    }

/** Why no worker takes a job, and since when, in milliseconds since 1970. */
export type WaitingFor = WaitingReason & { readonly since: number }

export type WaitingInWords = WaitingFor & { readonly words: string; readonly hint: string }

type WaitingJob = PlacedJob & Pick<Job, 'status' | 'nextAttemptAt' | 'dueAt'>
type KnownWorker = Pick<
  Worker,
  'host' | 'sharedRoots' | 'labels' | 'state' | 'active' | 'concurrency' | 'beatAt'
>

type KeyedJob = Pick<Job, 'id' | 'status' | 'nextAttemptAt' | 'dueAt' | 'concurrencyKey'>

/** `null`: the job is not due, or no other job with its key runs. */
export function waitingForKey(
  job: KeyedJob,
  running: readonly Pick<Job, 'id' | 'concurrencyKey'>[],
  now: number,
): WaitingFor | null {
  const dueAt = job.nextAttemptAt ?? job.dueAt
  const { concurrencyKey: key } = job
  const isOpen = OPEN_JOB_STATUSES.includes(job.status) && job.status !== 'running'
  if (!isOpen || dueAt > now || key === null) return null
  const other = running.find(({ id, concurrencyKey }) => id !== job.id && concurrencyKey === key)
  return other ? { code: 'key-busy', key, jobId: other.id, since: dueAt } : null
}

/** `null`: the job is not due, somebody works on it, or a worker will take it at once. */
export function waitingFor(
  job: WaitingJob,
  workers: readonly KnownWorker[],
  now: number,
): WaitingFor | null {
  const dueAt = job.nextAttemptAt ?? job.dueAt
  const isOpen = OPEN_JOB_STATUSES.includes(job.status) && job.status !== 'running'
  if (!isOpen || dueAt > now) return null
  const requirements = requirementsOfJob(job)
  const lane = laneOf(requirements)
  const fitting = workers.filter(worker => takesLane(worker, lane))
  const working = fitting.filter(({ state }) => state === 'working')
  if (working.some(({ active, concurrency }) => active < concurrency)) return null
  // As long as a worker that is gone now could take it, the job did not wait for one.
  const lastBeats = working.length > 0 ? [] : fitting.map(({ beatAt }) => beatAt)
  const since = Math.max(dueAt, ...lastBeats)
  if (working.length > 0) return { code: 'workers-busy', workers: working.length, since }
  return { ...missing(requirements, workers), since }
}

function missing(
  { host, root, labels }: Requirements,
  workers: readonly KnownWorker[],
): WaitingReason {
  const working = workers.filter(({ state }) => state === 'working')
  if (working.length === 0) return { code: 'no-worker' }
  const places = { host, root, labels: [] }
  if (working.some(worker => takesLane(worker, laneOf(places))))
    return { code: 'no-worker-with-labels', labels }
  if (host !== null) return { code: 'no-worker-for-host', host }
  // Without a host and a root, every worker would have the place.
  return { code: 'no-worker-for-root', root: root ?? '' }
}

export function waitingInWords(waiting: WaitingFor): WaitingInWords {
  return { ...waiting, words: waitingWords(waiting), hint: hintFor(waiting) }
}

const NO_ERROR = 'nobody recorded an error'

function waitingWords(waiting: WaitingReason): string {
  switch (waiting.code) {
    case 'no-worker':
      return 'nobody works on jobs'
    case 'no-worker-for-host':
      return `no worker for host ${waiting.host}`
    case 'no-worker-for-root':
      return `no worker shares ${waiting.root}`
    case 'no-worker-with-labels':
      return `no worker with ${waiting.labels.length === 1 ? 'label' : 'labels'} ${waiting.labels.join(', ')}`
    case 'workers-busy':
      return waiting.workers === 1
        ? 'the worker is busy'
        : `all ${waiting.workers} workers are busy`
    case 'key-busy':
      return `${waiting.jobId} with the same concurrency key runs`
    case 'work-failed':
      return waiting.failures === 1
        ? `a worker failed on it: ${waiting.error || NO_ERROR}`
        : `workers failed on it ${waiting.failures} times in a row; the last error: ${waiting.error || NO_ERROR}`
  }
}

function hintFor(waiting: WaitingReason): string {
  switch (waiting.code) {
    case 'no-worker':
      return 'Start the daemon with `reprise serve`, or a worker with `reprise worker`.'
    case 'no-worker-for-host':
      return `Its directory is on that host: run \`reprise worker\` there, or submit it for a repository.`
    case 'no-worker-for-root':
      return `Run \`reprise worker --shared-root ${waiting.root}\` where that directory is.`
    case 'no-worker-with-labels':
      return `Run \`reprise worker ${labelFlags(waiting.labels)}\`.`
    case 'workers-busy':
      return 'It begins when one of them is free; `reprise workers` shows them.'
    case 'key-busy':
      return `It begins when that one pauses or ends: \`reprise jobs show ${waiting.jobId}\`.`
    case 'work-failed':
      return 'It is tried again by itself, after pauses of up to a minute; `reprise doctor` checks the store.'
  }
}

function labelFlags(labels: readonly string[]): string {
  return labels.map(label => `--label ${label}`).join(' ')
}

/** `no worker for host build-1, for 2 min`. */
export function waitingLine({ words, since }: WaitingInWords, now: number): string {
  return `${words}, for ${durationWords(now - since)}`
}
