// Keeps jobs and the engine's work together: lost work is dispatched again, and a job whose work the engine gave up is dead.
import { type Job, OPEN_JOB_STATUSES } from '../../core/job/job.ts'
import { OPEN_STATUSES } from '../../core/run/run.ts'
import type { Dependencies } from '../dependencies.ts'
import { recover } from '../recovery/recover.ts'
import { JOB_QUEUE } from './job-queue.ts'
import { runsOf } from './job-runs.ts'
import { ensureNext, workOf } from './submit-job.ts'

const SWEEP_MS = 60_000
const DEAD_PER_SWEEP = 1_000

/** Ends jobs whose work is dead, and wakes open jobs that have no work in the engine. */
export async function sweepJobs(dependencies: Dependencies): Promise<void> {
  const { engine } = dependencies
  const dead = await engine.dead(JOB_QUEUE, DEAD_PER_SWEEP)
  for (const work of dead) await endGivenUp(dependencies, work)
  // With more dead work than that, nobody knows which of the open jobs without work were given up: the next sweep wakes them.
  const givenUp = new Set(dead.map(({ id }) => id))
  if (dead.length < DEAD_PER_SWEEP) await wakeJobs(dependencies, givenUp)
}

/** Sweeps regularly until this process closes. */
export async function sweepJobsWhileOpen(dependencies: Dependencies): Promise<void> {
  const { clock, live } = dependencies
  while (!live.closing.aborted) {
    await clock.sleep(SWEEP_MS, live.closing)
    if (live.closing.aborted) return
    await sweepJobs(dependencies).catch(() => {
      // The store cannot be read or written right now; the next sweep tries again.
    })
  }
}

async function endGivenUp(
  dependencies: Dependencies,
  { id, error }: { readonly id: string; readonly error: string },
): Promise<void> {
  const { store, engine, clock } = dependencies
  const job = await store.job(id)
  if (!job || !OPEN_JOB_STATUSES.includes(job.status)) {
    // The job says what happened. If somebody retries it right now, the next sweep wakes it.
    await engine.cancel(JOB_QUEUE, id)
    return
  }
  if (await hasOpenRun(dependencies, job)) return
  const wasRetried = (await engine.having(JOB_QUEUE, [id])).size > 0
  if (wasRetried) return
  const step = { do: 'stop', as: 'dead', reason: { code: 'given-up', error } } as const
  await store.settleJob(id, { runId: null, step, now: clock.now() })
  await ensureNext(dependencies, { ...job, status: 'dead' })
}

/** Ends a run that broke off first: a job that is over has no open run. */
async function hasOpenRun(dependencies: Dependencies, { id, threadId }: Job): Promise<boolean> {
  const last = async () => (await runsOf(dependencies, id)).at(-1)
  const run = await last()
  if (!run || !OPEN_STATUSES.includes(run.status)) return false
  await recover(dependencies, threadId)
  const now = await last()
  return now !== undefined && OPEN_STATUSES.includes(now.status)
}

/** The dispatch of an open job may have been lost, or it was stored for another engine. */
async function wakeJobs(dependencies: Dependencies, givenUp: ReadonlySet<string>): Promise<void> {
  const { store, engine, clock } = dependencies
  // A job that was given up while its run goes on ends with that run: it gets no further deliveries.
  const open = (await store.openJobIds()).filter(id => !givenUp.has(id))
  const dispatched = await engine.having(JOB_QUEUE, open)
  for (const id of open) {
    if (dispatched.has(id)) continue
    // The job may have ended or been removed since its id was read.
    const job = await store.job(id)
    if (!job || !OPEN_JOB_STATUSES.includes(job.status)) continue
    await engine.dispatch(workOf(dependencies, job, job.nextAttemptAt ?? clock.now()))
  }
}
