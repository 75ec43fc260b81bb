// Routes of events: live as server-sent events, or as a list.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { LocalReprise } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import {
  type Following,
  feedEventJson,
  followAll,
  followRun,
  placeOf,
  runEventJson,
} from '../events/event-frames.ts'
import { eventStream, type Frame, type StreamTiming } from '../events/event-stream.ts'
import type { SharedReads } from '../events/shared-reads.ts'
import type { StoreWatcher } from '../events/store-watcher.ts'

export type EventRouteParts = {
  readonly reprise: LocalReprise
  readonly storeWatcher: StoreWatcher
  readonly reads: SharedReads
  readonly timing: StreamTiming
  /** Aborted when the daemon stops: streams end, readers come back to the next one. */
  readonly closing: AbortSignal
  readonly maxListeners: number
}

export function eventRoutes(app: OpenAPIHono, parts: EventRouteParts): void {
  const { reprise } = parts

  app.openapi(ROUTES.runEvents, async c => {
    const { after, limit } = c.req.valid('query')
    const run = await reprise.runs.get(c.req.valid('param').id)
    if (wantsList(c)) {
      const events = await reprise.runs.events(run.id, wholePlace(after ?? '0'), limit)
      const more = events.length === limit ? (events.at(-1)?.seq ?? null) : null
      const ended = run.endedAt !== null && more === null
      return list(events.map(runEventJson), { nextCursor: more === null ? null : `${more}`, ended })
    }
    const reconnected = c.req.valid('header')['last-event-id']
    const from = reconnected ?? after ?? '0'
    if (reconnected !== undefined && run.endedAt !== null) {
      const rest = await reprise.runs.events(run.id, Math.max(0, (placeOf(from) ?? 0) - 1), 2)
      // Nothing more will come; a browser would ask for ever unless it is told so.
      if (rest.length === 1) return new Response(null, { status: 204 })
    }
    return stream(c, parts, {
      runId: run.id,
      follow: following => followRun(following, run, from),
    })
  })

  app.openapi(ROUTES.events, async c => {
    const { after, limit } = c.req.valid('query')
    if (wantsList(c)) {
      const from = after === undefined ? await reprise.lastPosition() : wholePlace(after)
      const events = await reprise.feed(from, limit)
      return list(events.map(feedEventJson), { nextCursor: `${events.at(-1)?.position ?? from}` })
    }
    const from = c.req.valid('header')['last-event-id'] ?? after
    return stream(c, parts, { runId: null, follow: following => followAll(following, from) })
  })
}

function wantsList(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

function wholePlace(after: string): number {
  const place = placeOf(after)
  if (place !== null) return place
  throw new RepriseError('bad-input', 'after: not a place in a list of events', 'Use nextCursor.')
}

function list(items: readonly string[], rest: object): Response {
  const body = `{"items":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

type Stream = {
  /** The one that is followed; `null` follows all. */
  readonly runId: string | null
  readonly follow: (following: Following) => AsyncGenerator<Frame, void>
}

function stream(c: Context, parts: EventRouteParts, { runId, follow }: Stream): Response {
  const { reprise, storeWatcher, reads, timing, closing, maxListeners } = parts
  if (c.req.method === 'HEAD') return new Response(null)
  if (storeWatcher.listeners >= maxListeners) {
    const what = `${storeWatcher.listeners} readers of events are connected; that is the limit`
    throw new RepriseError('too-many', what, 'Close some, or ask for lists instead.')
  }
  const subscription = storeWatcher.listen(runId)
  const { heartbeatMs, stallMs } = timing
  return eventStream({
    frames: signal =>
      follow({
        reprise,
        subscription,
        reads,
        heartbeatMs,
        signal: AbortSignal.any([signal, closing]),
      }),
    stallMs,
    closing,
    onEnd: () => subscription.close(),
    cut: () => connectionOf(c)?.destroy(),
  })
}

/** Under node:http the environment holds the response that is written to; elsewhere there is nothing to cut. */
function connectionOf(c: Context): { destroy(): void } | null {
  const { outgoing } = (c.env ?? {}) as { outgoing?: { destroy(): void } }
  return outgoing ?? null
}
