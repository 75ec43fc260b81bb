// Renews the lease of a run, sees requests to cancel it, and stops its agent when the lease is lost or may have expired.
import type { KillReason } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Lease } from '../../store/contract/leases.ts'
import type { Dependencies } from '../dependencies.ts'

type Held = {
  readonly lease: Lease
  /** When the claim was sent, by the monotonic clock. */
  readonly sentAt: number
  readonly over: AbortSignal
  readonly stop: (reason: KillReason) => void
}

export async function keepLease(dependencies: Dependencies, held: Held): Promise<void> {
  const { clock, store, timing } = dependencies
  const { lease, over, stop } = held
  const expiry = new Expiry(dependencies, held)
  for (;;) {
    await clock.sleep(timing.renewMs, over)
    if (over.aborted) return
    const sentAt = performance.now()
    try {
      const { cancelRequested } = await store.renewLease(lease, timing.leaseMs)
      expiry.renewed(sentAt)
      if (cancelRequested) stop('cancelled')
    } catch (error) {
      if (!(error instanceof RepriseError) || error.code !== 'lease-lost') continue
      stop('lease-lost')
      return
    }
  }
}

/**
 * A database that is away for us may be there for others, who take over a run whose lease has expired. Nobody can be asked then, so
 * the lease counts from before the last successful renewal was sent: on the database's clock it lasts at least as long.
 */
class Expiry {
  readonly #dependencies: Dependencies
  readonly #held: Held
  #sentAt: number

  constructor(dependencies: Dependencies, held: Held) {
    this.#dependencies = dependencies
    this.#held = held
    this.#sentAt = held.sentAt
    // A floating loop by design: it ends with the run.
    if (dependencies.store.presence) void this.#watch()
  }

  renewed(sentAt: number): void {
    this.#sentAt = sentAt
  }

  async #watch(): Promise<void> {
    const { clock, timing } = this.#dependencies
    const { over, stop } = this.#held
    while (!over.aborted) {
      const leftMs = this.#sentAt + timing.leaseMs - performance.now()
      if (leftMs <= 0) return stop('database-away')
      await clock.sleep(leftMs, over)
    }
  }
}
