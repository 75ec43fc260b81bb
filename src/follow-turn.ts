// The events of a turn: those of its first run, then those of the runs in which it goes on. Composed from a way to follow
// one run, so that the library, the client and the daemon do it alike.
import type { EventPlace, RunEvent } from './core/run/run-events.ts'

type Placed = EventPlace & { readonly type: string }

export type FollowRun<Event> = (runId: string, after: number) => AsyncIterable<Event>

/** Begins after `place`. `continuedBy` is asked for the `ended` event of each run. */
export async function* followTurn<Event extends Placed>(
  place: EventPlace,
  followRun: FollowRun<Event>,
  continuedBy: (ended: Event) => string | null,
): AsyncGenerator<Event, void> {
  let next: string | null = place.runId
  // The event at the place itself is read again: it may be the one that says where the turn goes on.
  let seen = place.seq
  while (next !== null) {
    const runId: string = next
    next = null
    for await (const event of followRun(runId, Math.max(0, seen - 1))) {
      if (event.type === 'ended') next = continuedBy(event)
      if (event.seq === 0 || event.seq > seen) yield event
    }
    seen = 0
  }
}

export function nextRunOf(event: RunEvent): string | null {
  return event.type === 'ended' ? event.continuedBy : null
}
