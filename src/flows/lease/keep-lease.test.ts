// How a run holds its lease when the database is away or slow, and what is recorded before its agent is stopped.
import { expect, test } from 'vitest'
import { RepriseError } from '../../errors.ts'
import { keepLease } from './keep-lease.ts'
import { recordKill } from './record-kill.ts'

const LEASE = { threadId: 'thr_1', token: 1 } as never
const LEASE_MS = 60_000

/** What each renewal answers: whether somebody asked to cancel, or an error. */
type Answer = boolean | Error

/** Keeps a lease until the answers are used up; `slept` has how long each pause would have been. */
async function kept(
  answers: readonly Answer[],
  { isAway = false, leaseMs = LEASE_MS, sentAt = performance.now() } = {},
) {
  const over = new AbortController()
  const stops: string[] = []
  const slept: number[] = []
  const left = [...answers]
  const dependencies = {
    timing: { renewMs: 7, leaseMs },
    clock: {
      sleep: async (ms: number) => {
        slept.push(ms)
        if (ms === 7 && left.length === 0) over.abort()
      },
    },
    store: {
      ...(isAway && { presence: {} }),
      renewLease: async (lease: object, ms: number) => {
        expect([lease, ms]).toEqual([LEASE, leaseMs])
        const answer = left.shift() ?? false
        if (answer instanceof Error) throw answer
        return { cancelRequested: answer }
      },
    },
  }
  const stop = (reason: string) => {
    stops.push(reason)
    if (reason === 'database-away') over.abort()
  }
  const held = { lease: LEASE, sentAt, over: over.signal, stop }
  await keepLease(dependencies as never, held as never)
  return { stops, slept, left: left.length }
}

test('V-4 a lease is renewed in even steps until the run is over', async () => {
  const { stops, slept } = await kept([false, false])
  expect([stops, slept]).toEqual([[], [7, 7, 7]])
})

test('V-4 a request to cancel stops the agent, and the lease is kept until the run has ended', async () => {
  const { stops, left } = await kept([true, false])
  expect([stops, left]).toEqual([['cancelled'], 0])
})

test('V-4 a lease that somebody else has stops the agent at once; any other trouble is tried again', async () => {
  const gone = new RepriseError('lease-lost', 'gone', '')
  expect(await kept([gone, false])).toMatchObject({ stops: ['lease-lost'], left: 1 })
  const trouble = [new Error('lease-lost'), new RepriseError('store-full', 'full', '')]
  expect(await kept([...trouble, false])).toMatchObject({ stops: [], left: 0 })
})

test('V-4 with a database that can be away, a lease that may have expired stops the agent', async () => {
  const before = performance.now() - LEASE_MS
  const away = new RepriseError('store-unusable', 'away', '')
  expect((await kept([away], { isAway: true, sentAt: before })).stops).toEqual(['database-away'])
  // A store in a file is never away, so nobody else can have the lease.
  expect((await kept([away], { sentAt: before })).stops).toEqual([])
  const inTime = await kept([away], { isAway: true })
  expect(inTime.stops).toEqual([])
  // It looks again when the lease would expire, not earlier and not later.
  const wait = Math.max(...inTime.slept)
  expect(wait).toBeGreaterThan(LEASE_MS / 2)
  expect(wait).toBeLessThanOrEqual(LEASE_MS)
})

test('V-4 a lease that was renewed lasts from that renewal on', async () => {
  const { stops, slept } = await kept([false, false], {
    isAway: true,
    sentAt: performance.now() - LEASE_MS / 2,
  })
  expect(stops).toEqual([])
  const waits = slept.filter(ms => ms !== 7)
  expect(waits[0]).toBeLessThanOrEqual(LEASE_MS / 2)
  expect(Math.max(...waits)).toBeGreaterThan(LEASE_MS / 2)
})

/** Records a stop, with a store that takes its time. */
async function recorded(reason: string, { isAway = false, fails = false, hangs = false } = {}) {
  const notes: unknown[] = []
  const store = {
    ...(isAway && { presence: {} }),
    recordKill: async (...given: unknown[]) => {
      notes.push(given)
      if (hangs) await new Promise(() => {})
      if (fails) throw new Error('no')
    },
  }
  let patience: AbortSignal | undefined
  const clock = {
    sleep: async (ms: number, signal: AbortSignal) => {
      expect(ms).toBe(2_000)
      patience = signal
      if (!hangs) await new Promise(() => {})
    },
  }
  const stop = { lease: LEASE, runId: 'run_1', reason }
  const failed = await recordKill({ store, clock } as never, stop as never).then(
    () => false,
    () => true,
  )
  return { notes, failed, isPatienceOver: patience?.aborted }
}

test('I1 a stop is on record before the first signal; without the lease or the database there is none', async () => {
  expect((await recorded('cancelled')).notes).toEqual([[LEASE, 'run_1', 'cancelled']])
  for (const reason of ['lease-lost', 'database-away'])
    expect((await recorded(reason, { isAway: true })).notes).toEqual([])
})

test('U-3 a database that is away does not keep an agent alive: the record waits for a moment', async () => {
  expect(await recorded('cancelled', { isAway: true })).toMatchObject({
    failed: false,
    isPatienceOver: true,
  })
  expect(await recorded('cancelled', { isAway: true, hangs: true })).toMatchObject({
    failed: false,
  })
  expect(await recorded('cancelled', { fails: true })).toMatchObject({ failed: true })
})
