// What a stream of events consists of: everything after a place, in order, once; then whatever comes, until the end.
import type { LocalReprise } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import type { FeedEvent, StoredEvent } from '../../store/contract/records.ts'
import type { Resync } from '../contract/event.ts'
import type { Frame } from './event-stream.ts'
import type { SharedReads } from './shared-reads.ts'
import type { Subscription } from './store-watcher.ts'

export type Following = {
  readonly reprise: LocalReprise
  readonly subscription: Subscription
  readonly reads: SharedReads
  readonly heartbeatMs: number
  readonly signal: AbortSignal
}

const PAGE = 100
/** A run can end without an event (cancelled in the queue): its record is looked at this often. */
const LOOK_AT_RUN_MS = 1_000

/** Where to begin; `null` is a place that cannot be: the reader is told to start over. */
export function placeOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

export async function* followRun(
  following: Following,
  run: Run,
  after: string,
): AsyncGenerator<Frame, void> {
  const { reprise, subscription, reads, heartbeatMs, signal } = following
  const wanted = placeOf(after)
  const known = wanted !== null && (await isKnown(reprise, run.id, wanted))
  if (!known) yield resync({ reason: 'unknown-id', after: 0 })
  let seq = known ? wanted : 0
  let quietMs = 0
  while (!signal.aborted) {
    const { version } = subscription
    const key = `${version} ${run.id} ${seq}`
    const from = seq
    const { endedAt, events } = await reads.read(key, () => moreOf(reprise, run.id, from))
    for (const event of events) yield { kind: 'event', id: event.seq, data: runEventJson(event) }
    seq = events.at(-1)?.seq ?? seq
    if (events.length > 0) quietMs = 0
    if (events.length === PAGE) continue
    if (endedAt !== null) return
    if (quietMs >= heartbeatMs) {
      quietMs = 0
      yield { kind: 'comment' }
    }
    const maxMs = Math.min(LOOK_AT_RUN_MS, heartbeatMs)
    await subscription.changedSince(version, maxMs, signal)
    quietMs += maxMs
  }
}

/** Without a place to begin: from now on, and the reader is told where that is. */
export async function* followAll(
  following: Following,
  after: string | undefined,
): AsyncGenerator<Frame, void> {
  const { reprise, subscription, reads, heartbeatMs, signal } = following
  const last = await reprise.lastPosition()
  const wanted = after === undefined ? last : placeOf(after)
  let position = wanted === null || wanted > last ? last : wanted
  if (after === undefined) yield named('ready', position, { after: position })
  else if (position !== wanted) yield resync({ reason: 'unknown-id', after: position })
  while (!signal.aborted) {
    const { version } = subscription
    const from = position
    const events = await reads.read(`${version} ${from}`, () => reprise.feed(from, PAGE))
    for (const event of events) {
      yield { kind: 'event', id: event.position, data: feedEventJson(event) }
    }
    position = events.at(-1)?.position ?? position
    if (events.length === PAGE) continue
    await subscription.changedSince(version, heartbeatMs, signal)
    if (version === subscription.version) yield { kind: 'comment' }
  }
}

async function moreOf(reprise: LocalReprise, runId: string, seq: number) {
  // Asked before its events: what an ended run has logged is then all there.
  const { endedAt } = await reprise.runs.get(runId)
  return { endedAt, events: await reprise.runs.events(runId, seq, PAGE) }
}

async function isKnown(reprise: LocalReprise, runId: string, seq: number): Promise<boolean> {
  if (seq === 0) return true
  const [event] = await reprise.runs.events(runId, seq - 1, 1)
  return event !== undefined
}

function resync(words: Resync): Frame {
  return named('resync', words.after, words)
}

function named(name: string, id: number, data: object): Frame {
  return { kind: 'event', id, name, data: JSON.stringify(data) }
}

/** The stored JSON goes through as it is: it was ours when it was written. */
export function runEventJson(event: StoredEvent): string {
  return `{${fieldsOf(event)}}`
}

export function feedEventJson(event: FeedEvent): string {
  const { position, threadId } = event
  return `{"position":${position},"threadId":${JSON.stringify(threadId)},${fieldsOf(event)}}`
}

function fieldsOf({ runId, seq, at, type, json }: StoredEvent): string {
  const [run, kind] = [JSON.stringify(runId), JSON.stringify(type)]
  return `"runId":${run},"seq":${seq},"at":${at},"type":${kind},"event":${json}`
}
