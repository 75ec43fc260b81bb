// Our own fault in the middle of a turn: the run must not stay open, and what the agent did must not be forgotten.
import { type Failure, OPEN_STATUSES, type Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'
import type { Lease } from '../store/store.ts'
import { mustExist } from './must-exist.ts'
import type { Parts } from './parts.ts'
import { endInterrupted } from './recover.ts'
import { emptyEnd } from './settle.ts'

/** Rejects when the store cannot take the end either: to be called again then. */
export async function endBroken(
  parts: Parts,
  lease: Lease,
  { run, error }: { run: Run; error: unknown },
): Promise<void> {
  const current = await mustExist(parts.store.run(run.id), `run ${run.id}`)
  const latest = await latestOf(parts, current)
  if (latest && OPEN_STATUSES.includes(latest.status)) {
    await end(parts, lease, { run: latest, error }).catch(unlessLost)
  }
  await release(parts, lease)
}

/** The run that the turn had come to: after a refused resume, or in a higher tier. */
async function latestOf({ store }: Parts, run: Run): Promise<Run | null> {
  if (run.chainId !== null) return (await store.runsOfChain(run.chainId)).at(-1) ?? null
  return run.continuedBy ? store.run(run.continuedBy) : run
}

async function release({ store }: Parts, lease: Lease): Promise<void> {
  await store.releaseLease(lease).catch(() => {
    // Lost or already released: either way it is not ours any more.
  })
}

async function end(
  parts: Parts,
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
  if (!cancelled) return endInterrupted(parts, { run, lease, failure })
  const now = parts.clock.now()
  await parts.store.endRun(lease, emptyEnd(run, { status: 'cancelled', failure, now }))
}

/** Another process has taken the run over: its end is that one's to write. */
function unlessLost(error: unknown): void {
  if (!(error instanceof RepriseError) || error.code !== 'lease-lost') throw error
}
