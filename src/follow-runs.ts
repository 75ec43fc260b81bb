// Follows several runs one after the other: those of a turn, or the attempts of a job. Composed from a way to follow one
// run, so that the library, the client and the daemon do it alike.
import type { EventPlace, RunEvent } from './core/run/run-events.ts'

type Placed = EventPlace & { readonly type: string }

export type FollowRun<Event> = (runId: string, after: number) => AsyncIterable<Event>

/** Gives the run after one that was followed to its end; `ended` is its last event, if it has one. `null`: none comes. */
export type NextRun<Event> = (
  runId: string,
  ended: Event | null,
) => string | null | Promise<string | null>

/** Begins after `place`. */
export async function* followRuns<Event extends Placed>(
  place: EventPlace,
  followRun: FollowRun<Event>,
  nextRun: NextRun<Event>,
): AsyncGenerator<Event, void> {
  let next: string | null = place.runId
  // The event at the place itself is read again: it may be the one that says where the turn goes on.
  let seen = place.seq
  while (next !== null) {
    const runId: string = next
    let ended: Event | null = null
    for await (const event of followRun(runId, Math.max(0, seen - 1))) {
      if (event.type === 'ended') ended = event
      if (event.seq === 0 || event.seq > seen) yield event
    }
    next = await nextRun(runId, ended)
    seen = 0
  }
}

/** The events of a turn: those of its first run, then those of the runs in which it goes on. */
export function followTurn<Event extends Placed>(
  place: EventPlace,
  followRun: FollowRun<Event>,
  continuedBy: (ended: Event) => string | null,
): AsyncGenerator<Event, void> {
  return followRuns(place, followRun, (_, ended) => (ended === null ? null : continuedBy(ended)))
}

export function nextRunOf(event: RunEvent): string | null {
  return event.type === 'ended' ? event.continuedBy : null
}
