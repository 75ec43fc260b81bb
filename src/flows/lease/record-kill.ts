// Records that Reprise stops an agent, before the first signal.
import type { KillReason } from '../../core/run/run.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Dependencies } from '../dependencies.ts'

/** A database that is away must not keep an agent alive. */
const PATIENCE_MS = 2_000

export async function recordKill(
  { store, clock }: Dependencies,
  stop: { readonly lease: Lease; readonly runId: string; readonly reason: KillReason },
): Promise<void> {
  const { lease, runId, reason } = stop
  // Without the lease Reprise cannot record anything, and without the database it must not wait for it.
  if (reason === 'lease-lost' || reason === 'database-away') return
  const recorded = store.recordKill(lease, runId, reason)
  if (!store.presence) return recorded
  const late = new AbortController()
  // Once it is too late for the record, the end of the run says the same.
  recorded.catch(() => {})
  await Promise.race([recorded, clock.sleep(PATIENCE_MS, late.signal)])
  late.abort()
}
