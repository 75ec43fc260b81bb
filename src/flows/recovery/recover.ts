// After a crash: ends runs whose process died as `interrupted`, with everything that the store and the session file hold.
import type { Failure, Run } from '../../core/run/run.ts'
import type { OrphanCandidate } from '../../store/contract/queue.ts'
import type { Dependencies } from '../dependencies.ts'
import { expireQuestions } from '../questions/answers.ts'
import { endInterrupted, unlessNotOurs } from './end-broken.ts'

/**
 * Gives the runs that it ended. Safe to call at any time, from any process. A process with `keepQueue` leaves its
 * queued turns to the next one: they are ended only when another turn waits behind them in the thread `waitingOn`.
 */
export async function recover(
  dependencies: Dependencies,
  waitingOn: string | null = null,
): Promise<readonly string[]> {
  await expireQuestions(dependencies)
  const ended: string[] = []
  for (const candidate of await dependencies.store.openRuns()) {
    if (!isOrphan(dependencies, candidate)) continue
    if (isKept(candidate) && candidate.run.threadId !== waitingOn) continue
    if (await recoverOne(dependencies, candidate)) ended.push(candidate.run.id)
  }
  return ended
}

/** Takes over the queued turns that a dead process kept; the caller runs them. */
export async function adoptQueue(dependencies: Dependencies): Promise<readonly Run[]> {
  const adopted: Run[] = []
  for (const candidate of await dependencies.store.openRuns()) {
    // Its directory may be on its own host, where it is started again.
    if (!isKept(candidate) || dependencies.isAlive(candidate.owner) !== false) continue
    const { run, owner } = candidate
    if (await dependencies.store.adoptQueued(run.id, owner, dependencies.owner)) adopted.push(run)
  }
  return adopted
}

function isKept({ run, owner }: OrphanCandidate): boolean {
  // The queued attempt of a job is not kept: the worker that takes the job next makes a new one.
  return run.status === 'queued' && owner.keepsQueue === true && run.jobId === null
}

/** On this host the process itself shows whether it lives; on another host only its lease does, or what it said while turns waited. */
function isOrphan(dependencies: Dependencies, { owner, expired }: OrphanCandidate): boolean {
  const alive = dependencies.isAlive(owner)
  return alive === null ? expired : !alive
}

/**
 * Ends the queued attempt of a job that the engine has handed to this process: the worker that queued it has lost the job, also
 * where nobody can see whether it lives. A lease on the attempt would expire by itself, a place in the queue does not.
 */
export async function abandonLostAttempt(dependencies: Dependencies, run: Run): Promise<void> {
  const held = run.status === 'queued' ? await dependencies.store.holderOf(run.id) : null
  if (held === null || held.lease !== null) return
  if (dependencies.isAlive(held.owner) === true) return
  await dependencies.store.abandonQueued(run.id, held.owner, NEVER_BEGAN, dependencies.clock.now())
}

async function recoverOne(
  dependencies: Dependencies,
  { run, owner }: OrphanCandidate,
): Promise<boolean> {
  if (run.status === 'queued') {
    return dependencies.store.abandonQueued(run.id, owner, NEVER_BEGAN, dependencies.clock.now())
  }
  const lease = await dependencies.store.takeOver(
    run.id,
    owner,
    dependencies.owner,
    dependencies.timing.leaseMs,
  )
  if (!lease) return false
  const words = 'The process that supervised this run died before the run ended.'
  // This process now owns the run: if it cannot write the end now, it must write it later.
  return dependencies.live.writeEnd(run.id, async () => {
    // Comes before the session is read: no process may still write to it.
    await dependencies.runner.endLeftovers(run.processRunId ?? run.id)
    const failure = died(words)
    const ranElsewhere = owner.host !== dependencies.owner.host
    const ending = { run, failure, ranElsewhere }
    await endInterrupted(dependencies, lease, ending).catch(unlessNotOurs)
  })
}

function died(message: string): Failure {
  const hint = 'Go on with the next message: `reprise send -t`.'
  return { class: 'supervisor-died', message, hint, toolsRan: 0, resetsAt: null }
}

const NEVER_BEGAN = died('The process that had queued this turn ended before its turn came.')
