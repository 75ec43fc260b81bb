// Waits for a job and tells on stderr what happens to it: attempts that begin and end, and why it waits.
import type { JobDetails, Reprise } from '../api.ts'
import { OPEN_JOB_STATUSES } from '../core/job.ts'
import type { Io } from './io.ts'
import { when } from './print.ts'
import { sanitiseLine } from './sanitise.ts'

/** How long one look may take before what changed is told. */
const LOOK_MS = 500

/** A stop request ends the waiting, not the job. */
export async function followJob(io: Io, reprise: Reprise, id: string): Promise<JobDetails> {
  const stop = new AbortController()
  const stopListening = io.onStopRequest(() => stop.abort())
  const told = new Set<string>()
  try {
    io.stderr.write(`${id}\n`)
    for (;;) {
      const look = AbortSignal.any([stop.signal, AbortSignal.timeout(LOOK_MS)])
      const job = await reprise.jobs.wait(id, look)
      for (const line of newsOf(job)) {
        if (!told.has(line)) io.stderr.write(`${sanitiseLine(line)}\n`)
        told.add(line)
      }
      if (stop.signal.aborted || !OPEN_JOB_STATUSES.includes(job.status)) return job
    }
  } finally {
    stopListening()
  }
}

function newsOf(job: JobDetails): readonly string[] {
  const attempts = job.attempts.flatMap(({ id, attempt, status, decision, failure, endedAt }) => [
    ...(decision ? [`attempt ${attempt}: ${id}, ${decision.action}`] : []),
    ...(endedAt === null
      ? []
      : [`attempt ${attempt}: ${status}${failure ? `, ${failure.message}` : ''}`]),
  ])
  const isWaiting = job.status === 'waiting' || job.status === 'parked'
  const next = `next attempt at ${when(job.nextAttemptAt)}: ${job.words}`
  return isWaiting ? [...attempts, next] : attempts
}
