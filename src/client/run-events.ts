// The events of a run from a daemon, each once and in order, over lost connections and restarts of the daemon.
import type { IncomingMessage } from 'node:http'
import type { Run } from '../core/run/run.ts'
import { Patience, type WaitedFor } from './away.ts'
import { readServerEvents } from './event-source.ts'
import type { Http } from './http.ts'

export type RunEvent = {
  readonly seq: number
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string }
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'interrupted', 'cancelled'])

/** Ends after `ended`, or when the run has ended without having said so. */
export async function* readRunEvents(
  http: Http,
  runId: string,
  { signal, awaited }: { readonly signal: AbortSignal; readonly awaited: WaitedFor },
): AsyncGenerator<RunEvent, void> {
  const patience = new Patience(awaited)
  let after = 0
  for (;;) {
    let lost: unknown = null
    try {
      const response = await openEvents(http, { runId, after, signal })
      // Before the first event: a run that waits or works in silence may have none for hours.
      patience.reset()
      for await (const found of eventsIn(response)) {
        if (found.seq <= after) continue
        after = found.seq
        yield found
        if (found.event.type === 'ended') return
      }
      const { status } = await http.ask<Run>('GET', pathOf(runId), { signal })
      patience.reset()
      if (ENDED.has(status)) return
    } catch (error) {
      lost = error
    }
    await patience.wait(lost, signal)
  }
}

function pathOf(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`
}

type Place = { readonly runId: string; readonly after: number; readonly signal: AbortSignal }

function openEvents(http: Http, { runId, after, signal }: Place): Promise<IncomingMessage> {
  return http.open(`${pathOf(runId)}/events`, {
    headers: { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) },
    signal,
  })
}

async function* eventsIn(response: IncomingMessage): AsyncGenerator<RunEvent, void> {
  for await (const { event, data } of readServerEvents(response)) {
    // Whatever the reason, the next connection goes on after the last one that was seen.
    if (event === 'resync') return
    yield JSON.parse(data) as RunEvent
  }
}
