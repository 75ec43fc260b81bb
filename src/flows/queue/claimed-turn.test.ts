// A turn that waits for its claim: it holds a slot only while it asks, and gives up when it is over. The store answers from a list.
import { describe, expect, test } from 'vitest'
import { RepriseError } from '../../errors.ts'
import { LiveRuns } from './live-runs.ts'
import { claimInSlot, waitForTurn } from './wait-for-turn.ts'

const LEASE = { threadId: 'thr_1', token: 1 }
const BUSY = { state: 'busy', holder: 'run_0' }
const CLAIMED = { state: 'claimed', lease: LEASE }

type Given = {
  readonly claims?: readonly (object | Error)[]
  readonly keepsQueue?: boolean
  readonly whenBusy?: 'fail'
  readonly repliesTo?: string
  /** Another turn of the thread is in the line before. */
  readonly isBehind?: boolean
  readonly firstInLine?: string
  readonly onSleep?: (waiting: { live: LiveRuns; cancel: () => void }) => void
}

async function waited(given: Given = {}) {
  const live = new LiveRuns(1)
  const notes: string[] = []
  const slept: (readonly [number, number])[] = []
  const claims = [...(given.claims ?? [CLAIMED])]
  const cancelled = new AbortController()
  const run = {
    id: 'run_1',
    threadId: 'thr_1',
    repliesTo: given.repliesTo ?? null,
    jobId: null,
    chainId: null,
  }
  const dependencies = {
    live,
    owner: { host: 'h', pid: 1, startTime: '0', ...(given.keepsQueue && { keepsQueue: true }) },
    timing: { leaseMs: 9, queuePollMs: 3 },
    clock: {
      now: () => 0,
      sleep: async (ms: number) => {
        slept.push([ms, live.slots.running])
        given.onSleep?.({ live, cancel: () => cancelled.abort() })
      },
    },
    isAlive: () => true,
    store: {
      reach: 'one-host',
      claimTurn: async (id: string, _: object, leaseMs: number) => {
        expect([id, leaseMs]).toEqual(['run_1', 9])
        const claim = claims.length > 1 ? claims.shift() : claims[0]
        if (claim instanceof Error) throw claim
        return claim
      },
      run: async () => ({ status: 'queued' }),
      openRuns: async () => [],
      questions: async () => [],
      firstInLine: async () => given.firstInLine ?? 'run_0',
      abandonQueued: async (id: string, _: object, { class: kind }: { class: string }) =>
        void notes.push(`abandon ${id} ${kind}`),
      requestCancel: async (id: string) => void notes.push(`cancel ${id}`),
    },
  }
  if (given.isBehind) live.queue.join('thr_1', 'run_0')
  const place = live.queue.join('thr_1', 'run_1')
  const options = given.whenBusy ? { whenBusy: given.whenBusy } : {}
  const control = { signal: cancelled.signal }
  const claimed = await waitForTurn(
    dependencies as never,
    { run, options, control, place } as never,
  ).catch((error: unknown) => error as RepriseError)
  return { claimed, live, notes, slept }
}

