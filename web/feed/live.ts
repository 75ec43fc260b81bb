// The one stream of this page: every change of the store, over reconnects and restarts of the daemon, without a gap.
// A browser has six connections for all tabs, so a hidden page gives its stream back and only looks in now and then.
import { signal } from '@preact/signals'
import { readServerEvents } from '../../src/client/event-source.ts'
import { RepriseError } from '../../src/errors.ts'
import { isSignedOut } from '../browser/sign-in.ts'
import { http } from '../data/client.ts'
import { INBOX_TOPICS } from '../data/inbox.ts'
import type { FeedEvent } from '../pictures/event-list.ts'
import { type Changed, topicsOf, touch, touchAll } from './topics.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Since when, and when the next try is. */
  | { readonly state: 'away'; readonly since: number; readonly nextAt: number }

export const connection = signal<Connection>({ state: 'connecting' })

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000
const LOOK_IN_MS = 20_000

let wake = () => {}
let last: string | null = null

/** Tries at once instead of after the pause. */
export function reconnect(): void {
  wake()
}

type EventListener = (event: FeedEvent) => void

const readers = new Map<string, Set<EventListener>>()

/** Hears the events of a run as they are stored, from now on. Returns how to stop. */
export function hearRun(runId: string, listener: EventListener): () => void {
  const known = readers.get(runId) ?? new Set()
  readers.set(runId, known.add(listener))
  return () => {
    known.delete(listener)
    if (known.size === 0) readers.delete(runId)
  }
}

const EVERY_RUN = '*'

/** Hears the events of all runs. Returns how to stop. */
export function hearAll(listener: EventListener): () => void {
  return hearRun(EVERY_RUN, listener)
}

export async function followStore(): Promise<never> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const end = await readStream(() => {
      pauseMs = FIRST_PAUSE_MS
    })
    if (end === 'hidden') {
      await whileHidden()
      continue
    }
    const now = Date.now()
    const { value } = connection
    const since = value.state === 'away' ? value.since : now
    connection.value = { state: 'away', since, nextAt: now + pauseMs }
    await pauseOrWake(pauseMs)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Reads until the connection is lost or the page is hidden. */
async function readStream(onOpen: () => void): Promise<'lost' | 'hidden'> {
  const hidden = new AbortController()
  const hide = () => document.visibilityState === 'hidden' && hidden.abort()
  document.addEventListener('visibilitychange', hide)
  try {
    const headers = { accept: 'text/event-stream', ...(last !== null && { 'last-event-id': last }) }
    const stream = await http.open('/api/events', { headers, signal: hidden.signal })
    // What happened between the first reads of the views and now is not in the stream.
    if (last === null) touchAll()
    connection.value = { state: 'live' }
    onOpen()
    for await (const { id, event, data } of readServerEvents(stream)) {
      if (id !== null) last = id
      if (event === 'resync') touchAll()
      else if (event !== 'ready') hear(JSON.parse(data))
    }
  } catch (error) {
    if (error instanceof RepriseError && isRefusal(error)) isSignedOut.value = true
  } finally {
    document.removeEventListener('visibilitychange', hide)
  }
  return hidden.signal.aborted ? 'hidden' : 'lost'
}

function hear(frame: Changed & Partial<FeedEvent>): void {
  touch(topicsOf(frame))
  if (frame.runId === undefined || frame.seq === undefined) return
  for (const key of [frame.runId, EVERY_RUN]) {
    for (const listener of readers.get(key) ?? []) listener(frame as FeedEvent)
  }
}

function isRefusal({ code }: RepriseError): boolean {
  return code === 'unauthorized' || code === 'forbidden'
}

/** The title of the tab and notifications stay true meanwhile. */
async function whileHidden(): Promise<void> {
  while (document.visibilityState === 'hidden') {
    touch(INBOX_TOPICS)
    await pauseOrWake(LOOK_IN_MS)
  }
}

async function pauseOrWake(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const wakeUp = () => resolve()
  wake = wakeUp
  addEventListener('online', wakeUp)
  document.addEventListener('visibilitychange', wakeUp)
  await promise
  clearTimeout(timer)
  removeEventListener('online', wakeUp)
  document.removeEventListener('visibilitychange', wakeUp)
}
