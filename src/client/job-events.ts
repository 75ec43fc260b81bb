// Follows the events of all attempts of a job over HTTP, each once and in order, across lost connections and restarts of the daemon.
import type { EventPlace, RunEvent } from '../core/run/run-events.ts'
import { type AwayNotice, Patience, type WaitedFor } from './away.ts'
import type { Http } from './http.ts'
import { eventsIn } from './run-events.ts'

type JobFollowing = {
  readonly after: EventPlace | null
  readonly signal: AbortSignal
  readonly awaited: Omit<WaitedFor, 'onAway'>
}

type JobEventList = { readonly items: readonly RunEvent[]; readonly ended: boolean }

/** Ends when the job is over. Adds notices of its own while the daemon is away, with the run whose event came last. */
export async function* followRemoteJob(
  http: Http,
  jobId: string,
  { after, signal, awaited }: JobFollowing,
): AsyncGenerator<RunEvent, void> {
  const path = `/api/jobs/${encodeURIComponent(jobId)}/events`
  const notices: RunEvent[] = []
  let place = after
  const onAway = (notice: AwayNotice) => {
    http.onAway(notice)
    if (place === null) return
    notices.push({ runId: place.runId, seq: 0, at: Date.now(), type: 'notice', ...notice })
  }
  const patience = new Patience({ ...awaited, onAway })
  for (;;) {
    let lost: unknown = null
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(place !== null && { 'last-event-id': textOf(place) }),
      }
      const response = await http.open(path, { headers, signal })
      // Reset before the first event, because a job may wait for hours.
      patience.reset()
      yield* notices.splice(0)
      for await (const event of eventsIn(response)) {
        place = event
        yield event
      }
      // The stream also ends when the daemon stops. The list says whether anything is left.
      const rest = await http.ask<JobEventList>('GET', path, {
        query: { after: place === null ? '0' : textOf(place), limit: 1_000 },
        headers: { accept: 'application/json' },
        signal,
      })
      patience.reset()
      for (const event of rest.items) {
        place = event
        yield event
      }
      if (rest.ended) return
    } catch (error) {
      lost = error
    }
    await patience.wait(lost, signal)
    yield* notices.splice(0)
  }
}

function textOf({ runId, seq }: EventPlace): string {
  return `${runId}:${seq}`
}
