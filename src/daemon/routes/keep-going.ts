// A turn that outlives the request which started it.
import type { Turn } from '../../api.ts'

/**
 * The turn goes on without its request; how it ends is in the run, its events are in the store.
 * Resolves with its first event, or rejects when it ends before it began.
 */
export function keepGoing(turn: Turn): Promise<unknown> {
  const events = turn[Symbol.asyncIterator]()
  const drain = async () => {
    let step = await events.next()
    while (!step.done) step = await events.next()
  }
  const first = events.next()
  first.then(drain).catch(() => {
    // What went wrong after the answer is recorded in the run.
  })
  return first
}
