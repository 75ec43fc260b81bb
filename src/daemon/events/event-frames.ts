// Turns the followed events of the store into frames of server-sent events, with heartbeats while nothing happens.
import type { LocalReprise } from '../../api.ts'
import type { Run } from '../../core/run/run.ts'
import type { EventPlace } from '../../core/run/run-events.ts'
import {
  runEventJson,
  type StoredChange,
  type StoredFeedEvent,
} from '../../core/run/stored-events.ts'
import type { Changed, Resync } from '../contract/event.ts'
import type { Frame } from './event-stream.ts'

export type Frames = AsyncGenerator<Frame, void>

type Following = { readonly log: LocalReprise['log']; readonly signal: AbortSignal }

/** A place in the log of a run, or among all events; `null` when the text is not one. */
export function numberOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** A place in a turn is `run:seq`. */
export function placeOf(text: string): EventPlace | null {
  const [, runId, seq] = /^([A-Za-z0-9_-]{1,128}):(\d{1,15})$/.exec(text) ?? []
  return runId === undefined ? null : { runId, seq: Number(seq) }
}

export function placeText({ runId, seq }: EventPlace): string {
  return `${runId}:${seq}`
}

/** A reader that names an unknown place gets a `resync` and starts over. */
export async function* runFrames({ log, signal }: Following, run: Run, after: string): Frames {
  const wanted = numberOf(after)
  const known = wanted !== null && (await isKnown(log, { runId: run.id, seq: wanted }))
  if (!known) yield resync('0', { reason: 'unknown-id', after: 0 })
  for await (const event of log.followRun(run.id, known ? wanted : 0, signal)) {
    yield { kind: 'event', id: String(event.seq), data: runEventJson(event) }
  }
}

export async function* turnFrames(
  { log, signal }: Following,
  run: Run,
  after: EventPlace | null,
): Frames {
  if (after === null) yield resync('0', { reason: 'unknown-id', after: 0 })
  for await (const event of log.followTurn(after ?? { runId: run.id, seq: 0 }, signal)) {
    yield { kind: 'event', id: placeText(event), data: runEventJson(event) }
  }
}

/** `after` is `null` for the beginning, `unknown` when the reader names no event of the job. */
export async function* jobFrames(
  { log, signal }: Following,
  jobId: string,
  after: EventPlace | null | 'unknown',
): Frames {
  if (after === 'unknown') yield resync('0', { reason: 'unknown-id', after: 0 })
  const from = after === 'unknown' ? null : after
  for await (const event of log.followJob(jobId, from, signal)) {
    yield { kind: 'event', id: placeText(event), data: runEventJson(event) }
  }
}

/** Without a place to begin, the stream starts now, and its first frame says at which place. */
export async function* allFrames({ log, signal }: Following, after: string | undefined): Frames {
  const latest = await log.lastChange()
  const last = await log.lastPosition()
  const wanted = after === undefined ? last : numberOf(after)
  const position = wanted === null || wanted > last ? last : wanted
  const id = String(position)
  if (after === undefined) {
    yield { kind: 'event', id, name: 'ready', data: JSON.stringify({ after: position }) }
  } else if (position !== wanted) yield resync(id, { reason: 'unknown-id', after: position })
  const change =
    position === wanted && after !== undefined ? await log.changeBefore(position) : latest
  let place = id
  for await (const event of log.followAll({ position, change }, signal)) {
    if ('runId' in event) {
      place = String(event.position)
      yield { kind: 'event', id: place, data: feedEventJson(event) }
    } else yield { kind: 'event', id: place, name: 'changed', data: changeJson(event) }
  }
}

/** The place after which a turn is followed; `null` unless the place is an existing event of a run of this turn. */
export async function placeInTurn(
  reprise: LocalReprise,
  first: Run,
  text: string,
): Promise<EventPlace | null> {
  if (text === '0') return { runId: first.id, seq: 0 }
  const place = placeOf(text)
  let run: Run | null = first
  while (place !== null && run !== null) {
    if (run.id === place.runId) return (await isKnown(reprise.log, place)) ? place : null
    run = run.continuedBy === null ? null : await reprise.runs.get(run.continuedBy)
  }
  return null
}

/** The place after which a job is followed, in the words of `jobFrames`. */
export async function placeInJob(
  log: LocalReprise['log'],
  runs: readonly Run[],
  text: string,
): Promise<EventPlace | null | 'unknown'> {
  if (text === '0') return null
  const place = placeOf(text)
  const isOfJob = place !== null && runs.some(run => run.id === place.runId)
  return isOfJob && (await isKnown(log, place)) ? place : 'unknown'
}

/** Adds a comment after each quiet interval, so that both ends notice a dead connection. */
export async function* withHeartbeats(frames: Frames, heartbeatMs: number): Frames {
  let next = frames.next()
  try {
    for (;;) {
      const quiet = Promise.withResolvers<null>()
      const timer = setTimeout(quiet.resolve, heartbeatMs, null)
      const step = await Promise.race([next, quiet.promise]).finally(() => clearTimeout(timer))
      if (step?.done) return
      if (step === null) yield { kind: 'comment' }
      else {
        yield step.value
        next = frames.next()
      }
    }
  } finally {
    // A reader that stops has aborted the signal, so this promise settles.
    next.catch(() => {})
    await frames.return()
  }
}

async function isKnown(log: LocalReprise['log'], { runId, seq }: EventPlace): Promise<boolean> {
  if (seq === 0) return true
  const [event] = await log.ofRun(runId, seq - 1, 1)
  return event !== undefined
}

function resync(id: string, words: Resync): Frame {
  return { kind: 'event', id, name: 'resync', data: JSON.stringify(words) }
}

export function feedEventJson(event: StoredFeedEvent): string {
  const { position, threadId, chainId, jobId } = event
  const place = JSON.stringify({ position, threadId, chainId, jobId })
  return `${place.slice(0, -1)},${runEventJson(event).slice(1)}`
}

/** The reader loads what is named again. A change may come twice, but none is left out. */
function changeJson({ kind, id, at }: StoredChange): string {
  const change: Changed = { kind, id, at }
  return JSON.stringify(change)
}
