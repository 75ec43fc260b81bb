// Our own fault in the middle of a turn: the run must not stay open, and what the agent did must not be forgotten.
import { type Failure, OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { endInterrupted } from '../recovery/recover.ts'
import { emptyEnd } from './settle.ts'

/** Rejects when the store cannot take the end either: to be called again then. */
export async function endBroken(
  dependencies: Dependencies,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const current = await mustExist(dependencies.store.run(run.id), `run ${run.id}`)
  const latest = await latestOf(dependencies, current)
  if (latest && OPEN_STATUSES.includes(latest.status)) {
    await end(dependencies, lease, { run: latest, error }).catch(unlessLost)
  }
  await release(dependencies, lease)
}

/** The run that the turn had come to: after a refused resume, or in a higher tier. */
async function latestOf({ store }: Dependencies, run: Run): Promise<Run | null> {
  if (run.chainId !== null) return (await store.runsOfChain(run.chainId)).at(-1) ?? null
  return run.continuedBy ? store.run(run.continuedBy) : run
}

async function release({ store }: Dependencies, lease: Lease): Promise<void> {
  await store.releaseLease(lease).catch(() => {
    // Lost or already released: either way it is not ours any more.
  })
}

async function end(
  dependencies: Dependencies,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const cancelled = error instanceof RepriseError && error.code === 'cancelled'
  const failure: Failure = {
    class: cancelled ? 'cancelled' : 'supervisor-died',
    message: error instanceof Error ? error.message : String(error),
    hint: error instanceof RepriseError ? error.hint : 'This is a fault of Reprise.',
    toolsRan: 0,
    resetsAt: null,
  }
  if (!cancelled) return endInterrupted(dependencies, { run, lease, failure })
  const now = dependencies.clock.now()
  await dependencies.store.endRun(lease, emptyEnd(run, { status: 'cancelled', failure, now }))
}

/** Another process has taken the run over: its end is that one's to write. */
function unlessLost(error: unknown): void {
  if (!(error instanceof RepriseError) || error.code !== 'lease-lost') throw error
}
