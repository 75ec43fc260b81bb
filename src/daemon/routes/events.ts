// Routes of events: live as server-sent events, or as a list.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { LocalReprise } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import type { EventPlace } from '../../core/run/run-events.ts'
import { runEventJson, type StoredEvent } from '../../core/run/stored-events.ts'
import { RepriseError } from '../../errors.ts'
import { ROUTES } from '../contract/routes/routes.ts'
import {
  allFrames,
  type Frames,
  feedEventJson,
  jobFrames,
  numberOf,
  placeInJob,
  placeInTurn,
  placeText,
  runFrames,
  turnFrames,
  withHeartbeats,
} from '../events/event-frames.ts'
import { eventStream, type StreamTiming } from '../events/event-stream.ts'

/** How many event streams are open now. */
export type Listeners = { count: number }

export type EventRouteParts = {
  readonly reprise: LocalReprise
  readonly listeners: Listeners
  readonly timing: StreamTiming
  /** Aborts when the daemon stops. Streams end, and readers reconnect to the next daemon. */
  readonly closing: AbortSignal
  readonly maxListeners: number
}

/** 204 says that nothing more will come; without it a browser would reconnect for ever. */
const nothingMore = () => new Response(null, { status: 204 })

export function eventRoutes(app: OpenAPIHono, parts: EventRouteParts): void {
  const { reprise } = parts
  const { log } = reprise

  app.openapi(ROUTES.runEvents, async c => {
    const { after, limit } = c.req.valid('query')
    const run = await reprise.runs.get(c.req.valid('param').id)
    if (wantsList(c)) {
      const events = await log.ofRun(run.id, wholePlace(after ?? '0'), limit)
      const more = events.length === limit ? (events.at(-1)?.seq ?? null) : null
      const ended = run.endedAt !== null && more === null
      return list(events.map(runEventJson), { nextCursor: more === null ? null : `${more}`, ended })
    }
    const reconnected = c.req.valid('header')['last-event-id']
    const from = reconnected ?? after ?? '0'
    if (reconnected !== undefined && run.endedAt !== null) {
      const rest = await log.ofRun(run.id, Math.max(0, (numberOf(from) ?? 0) - 1), 2)
      if (rest.length === 1) return nothingMore()
    }
    return stream(c, parts, signal => runFrames({ log, signal }, run, from))
  })

  app.openapi(ROUTES.turnEvents, async c => {
    const { after, limit } = c.req.valid('query')
    const run = await reprise.runs.get(c.req.valid('param').id)
    const reconnected = c.req.valid('header')['last-event-id']
    const place = await placeInTurn(reprise, run, reconnected ?? after ?? '0')
    if (wantsList(c)) {
      if (place === null) throw noPlace()
      return turnList(reprise, place, limit)
    }
    if (reconnected !== undefined && place && (await isOver(reprise, place))) return nothingMore()
    return stream(c, parts, signal => turnFrames({ log, signal }, run, place))
  })

  app.openapi(ROUTES.jobEvents, async c => {
    const { after, limit } = c.req.valid('query')
    const { id } = c.req.valid('param')
    const job = await log.runsOfJob(id)
    const reconnected = c.req.valid('header')['last-event-id']
    const place = await placeInJob(log, job.runs, reconnected ?? after ?? '0')
    if (place === 'unknown') {
      if (wantsList(c)) throw noPlace()
      return stream(c, parts, signal => jobFrames({ log, signal }, id, place))
    }
    const isList = wantsList(c)
    const { events, ended } = await jobPart(log, { ...job, place, limit: isList ? limit : 1 })
    if (isList) {
      const last = events.length === limit ? events.at(-1) : undefined
      const nextCursor = last === undefined ? null : placeText(last)
      return list(events.map(runEventJson), { nextCursor, ended })
    }
    if (ended && events.length === 0) return nothingMore()
    return stream(c, parts, signal => jobFrames({ log, signal }, id, place))
  })

  app.openapi(ROUTES.events, async c => {
    const { after, limit } = c.req.valid('query')
    if (wantsList(c)) {
      const from = after === undefined ? await log.lastPosition() : wholePlace(after)
      const events = await log.ofAll(from, limit)
      return list(events.map(feedEventJson), { nextCursor: `${events.at(-1)?.position ?? from}` })
    }
    const from = c.req.valid('header')['last-event-id'] ?? after
    return stream(c, parts, signal => allFrames({ log, signal }, from))
  })
}

