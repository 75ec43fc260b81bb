// Follows the events of all attempts of a job, in order and each once, until the job is over, also across restarts of the daemon.
import type { JobDetails, Reprise } from '../../api.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'
import { RepriseError } from '../../errors.ts'

/** An event with the number of its attempt. */
export type AttemptEvent = {
  readonly event: RunEvent
  readonly attempt: number
  /** The prompt of the attempt, only with the event `started`. */
  readonly prompt: string | null
}

type Wanted = { readonly id: string; readonly skip: number; readonly signal: AbortSignal }

type Listener = {
  show(told: AttemptEvent): void
  /** Called while no attempt is running. */
  waits(job: JobDetails): void
}

/** How often to look for the next attempt. */
const NEXT_ATTEMPT_MS = 300

export async function followAttempts(
  reprise: Reprise,
  { id, skip, signal }: Wanted,
  { show, waits }: Listener,
): Promise<JobDetails> {
  let told = skip
  const patiently = patientFor(reprise, id)
  let job = await patiently(() => reprise.jobs.get(id))
  for (;;) {
    for (const run of job.attempts.slice(told)) {
      const promptOf = () => patiently(() => promptIn(reprise, run))
      await tellAttempt(reprise, { run, signal, promptOf }, show)
      told += 1
    }
    if (!OPEN_JOB_STATUSES.includes(job.status) || signal.aborted) return job
    if (job.status !== 'running') waits(job)
    const look = AbortSignal.any([signal, AbortSignal.timeout(NEXT_ATTEMPT_MS)])
    job = await reprise.jobs.wait(id, look)
  }
}

type Attempt = {
  readonly run: Run
  readonly signal: AbortSignal
  readonly promptOf: () => Promise<string | null>
}

async function tellAttempt(
  reprise: Reprise,
  { run, signal, promptOf }: Attempt,
  show: Listener['show'],
): Promise<void> {
  for await (const event of reprise.runs.follow(run.id, { signal })) {
    // Before `started`, the prompt is not in the thread yet.
    const prompt = event.type === 'started' ? await promptOf() : null
    show({ event, attempt: run.attempt, prompt })
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
        await reprise.jobs.wait(jobId, AbortSignal.abort())
      }
    }
  }
}
