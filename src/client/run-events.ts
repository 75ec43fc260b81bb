// The events of a run from a daemon, each once and in order, over lost connections and restarts of the daemon.
import type { Run } from '../core/run.ts'
import { Patience, whileAway } from './away.ts'
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
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const patience = new Patience()
  let after = 0
  for (;;) {
    let lost: unknown = null
    try {
      for await (const found of connection(http, { runId, after, signal })) {
        patience.reset()
        if (found.seq <= after) continue
        after = found.seq
        yield found
        if (found.event.type === 'ended') return
      }
      const { status } = await recordOf(http, runId, signal)
      if (ENDED.has(status)) return
    } catch (error) {
      lost = error
    }
    await patience.wait(lost, signal)
  }
}

export function recordOf(http: Http, runId: string, signal: AbortSignal): Promise<Run> {
  const path = `/api/runs/${encodeURIComponent(runId)}`
  return whileAway(() => http.ask<Run>('GET', path, { signal }), signal)
}

type Place = { readonly runId: string; readonly after: number; readonly signal: AbortSignal }

async function* connection(http: Http, { runId, after, signal }: Place) {
  const response = await http.open(`/api/runs/${encodeURIComponent(runId)}/events`, {
    headers: { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) },
    signal,
  })
  for await (const { event, data } of readServerEvents(response)) {
    // Whatever the reason, the next connection goes on after the last one that was seen.
    if (event === 'resync') return
    yield JSON.parse(data) as RunEvent
  }
}
