// How a follower waits, when it looks again, and when it ends. The store is a list, and the test decides when time passes.
import { describe, expect, test } from 'vitest'
import type { StoredFeedEvent } from '../../core/run/stored-events.ts'
import { RunLog, type RunLogOptions } from './run-log.ts'
import { SharedReads } from './shared-reads.ts'

const RUN = 'run_1'
const QUIET_MS = 1_000
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

type Sleep = { readonly ms: number; readonly end: () => void }

function openLog(run: { readonly endedAt: number | null } | null = { endedAt: null }) {
  const stored: StoredFeedEvent[] = []
  const listeners = new Set<() => void>()
  const sleeps: Sleep[] = []
  const recovered: (string | null)[] = []
  const counts = { reads: 0, change: 0 }
  const state = { run, recover: async () => {} }
  const store = {
    events: async (_: string, after: number, limit: number) => {
      counts.reads += 1
      return stored.filter(({ seq }) => seq > after).slice(0, limit)
    },
    feed: async (after: number, limit: number) =>
      stored.filter(({ position }) => position > after).slice(0, limit),
    run: async () => state.run,
    changes: async (after: number) =>
      counts.change > after ? [{ position: counts.change, kind: 'thread', id: 'thr_1' }] : [],
    lastChange: async () => counts.change,
    lastPosition: async () => stored.length,
    changedRuns: async (after: number) =>
      stored.length > after ? [{ runId: RUN, position: stored.length }] : [],
  }
  const log = new RunLog({
    store: store as unknown as RunLogOptions['store'],
    onWrite: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pollMs: 1,
    clock: {
      sleep: (ms, signal) =>
        new Promise(resolve => {
          const end = () => resolve()
          sleeps.push({ ms, end })
          signal?.addEventListener('abort', end)
        }),
    },
    recover: async waitingOn => {
      recovered.push(waitingOn)
      return state.recover()
    },
  })
  const write = (...events: readonly StoredFeedEvent[]) => {
    stored.push(...events)
    for (const listener of listeners) listener()
  }
  /** Ends the last sleep, as if its time had passed. */
  const pass = async (times = 1) => {
    for (let at = 0; at < times; at++) {
      const before = sleeps.length
      sleeps.at(-1)?.end()
      await expect.poll(() => sleeps.length).toBeGreaterThan(before)
    }
  }
  const asleep = (count: number) => expect.poll(() => sleeps.length).toBeGreaterThanOrEqual(count)
  return { log, write, pass, asleep, sleeps, recovered, counts, state, listeners }
}

function reading(events: AsyncIterable<{ readonly position?: number; readonly seq?: number }>) {
  const seen: number[] = []
  const over = (async () => {
    for await (const { seq, position } of events) seen.push(seq ?? position ?? 0)
    return seen
  })()
  return { seen, over }
}

describe('who looks until something is found', () => {
  test('gets what is there at once, and listens no longer', async () => {
    const { log, sleeps, listeners } = openLog()
    expect(await log.lookUntilFound(async () => 'found')).toBe('found')
    expect(sleeps).toEqual([])
    await expect.poll(() => listeners.size).toBe(0)
  })

  test('looks again in growing steps up to a second', async () => {
    const { log, sleeps, pass, asleep } = openLog()
    let looks = 0
    const found = log.lookUntilFound(async () => (++looks > 13 ? looks : null))
    // The first look at the store wakes every listener, so that the steps begin once more.
    await asleep(2)
    while (looks < 13) await pass()
    sleeps.at(-1)?.end()
    expect(await found).toBe(14)
    const steps = sleeps.map(({ ms }) => ms)
    expect(steps.slice(-11)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, QUIET_MS, QUIET_MS])
  })

  test('looks after something was stored, and then begins with short steps again', async () => {
    const { log, write, sleeps, pass, asleep } = openLog()
    const things: string[] = []
    const found = log.lookUntilFound(async () => things[0] ?? null)
    await asleep(2)
    await pass(4)
    const before = sleeps.length
    write(event(1))
    await asleep(before + 1)
    expect(sleeps.at(-1)?.ms).toBe(1)
    things.push('found')
    sleeps.at(-1)?.end()
    expect(await found).toBe('found')
  })

  test.each([
    ['its signal aborts', (enough: AbortController) => enough.abort()],
    ['the process closes', (_: AbortController, log: RunLog) => void log.close()],
  ])('gets nothing when %s', async (_, end) => {
    const { log, asleep, listeners } = openLog()
    const enough = new AbortController()
    const found = log.lookUntilFound(async () => null, enough.signal)
    await asleep(1)
    end(enough, log)
    expect(await found).toBeNull()
    await expect.poll(() => listeners.size).toBe(0)
  })
})

