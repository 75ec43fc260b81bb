// The order of reading and waiting: what is stored while a follower reads must not wait for the next event.
import { expect, test } from 'vitest'
import type { StoredEvent, StoredFeedEvent } from '../../core/run/stored-events.ts'
import { RunLog } from './run-log.ts'

const RUN = 'run_1'
const event = (seq: number, type = 'text'): StoredFeedEvent => ({
  runId: RUN,
  threadId: null,
  chainId: null,
  jobId: null,
  position: seq,
  seq,
  at: seq,
  type,
  json: '{}',
})

/** A log whose `meanwhile` happens while a read is under way: its result comes from before. */
function logOf(stored: StoredFeedEvent[], meanwhile: () => void) {
  const listeners = new Set<() => void>()
  let quietTimes = 0
  const read = async (after: number, limit: number) => {
    const found = stored.filter(({ seq }) => seq > after).slice(0, limit)
    const isEmpty = found.length === 0
    if (isEmpty) meanwhile()
    // The watcher has looked at the store before the reader gets its old answer.
    if (isEmpty) await new Promise(resolve => setTimeout(resolve, 50))
    return found
  }
  const log = new RunLog({
    store: {
      events: (_, after, limit) => read(after, limit),
      feed: read,
      run: async () => ({ endedAt: null }) as never,
      changes: async () => [],
      lastChange: async () => 0,
      lastPosition: async () => stored.length,
      changedRuns: async after =>
        stored.length > after ? [{ runId: RUN, position: stored.length }] : [],
    },
    onWrite: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pollMs: 1,
    // Nothing but a stored event wakes a follower.
    clock: { sleep: (_, signal) => new Promise(r => signal?.addEventListener('abort', () => r())) },
    recover: async () => {
      quietTimes += 1
    },
  })
  const write = (next: StoredFeedEvent) => {
    stored.push(next)
    for (const listener of listeners) listener()
  }
  return { log, write, quietTimes: () => quietTimes }
}

test('I10 an event that is stored while a follower of a run reads is given at once', async () => {
  const stored = [event(1)]
  let writes = 0
  const { log, write, quietTimes } = logOf(stored, () => {
    if (writes++ === 0) write(event(2, 'ended'))
  })
  const given: StoredEvent[] = []
  for await (const one of log.followRun(RUN)) given.push(one)
  expect(given.map(({ seq }) => seq)).toEqual([1, 2])
  expect(quietTimes()).toBe(0)
})

test('I10 an event that is stored while a follower of all runs reads is given at once', async () => {
  const stored = [event(1)]
  let writes = 0
  const { log, write } = logOf(stored, () => {
    if (writes++ === 0) write(event(2))
  })
  const done = new AbortController()
  const given: number[] = []
  for await (const { position } of log.followAll({ position: 0, change: 0 }, done.signal)) {
    given.push(position)
    if (position === 2) break
  }
  done.abort()
  expect(given).toEqual([1, 2])
}, 20_000)

test('I10 a follower reads a long log in pages, each event once', async () => {
  const stored = Array.from({ length: 250 }, (_, at) => event(at + 1))
  stored.push(event(251, 'ended'))
  const { log } = logOf(stored, () => {})
  const given: number[] = []
  for await (const { seq } of log.followRun(RUN, { after: 3 })) given.push(seq)
  expect(given).toEqual(Array.from({ length: 248 }, (_, at) => at + 4))
})