/** The stored events of a turn, run after run, until the limit is reached. */
async function turnList(
  reprise: LocalReprise,
  place: EventPlace,
  limit: number,
): Promise<Response> {
  const items: StoredEvent[] = []
  let { runId, seq } = place
  for (;;) {
    const run: Run = await reprise.runs.get(runId)
    const events = await reprise.log.ofRun(runId, seq, limit - items.length)
    items.push(...events)
    const isFull = items.length === limit
    if (isFull || run.continuedBy === null) {
      const last = items.at(-1) ?? place
      const ended = run.endedAt !== null && !isFull
      return list(items.map(runEventJson), { nextCursor: isFull ? placeText(last) : null, ended })
    }
    runId = run.continuedBy
    seq = 0
  }
}

type JobPart = {
  readonly runs: readonly Run[]
  readonly isOver: boolean
  readonly place: EventPlace | null
  readonly limit: number
}

/** The stored events of a job after a place, attempt after attempt, until the limit is reached. */
async function jobPart(
  log: LocalReprise['log'],
  { runs, isOver, place, limit }: JobPart,
): Promise<{ readonly events: readonly StoredEvent[]; readonly ended: boolean }> {
  const events: StoredEvent[] = []
  const first = place === null ? 0 : runs.findIndex(run => run.id === place.runId)
  for (const { id } of runs.slice(first)) {
    const after = id === place?.runId ? place.seq : 0
    events.push(...(await log.ofRun(id, after, limit - events.length)))
    if (events.length === limit) return { events, ended: false }
  }
  return { events, ended: isOver }
}

/** Is the place the last event of the run that ended the turn? */
async function isOver(reprise: LocalReprise, { runId, seq }: EventPlace): Promise<boolean> {
  const run = await reprise.runs.get(runId)
  if (run.endedAt === null || run.continuedBy !== null) return false
  return (await reprise.log.ofRun(runId, seq, 1)).length === 0
}

function wantsList(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

function wholePlace(after: string): number {
  const place = numberOf(after)
  if (place === null) throw noPlace()
  return place
}

function noPlace(): RepriseError {
  const what = 'after: not a place in a list of events'
  return new RepriseError('bad-input', what, 'Use `nextCursor` of the page before as `after`.')
}

function list(items: readonly string[], rest: object): Response {
  const body = `{"items":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function stream(
  c: Context,
  { listeners, timing, closing, maxListeners }: EventRouteParts,
  frames: (signal: AbortSignal) => Frames,
): Response {
  if (c.req.method === 'HEAD') return new Response(null)
  if (listeners.count >= maxListeners) {
    const what = `${listeners.count} readers of events are connected; that is the limit`
    throw new RepriseError(
      'too-many',
      what,
      'Close some, or ask for lists with `Accept: application/json`.',
    )
  }
  listeners.count += 1
  const { heartbeatMs, stallMs } = timing
  return eventStream({
    frames: signal => withHeartbeats(frames(AbortSignal.any([signal, closing])), heartbeatMs),
    stallMs,
    closing,
    onEnd: () => {
      listeners.count -= 1
    },
    cut: () => connectionOf(c)?.destroy(),
  })
}

/** Under node:http, `env` holds the response; elsewhere there is no connection to cut. */
function connectionOf(c: Context): { destroy(): void } | null {
  const { outgoing } = (c.env ?? {}) as { outgoing?: { destroy(): void } }
  return outgoing ?? null
}