describe('a follower of a run', () => {
  test('recovers dead processes when nothing comes for a second, once for all followers', async () => {
    const { log, recovered, pass, asleep, sleeps } = openLog()
    const enough = new AbortController()
    const { over } = reading(log.followRun(RUN, { signal: enough.signal }))
    await asleep(2)
    expect(sleeps.at(-1)?.ms).toBe(QUIET_MS)
    expect(recovered).toEqual([])
    await pass(2)
    expect(recovered).toEqual([null])
    enough.abort()
    expect(await over).toEqual([])
  })

  test('a turn that waits in the queue of a thread recovers each time, also while the store cannot be read', async () => {
    const { log, recovered, pass, asleep, state } = openLog()
    const enough = new AbortController()
    state.recover = () => Promise.reject(new Error('the disk is full'))
    const { over } = reading(log.followRun(RUN, { signal: enough.signal, waitingOn: 'thr_1' }))
    await asleep(2)
    await pass(2)
    expect(recovered).toEqual(['thr_1', 'thr_1'])
    enough.abort()
    await over
  })

  test.each([
    ['was removed', null],
    ['ended without an event that says so', { endedAt: 5 }],
  ])('gets what is stored of a run that %s, and ends', async (_, run) => {
    const { log, write, recovered, listeners } = openLog(run)
    write(event(1), event(2))
    expect(await reading(log.followRun(RUN)).over).toEqual([1, 2])
    expect(recovered).toEqual([])
    await expect.poll(() => listeners.size).toBe(0)
  })

  test('ends when no more events will come, after those that are stored', async () => {
    const { log, write, asleep } = openLog()
    const over = new AbortController()
    const follower = reading(log.followRun(RUN, { over: over.signal }))
    await asleep(1)
    write(event(1))
    await expect.poll(() => follower.seen).toEqual([1])
    over.abort()
    expect(await follower.over).toEqual([1])
    expect(await reading(log.followRun(RUN, { over: over.signal })).over).toEqual([1])
  })

  test('reads what is stored when the process closes, and nothing after that', async () => {
    const { log, write, asleep } = openLog()
    const follower = reading(log.followRun(RUN))
    await asleep(1)
    write(event(1), event(2))
    await log.close()
    expect(await follower.over).toEqual([1, 2])
    expect(await reading(log.followRun(RUN)).over).toEqual([])
  })

  test('does not keep the process from closing when nobody takes its events', async () => {
    const { log, write } = openLog()
    write(event(1), event(2))
    const idle = log.followRun(RUN)[Symbol.asyncIterator]()
    await idle.next()
    await log.close()
    expect(await idle.next()).toMatchObject({ value: { seq: 2 } })
    expect(await idle.next()).toMatchObject({ done: true })
  })

  test('shares its reads with followers at the same place', async () => {
    const { log, write, counts } = openLog()
    write(event(1), event(2, 'ended'))
    const both = [reading(log.followRun(RUN)), reading(log.followRun(RUN))]
    for (const { over } of both) expect(await over).toEqual([1, 2])
    expect(counts.reads).toBe(1)
    const later = reading(log.followRun(RUN, { after: 1 }))
    expect(await later.over).toEqual([2])
    expect(counts.reads).toBe(2)
  })
})

test('a follower of everything gets changes without events, and events without changes, until its signal aborts', async () => {
  const { log, write, counts, listeners } = openLog()
  const enough = new AbortController()
  const follower = reading(log.followAll({ position: 0, change: 0 }, enough.signal))
  write(event(1))
  await expect.poll(() => follower.seen).toEqual([1])
  counts.change = 7
  await expect.poll(() => follower.seen).toEqual([1, 7])
  write(event(2))
  await expect.poll(() => follower.seen).toEqual([1, 7, 2])
  enough.abort()
  await follower.over
  await expect.poll(() => listeners.size).toBe(0)
})

test('a read is shared while it is under way, by its key, and not afterwards', async () => {
  const reads = new SharedReads()
  let loads = 0
  const load = async () => ++loads
  expect(await Promise.all([reads.read('a', load), reads.read('a', load)])).toEqual([1, 1])
  expect(await Promise.all([reads.read('a', load), reads.read('b', load)])).toEqual([2, 3])
})