describe('T-10 a turn that waits for its thread', () => {
  test('has a slot and a lease when it is claimed', async () => {
    const { claimed, live } = await waited()
    expect(claimed).toMatchObject({ lease: LEASE, slot: {}, sentAt: expect.any(Number) })
    expect([live.slots.running, live.waiting.size]).toEqual([1, 0])
  })

  test('gives its slot back while it waits, and says for whom', async () => {
    const reasons: unknown[] = []
    const { claimed, slept, live } = await waited({
      claims: [BUSY, BUSY, CLAIMED],
      onSleep: waiting => reasons.push(waiting.live.waiting.get('run_1')?.()),
    })
    expect(claimed).toMatchObject({ lease: LEASE })
    expect(slept).toEqual([
      [3, 0],
      [3, 0],
    ])
    expect(reasons[0]).toEqual({ code: 'thread-busy', runId: 'run_0' })
    expect([live.slots.running, live.waiting.size]).toEqual([1, 0])
  })

  test('is refused at once where its caller does not want to wait, and leaves the queue', async () => {
    const { claimed, notes, live } = await waited({ claims: [BUSY], whenBusy: 'fail' })
    expect(claimed).toMatchObject({ code: 'busy' })
    expect([notes, live.slots.running]).toEqual([['cancel run_1'], 0])
  })

  test('that was ended meanwhile gives up', async () => {
    const { claimed, live } = await waited({ claims: [{ state: 'ended' }] })
    expect(claimed).toMatchObject({
      ...{ code: 'cancelled', message: 'run run_1 was cancelled before its turn came' },
    })
    expect(live.slots.running).toBe(0)
  })

  test('that its caller cancels gives up at its next look', async () => {
    const { claimed, notes } = await waited({ claims: [BUSY], onSleep: ({ cancel }) => cancel() })
    expect([claimed, notes]).toMatchObject([{ code: 'cancelled' }, ['cancel run_1']])
  })

  test.each([
    [true, 'run run_1 stays in the queue: this process stops', []],
    [false, 'run run_1 did not begin: this process stops', ['abandon run_1 shutdown']],
  ])('in a process that stops, keepQueue %s: %s', async (keepsQueue, message, expected) => {
    const onSleep: Given['onSleep'] = ({ live }) => live.beginNothing()
    const { claimed, notes, live } = await waited({ claims: [BUSY], keepsQueue, onSleep })
    expect(claimed).toMatchObject({ code: 'cancelled', message })
    expect((claimed as RepriseError).hint).toMatch(keepsQueue ? /reprise serve/ : /./)
    expect([notes, live.slots.running]).toEqual([expected, 0])
  })

  test('waits behind the turns of its thread; a reply does not, for they wait for its question', async () => {
    const reply = await waited({ isBehind: true, repliesTo: 'run_0' })
    expect([reply.claimed, reply.slept]).toMatchObject([{ lease: LEASE }, []])
    const behind = await waited({ isBehind: true, firstInLine: 'run_1' })
    // Ten looks for each turn before it; by the order of the store it is the first.
    expect(behind.slept.map(([ms]) => ms)).toEqual([30])
    expect(behind.claimed).toMatchObject({ lease: LEASE })
  })
})

describe('U-4 a store that is in trouble', () => {
  const TROUBLE = new RepriseError('store-full', 'no space', '')

  test('is waited for by a process that keeps the queue', async () => {
    const { claimed, slept } = await waited({ claims: [TROUBLE, CLAIMED], keepsQueue: true })
    expect([claimed, slept]).toMatchObject([{ lease: LEASE }, [[1_000, 0]]])
  })

  test.each([
    ['any other process', TROUBLE, false],
    [
      'a process that keeps the queue, where it is a fault of our own',
      new Error('store-full'),
      true,
    ],
    ['it too, where waiting cannot help', new RepriseError('not-found', 'gone', ''), true],
  ])('is the error of %s', async (_, error, keepsQueue) => {
    const { claimed, live } = await waited({ claims: [error], keepsQueue })
    expect([claimed, live.slots.running]).toEqual([error, 0])
  })
})

test('T-10 a turn that is stored is claimed at once where there is a slot, and gives the slot back where it is not claimed', async () => {
  const live = new LiveRuns(1)
  const asked: object[] = []
  const storing = (lease: object | null) =>
    claimInSlot({ timing: { leaseMs: 9 }, live } as never, async slot => {
      asked.push(slot)
      return { lease } as never
    })
  expect((await storing(null)).claimed).toBeNull()
  expect(live.slots.running).toBe(0)
  expect((await storing(LEASE)).claimed).toMatchObject({ lease: LEASE })
  expect(live.slots.running).toBe(1)
  expect((await storing(null)).claimed).toBeNull()
  expect(asked).toMatchObject([{ leaseMs: 9 }, { leaseMs: 9 }, { noSlot: { code: 'no-slot' } }])
  const failing = new LiveRuns(1)
  const fault = new Error('a fault')
  await expect(
    claimInSlot({ timing: { leaseMs: 9 }, live: failing } as never, () => Promise.reject(fault)),
  ).rejects.toBe(fault)
  expect(failing.slots.running).toBe(0)
})
