// What a store must do with work that an engine hands out: wait, hand out, hand out again, give up, cancel.
import assert from 'node:assert/strict'
import type { StoreWithWork } from '../../store/contract/store.ts'
import type { Delivered } from '../../store/contract/work.ts'
import { refusesWith, storeCase } from './case.ts'
import { sampleWork, taking } from './job-cases.ts'

const NOW = 1_000
const W = { id: 'w' }

async function taken(store: StoreWithWork, now = NOW): Promise<Delivered> {
  const work = await store.dequeueWork({ ...taking, now })
  assert.ok(work)
  return work
}

export const WORK_CASES = [
  storeCase('work that waits is due at the earlier of two times', async store => {
    assert.equal(await store.nextWorkAt('jobs'), null)
    await store.enqueueWork(sampleWork(W, { notBefore: 5_000 }), NOW)
    assert.equal(await store.nextWorkAt('jobs'), 5_000)
    assert.equal(await store.nextWorkAt('others'), null)
    assert.equal(await store.enqueueWork(sampleWork(W, { notBefore: 3_000 }), NOW), 'known')
    assert.equal(await store.enqueueWork(sampleWork(W, { notBefore: 4_000 }), NOW), 'known')
    assert.equal(await store.nextWorkAt('jobs'), 3_000)
    assert.equal(await store.dequeueWork({ ...taking, now: 2_999 }), null)
    assert.equal((await taken(store, 3_000)).id, 'w')
    assert.equal(await store.nextWorkAt('jobs'), null)
  }),

  storeCase(
    'work that a worker has is handed out again when it is asked for meanwhile',
    async store => {
      await store.enqueueWork(sampleWork(W), NOW)
      const first = await taken(store)
      for (const notBefore of [6_000, 4_000, 5_000])
        assert.equal(await store.enqueueWork(sampleWork(W, { notBefore }), NOW), 'known')
      assert.equal(await store.dequeueWork({ ...taking, now: 9_000 }), null)
      assert.equal(await store.endWork(first, { next: 'done' }), true)
      assert.equal(await store.nextWorkAt('jobs'), 4_000)
      const again = await taken(store, 4_000)
      assert.ok(again.delivery > first.delivery)
      assert.equal(await store.endWork(again, { next: 'done' }), true)
      assert.equal(await store.nextWorkAt('jobs'), null)
      assert.equal(await store.cancelWork('jobs', 'w'), 'unknown')
    },
  ),

  storeCase('a worker can ask for another time; a request that is earlier wins', async store => {
    await store.enqueueWork(sampleWork(W), NOW)
    await store.endWork(await taken(store), { next: 'again', at: 7_000 })
    assert.equal(await store.nextWorkAt('jobs'), 7_000)
    const second = await taken(store, 7_000)
    await store.enqueueWork(sampleWork(W, { notBefore: 8_000 }), NOW)
    await store.endWork(second, { next: 'again', at: 9_000 })
    assert.equal(await store.nextWorkAt('jobs'), 8_000)
    const third = await taken(store, 8_000)
    assert.equal(third.failures, 0)
    assert.equal(await store.endWork(second, { next: 'done' }), false)
    assert.equal(await store.endWork({ ...third, id: 'other' }, { next: 'done' }), false)
  }),

  storeCase(
    'failures count in a row; a delivery that went well begins the count again',
    async store => {
      await store.enqueueWork(sampleWork(W), NOW)
      await store.endWork(await taken(store), { next: 'failed', error: 'once', retryAt: 2_000 })
      assert.equal(await store.nextWorkAt('jobs'), 2_000)
      const second = await taken(store, 2_000)
      assert.equal(second.failures, 1)
      await store.endWork(second, { next: 'again', at: NOW })
      const third = await taken(store)
      assert.equal(third.failures, 0)
      await store.endWork(third, { next: 'failed', error: 'x'.repeat(5_000), retryAt: NOW })
      await store.endWork(await taken(store), {
        next: 'failed',
        error: 'y'.repeat(5_000),
        retryAt: NOW,
      })
      assert.equal(await store.dequeueWork(taking), null)
      const [dead] = await store.deadWork('jobs', 10)
      assert.equal(dead?.error, 'y'.repeat(1_000))
      assert.deepEqual(await store.deadWork('others', 10), [])
      assert.equal(await store.cancelWork('jobs', 'w'), 'gone')
      assert.deepEqual(await store.deadWork('jobs', 10), [])
    },
  ),

  storeCase(
    'work is live while it waits and while a worker has it, until it is given up',
    async store => {
      const live = () => store.liveWork('jobs', ['w', 'none', 'late'])
      assert.deepEqual(await live(), [])
      await store.enqueueWork(sampleWork(W), NOW)
      await store.enqueueWork(sampleWork({ id: 'late' }, { notBefore: 9_000 }), NOW)
      await store.enqueueWork(sampleWork({ id: 'none' }, { queue: 'others' }), NOW)
      assert.deepEqual([...(await live())].toSorted(), ['late', 'w'])
      assert.deepEqual(await store.liveWork('jobs', []), [])
      for (const error of ['once', 'twice']) {
        const work = await taken(store)
        assert.deepEqual([...(await live())].toSorted(), ['late', 'w'])
        await store.endWork(work, { next: 'failed', error, retryAt: NOW })
      }
      assert.equal((await store.deadWork('jobs', 10)).length, 1)
      assert.deepEqual(await live(), ['late'])
      await store.enqueueWork(sampleWork(W), NOW)
      assert.deepEqual([...(await live())].toSorted(), ['late', 'w'])
    },
  ),

  storeCase('J-8 work is handed out only to workers that take its lane', async store => {
    const lanes = ['', 'a', 'b', 'b', 'c'] as const
    for (const [number, lane] of lanes.entries())
      await store.enqueueWork(sampleWork({ id: `w${number}` }, { lane, notBefore: number }), NOW)
    await store.enqueueWork(sampleWork({ id: 'x' }, { queue: 'others', lane: 'z' }), NOW)
    assert.deepEqual([...(await store.waitingLanes('jobs'))].toSorted(), ['', 'a', 'b', 'c'])
    assert.deepEqual(await store.waitingLanes('none'), [])
    assert.equal(await store.dequeueWork({ ...taking, lanes: [] }), null)
    assert.equal(await store.dequeueWork({ ...taking, lanes: ['z'] }), null)
    assert.equal(await store.nextWorkAt('jobs', ['b', 'c']), 2)
    assert.equal(await store.nextWorkAt('jobs', ['z']), null)
    assert.equal(await store.nextWorkAt('jobs', []), null)
    const order = [['c', 'b'], ['c', 'b'], [''], undefined, undefined] as const
    const ids = []
    for (const wanted of order)
      ids.push((await store.dequeueWork({ ...taking, lanes: wanted }))?.id)
    assert.deepEqual(ids, ['w2', 'w3', 'w0', 'w1', 'w4'])
    // Work in the hands of a worker waits nowhere.
    assert.deepEqual(await store.waitingLanes('jobs'), [])
  }),

  storeCase('J-8 work that is asked for again goes to the latest lane', async store => {
    await store.enqueueWork(sampleWork(W, { lane: 'a' }), NOW)
    await store.enqueueWork(sampleWork(W, { lane: 'b' }), NOW)
    assert.deepEqual(await store.waitingLanes('jobs'), ['b'])
    const held = await store.dequeueWork({ ...taking, lanes: ['b'] })
    assert.ok(held)
    await store.enqueueWork(sampleWork(W, { lane: 'c' }), NOW)
    await store.endWork(held, { next: 'done' })
    assert.deepEqual(await store.waitingLanes('jobs'), ['c'])
  }),

  storeCase('work is found among thousands of ids', async store => {
    const ids = Array.from({ length: 2_500 }, (_, number) => `w${number}`)
    const stored = ['w0', 'w499', 'w500', 'w999', 'w2499']
    for (const id of stored) await store.enqueueWork(sampleWork({ id }), NOW)
    assert.deepEqual(new Set(await store.liveWork('jobs', ids)), new Set(stored))
  }),

  storeCase('work in hands names its owner, and is expired without a heartbeat', async store => {
    assert.deepEqual(await store.workInHands('jobs'), [])
    await store.enqueueWork(sampleWork(W), NOW)
    await store.enqueueWork(sampleWork({ id: 'late' }), NOW)
    await store.enqueueWork(sampleWork({ id: 'waits' }), NOW)
    const held = await taken(store)
    const late = await store.dequeueWork({ ...taking, beatMs: 0 })
    assert.ok(late)
    assert.deepEqual(await store.workInHands('jobs'), [
      { work: held, expired: false },
      { work: late, expired: true },
    ])
    assert.deepEqual(held.owner, taking.owner)
    await store.beatWork(late, 60_000)
    await store.beatWork(held, 0)
    assert.deepEqual(
      (await store.workInHands('jobs')).map(({ expired }) => expired),
      [true, false],
    )
    assert.deepEqual(await store.workInHands('others'), [])
  }),

  storeCase(
    'a cancel removes work that waits, and reaches a worker at its heartbeat',
    async store => {
      assert.equal(await store.cancelWork('jobs', 'w'), 'unknown')
      await store.enqueueWork(sampleWork(W), NOW)
      assert.equal(await store.cancelWork('others', 'w'), 'unknown')
      assert.equal(await store.cancelWork('jobs', 'w'), 'gone')
      assert.equal(await store.dequeueWork(taking), null)
      await store.enqueueWork(sampleWork(W), NOW)
      const work = await taken(store)
      assert.deepEqual(await store.beatWork(work, 1_000), { cancelRequested: false })
      assert.equal(await store.cancelWork('jobs', 'w'), 'requested')
      assert.deepEqual(await store.beatWork(work, 1_000), { cancelRequested: true })
      await store.endWork(work, { next: 'again', at: NOW })
      assert.deepEqual(await store.beatWork(await taken(store), 1_000), { cancelRequested: false })
      await refusesWith('lease-lost', () => store.beatWork(work, 1_000), 'w is no longer')
    },
  ),
]
