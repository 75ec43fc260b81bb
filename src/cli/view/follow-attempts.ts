// Follows the attempts of a job for the terminal: adds the number and the prompt of each attempt to its events.
import type { JobDetails, Reprise } from '../../api.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { RepriseError } from '../../errors.ts'
import { systemClock } from '../../runner/real-world.ts'

/** An event with the number of its attempt. */
export type AttemptEvent = {
  readonly event: RunEvent
  readonly attempt: number
  /** The prompt of the attempt, only with the event `started`. */
  readonly prompt: string | null
}

type Wanted = { readonly id: string; readonly skip: number; readonly signal: AbortSignal }

type Listener = {
  show(shown: AttemptEvent): void
  /** Called while no attempt is running. */
  waits(job: JobDetails): void
}

/** How often to look why the job waits, while no attempt is running. */
const WAITING_LOOK_MS = 500

/** Gives the job as it is when it is over, or when the signal aborts. */
export async function followAttempts(
  reprise: Reprise,
  { id, skip, signal }: Wanted,
  { show, waits }: Listener,
): Promise<JobDetails> {
  const patiently = patientFor(reprise, id)
  let { attempts } = await jobNow(reprise, id)
  const skipped = new Set(attempts.slice(0, skip).map(run => run.id))
  const runOf = async (runId: string): Promise<Run | null> => {
    const isKnown = attempts.some(run => run.id === runId)
    if (!isKnown) attempts = (await patiently(() => reprise.jobs.get(id))).attempts
    return attempts.find(run => run.id === runId) ?? null
  }
  let stopSaying = sayWhyItWaits(reprise, id, waits)
  try {
    for await (const event of reprise.jobs.follow(id, { signal })) {
      const run = skipped.has(event.runId) ? null : await runOf(event.runId)
      if (run === null) continue
      await stopSaying()
      // Before `started`, the prompt is not in the thread yet.
      const prompt = event.type === 'started' ? await patiently(() => promptIn(reprise, run)) : null
      show({ event, attempt: run.attempt, prompt })
      if (event.type === 'ended') stopSaying = sayWhyItWaits(reprise, id, waits)
    }
  } finally {
    await stopSaying()
  }
  return jobNow(reprise, id)
}

/** Without a daemon, this process works on jobs from here on, if it may. While the daemon is away, it waits for it. */
function jobNow(reprise: Reprise, id: string): Promise<JobDetails> {
  return reprise.jobs.wait(id, AbortSignal.abort())
}

/** Gives the function that stops it. It is silent while the daemon is away: the reader of the events speaks then. */
function sayWhyItWaits(
  reprise: Reprise,
  id: string,
  waits: Listener['waits'],
): () => Promise<void> {
  const stop = new AbortController()
  const look = async () => {
    while (!stop.signal.aborted) {
      const job = await reprise.jobs.get(id).catch(() => null)
      const isWaiting = job?.status !== 'running' && OPEN_JOB_STATUSES.some(s => s === job?.status)
      if (job && isWaiting && !stop.signal.aborted) waits(job)
      await systemClock.sleep(WAITING_LOOK_MS, stop.signal)
    }
  }
  const looking = look()
  return () => {
    stop.abort()
    return looking
  }
}

async function promptIn(reprise: Reprise, { threadId, id }: Run): Promise<string | null> {
  if (threadId === null) return null
  const { messages } = await (await reprise.threads.get(threadId)).show()
  return messages.find(message => message.role === 'user' && message.runId === id)?.text ?? null
}

/** Repeats a request when the daemon was away: `jobs.wait` waits for the daemon and says so. */
function patientFor(reprise: Reprise, jobId: string) {
  return async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        return await request()
      } catch (error) {
        const isAway = error instanceof RepriseError && error.code === 'daemon-unreachable'
        if (!isAway) throw error
        await jobNow(reprise, jobId)
      }
    }
  }
}
