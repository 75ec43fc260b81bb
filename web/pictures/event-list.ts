// The latest events of all runs, newest first, each once, however they were learnt: heard on the stream or read from the store.
import type { RunEvent } from '../../src/core/run/run-events.ts'

/** An event with its place among the events of all runs. */
export type FeedEvent = RunEvent & { readonly position: number }

const MOST_EVENTS = 500

export function listWith(
  listed: readonly FeedEvent[],
  more: readonly FeedEvent[],
): readonly FeedEvent[] {
  const byPosition = new Map([...listed, ...more].map(event => [event.position, event]))
  return [...byPosition.values()].toSorted((a, b) => b.position - a.position).slice(0, MOST_EVENTS)
}
