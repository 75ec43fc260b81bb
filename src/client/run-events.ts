// Follows the events of a run over HTTP, each once and in order, across lost connections and restarts of the daemon.
import type { Run } from '../core/run/run.ts'
import type { RunEvent } from '../core/run/run-events.ts'
import { type AwayNotice, Patience, type WaitedFor } from './away.ts'
import { readServerEvents } from './event-source.ts'
import type { Http } from './http.ts'

export type RemoteFollowOptions = {
  readonly after: number
  readonly signal: AbortSignal
  readonly awaited: Omit<WaitedFor, 'onAway'>
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'interrupted', 'cancelled'])

/** Ends after `ended`, or when the run is over without that event. Adds notices of its own while the daemon is away. */
export async function* followRemoteRun(
  http: Http,
  runId: string,
  following: RemoteFollowOptions,
): AsyncGenerator<RunEvent, void> {
  const { signal } = following
  const notices: RunEvent[] = []
  const onAway = (notice: AwayNotice) => {
    http.onAway(notice)
    notices.push({ runId, seq: 0, at: Date.now(), type: 'notice', ...notice })
  }
  const patience = new Patience({ ...following.awaited, onAway })
  let { after } = following
  for (;;) {
    let lost: unknown = null
    try {
      const response = await openEvents(http, { runId, after, signal })
      // Reset before the first event, because a silent run may have none for hours.
      patience.reset()
      yield* notices.splice(0)
      for await (const event of eventsIn(response)) {
        if (event.seq <= after) continue
        after = event.seq
        yield event
        if (event.type === 'ended') return
      }
      const { status } = await http.ask<Run>('GET', pathOf(runId), { signal })
      patience.reset()
      if (ENDED.has(status)) return
    } catch (error) {
      lost = error
    }
    await patience.wait(lost, signal)
    yield* notices.splice(0)
  }
}

function pathOf(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`
}

type Connection = { readonly runId: string; readonly after: number; readonly signal: AbortSignal }

function openEvents(
  http: Http,
  { runId, after, signal }: Connection,
): Promise<AsyncIterable<Uint8Array>> {
  return http.open(`${pathOf(runId)}/events`, {
    headers: { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) },
    signal,
  })
}

/** Ends without an error when the caller aborts. */
export async function* untilAborted(
  events: AsyncIterable<RunEvent>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent, void> {
  try {
    yield* events
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

/** Passes unknown types of events on unchanged. */
export async function* eventsIn(
  response: AsyncIterable<Uint8Array>,
): AsyncGenerator<RunEvent, void> {
  for await (const { event, data } of readServerEvents(response)) {
    // For any reason, the next connection continues after the last event seen.
    if (event === 'resync') return
    yield JSON.parse(data) as RunEvent
  }
}
