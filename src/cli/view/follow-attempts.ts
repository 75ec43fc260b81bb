// The events of all attempts of a job in order, each once, until the job is over; over restarts of the daemon too.
import type { JobDetails, Reprise } from '../../api.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import type { RunEvent } from '../../core/run/run-events.ts'

/** An event with the attempt that it is of. */
export type AttemptEvent = {
  readonly event: RunEvent
  readonly attempt: number
  /** What the agent was told, with `started`. */
  readonly prompt: string | null
}

type Wanted = { readonly id: string; readonly skip: number; readonly signal: AbortSignal }

type Listener = {
  show(told: AttemptEvent): void
  /** No attempt is under way. */
  waits(job: JobDetails): void
}

/** How often it is asked, between two attempts, whether the next one is there. */
const NEXT_ATTEMPT_MS = 300

export async function followAttempts(
  reprise: Reprise,
  { id, skip, signal }: Wanted,
  { show, waits }: Listener,
): Promise<JobDetails> {
  let told = skip
  let job = await reprise.jobs.get(id)
  for (;;) {
    for (const run of job.attempts.slice(told)) {
      await tellAttempt(reprise, { run, signal }, show)
      told += 1
    }
    if (!OPEN_JOB_STATUSES.includes(job.status) || signal.aborted) return job
    if (job.status !== 'running') waits(job)
    const look = AbortSignal.any([signal, AbortSignal.timeout(NEXT_ATTEMPT_MS)])
    job = await reprise.jobs.wait(id, look)
  }
}

async function tellAttempt(
  reprise: Reprise,
  { run, signal }: { readonly run: Run; readonly signal: AbortSignal },
  show: Listener['show'],
): Promise<void> {
  for await (const event of reprise.runs.follow(run.id, { signal })) {
    // Before that, the prompt is not in the conversation yet.
    const prompt = event.type === 'started' ? await promptOf(reprise, run) : null
    show({ event, attempt: run.attempt, prompt })
  }
}

async function promptOf(reprise: Reprise, { threadId, id }: Run): Promise<string | null> {
  if (threadId === null) return null
  const { messages } = await (await reprise.threads.get(threadId)).show()
  return messages.find(message => message.role === 'user' && message.runId === id)?.text ?? null
}
