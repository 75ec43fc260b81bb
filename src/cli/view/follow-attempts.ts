// The events of all attempts of a job in order, each once, until the job is over; over restarts of the daemon too.
import type { JobDetails, Reprise, TurnEvent } from '../../api.ts'
import { OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import type { Failure, Run, RunStatus } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { StoredEvent } from '../../store/contract/records.ts'

/** As it is stored: the last one tells only how the run ended. */
export type LoggedEvent =
  | Exclude<TurnEvent, { readonly type: 'ended' }>
  | { readonly type: 'ended'; readonly status: RunStatus; readonly failure: Failure | null }

export type Told = {
  readonly number: number
  readonly runId: string
  readonly seq: number
  /** What the agent was told, with the first event of an attempt. */
  readonly prompt: string | null
  readonly event: LoggedEvent
}

type Wanted = { readonly id: string; readonly skip: number; readonly signal: AbortSignal }

type Listener = {
  show(told: Told): void
  /** No attempt is under way. */
  waits(job: JobDetails): void
}

/** How long one look may take before what is new is told. */
const LOOK_MS = 300
const PAGE = 1_000

export async function followAttempts(
  reprise: Reprise,
  { id, skip, signal }: Wanted,
  { show, waits }: Listener,
): Promise<JobDetails> {
  const seen = new Map<string, number>()
  let job = await reprise.jobs.get(id)
  for (;;) {
    for (const run of job.attempts.slice(skip)) await tellNew(reprise, { run, seen }, show)
    if (!OPEN_JOB_STATUSES.includes(job.status) || signal.aborted) return job
    if (job.status !== 'running') waits(job)
    const look = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    job = await reprise.jobs.wait(id, look)
  }
}

async function tellNew(
  reprise: Reprise,
  { run, seen }: { readonly run: Run; readonly seen: Map<string, number> },
  show: Listener['show'],
): Promise<void> {
  for (;;) {
    const after = seen.get(run.id) ?? 0
    if (after === Number.POSITIVE_INFINITY) return
    const events = await eventsOf(reprise, { run, after })
    const prompt = after === 0 && events.length > 0 ? await promptOf(reprise, run) : null
    for (const { seq, json } of events) {
      const event = JSON.parse(json) as LoggedEvent
      const isFirst = after === 0 && seq === events[0]?.seq
      show({ number: run.attempt, runId: run.id, seq, prompt: isFirst ? prompt : null, event })
      seen.set(run.id, event.type === 'ended' ? Number.POSITIVE_INFINITY : seq)
    }
    if (events.length < PAGE) return
  }
}

/** A daemon that is away for a moment is waited for. */
async function eventsOf(
  reprise: Reprise,
  { run, after }: { readonly run: Run; readonly after: number },
): Promise<readonly StoredEvent[]> {
  for (;;) {
    try {
      return await reprise.runs.events(run.id, after, PAGE)
    } catch (error) {
      const isAway = error instanceof RepriseError && error.code === 'daemon-unreachable'
      if (!isAway || run.jobId === null) throw error
      await reprise.jobs.wait(run.jobId, AbortSignal.abort())
    }
  }
}

async function promptOf(reprise: Reprise, { threadId, id }: Run): Promise<string | null> {
  if (threadId === null) return null
  const { messages } = await (await reprise.threads.get(threadId)).show()
  return messages.find(message => message.role === 'user' && message.runId === id)?.text ?? null
}
