// Tells other hosts that this process lives while turns of it wait. They hold no lease, so nothing else says so.
import type { Dependencies } from '../dependencies.ts'

/** Several times before the store takes the process for dead. */
const EVERY_MS = 15_000

export async function sayWaiting({ store, owner, live }: Dependencies): Promise<void> {
  if (store.reach === 'one-host' || performance.now() - live.saidWaitingAt < EVERY_MS) return
  live.saidWaitingAt = performance.now()
  await store.sayWaiting(owner).catch(() => {
    // The store fails right now; the turns look again soon.
    live.saidWaitingAt = Number.NEGATIVE_INFINITY
  })
}
