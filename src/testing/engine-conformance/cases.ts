// Tests of the engine's contract. They use only the contract, so they fit every engine.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Handled } from '../../engine/engine.ts'
import { sampleJob } from '../store-conformance/job-cases.ts'
import { DONE, type EngineCase, engineCase, note, QUEUE, until } from './case.ts'
import { LANE_CASES } from './lane-cases.ts'

/** The tests of `engineConformance`, for other test runners. */
export const ENGINE_CASES: readonly EngineCase[] = [
  engineCase('hands out what was dispatched, once', async world => {
    const engine = world.engine()
    const seen: string[] = []
    assert.equal(await engine.dispatch({ queue: QUEUE, id: 'a' }), 'new')
    engine.consume(QUEUE, note(seen), { concurrency: 2 })
    await engine.dispatch({ queue: QUEUE, id: 'b' })
    await until(() => seen.length === 2)
    await engine.dispatch({ queue: 'other', id: 'c' })
    await sleep(50)
    assert.deepEqual(seen, ['a', 'b'])
  }),

  engineCase('finds known work also when the id was said to be new', async world => {
    const engine = world.engine()
    const work = { queue: QUEUE, id: 'a', isFresh: true }
    assert.equal(await engine.dispatch(work), 'new')
    assert.equal(await engine.dispatch(work), 'known')
    const seen: string[] = []
    engine.consume(QUEUE, note(seen), { concurrency: 2 })
    await until(() => seen.length > 0)
    await sleep(50)
    assert.deepEqual(seen, ['a'])
  }),

  engineCase('hands out enlisted work when its transaction commits, and only then', async world => {
    const engine = world.engine()
    const seen: string[] = []
    engine.consume(QUEUE, note(seen), { concurrency: 2 })
    const [kept, lost] = [sampleJob(), sampleJob()]
    const enlistLost = engine.enlist({ queue: QUEUE, id: lost.id })
    await assert.rejects(
      world.store.submitJob(lost, async transaction => {
        await enlistLost(transaction)
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    await world.store.submitJob(kept, engine.enlist({ queue: QUEUE, id: kept.id }))
    engine.wake(QUEUE)
    await until(() => seen.length > 0)
    await sleep(50)
    assert.deepEqual(seen, [kept.id])
  }),

  engineCase('cancels enlisted work when its transaction commits, and only then', async world => {
    const engine = world.engine()
    const [kept, removed] = [sampleJob(), sampleJob()]
    for (const job of [kept, removed]) {
      await world.store.submitJob(job, engine.enlist({ queue: QUEUE, id: job.id }))
    }
    const cancelKept = engine.enlistCancel(QUEUE, kept.id)
    await assert.rejects(
      world.store.removeThread(kept.threadId, async transaction => {
        await cancelKept(transaction)
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    await world.store.removeThread(removed.threadId, engine.enlistCancel(QUEUE, removed.id))
    const seen: string[] = []
    engine.consume(QUEUE, note(seen), { concurrency: 2 })
    await until(() => seen.length > 0)
    await sleep(50)
    assert.deepEqual(seen, [kept.id])
  }),

  engineCase('aborts work in progress when its cancel was enlisted', async world => {
    const engine = world.engine()
    const job = sampleJob()
    const began = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<unknown>()
    const handler = async ({ signal }: Delivery): Promise<Handled> => {
      began.resolve()
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      aborted.resolve(signal.reason)
      return DONE
    }
    engine.consume(QUEUE, handler, { concurrency: 1 })
    await world.store.submitJob(job, engine.enlist({ queue: QUEUE, id: job.id }))
    engine.wake(QUEUE)
    await began.promise
    await world.store.removeThread(job.threadId, engine.enlistCancel(QUEUE, job.id))
    assert.equal(await aborted.promise, 'cancelled')
    await until(async () => (await engine.having(QUEUE, [job.id])).size === 0)
  }),

  engineCase('knows for which ids it has work: waiting or in progress, not dead', async world => {
    const engine = world.engine()
    const release = Promise.withResolvers<void>()
    const handler = async ({ id }: Delivery): Promise<Handled> => {
      if (id === 'failing') throw new Error('no luck')
      await release.promise
      return DONE
    }
    await engine.dispatch({ queue: QUEUE, id: 'later', notBefore: Date.now() + 3_600_000 })
    await engine.dispatch({ queue: QUEUE, id: 'failing', retryLimit: 1 })
    await engine.dispatch({ queue: QUEUE, id: 'active' })
    await engine.dispatch({ queue: 'other', id: 'elsewhere' })
    const ids = ['later', 'failing', 'active', 'elsewhere', 'never']
    assert.deepEqual([...(await engine.having(QUEUE, ids))].toSorted(), ids.slice(0, 3).toSorted())
    const consumer = engine.consume(QUEUE, handler, { concurrency: 2 })
    await until(async () => (await engine.dead(QUEUE, 10)).length === 1 && consumer.active === 1)
    assert.deepEqual([...(await engine.having(QUEUE, ids))].toSorted(), ['active', 'later'])
    assert.deepEqual([...(await engine.having(QUEUE, ['later', 'never']))], ['later'])
    release.resolve()
    await until(async () => !(await engine.having(QUEUE, ids)).has('active'))
  }),

  engineCase('does not double what is known', async world => {
    const engine = world.engine()
    const seen: string[] = []
    await engine.dispatch({ queue: QUEUE, id: 'a' })
    assert.equal(await engine.dispatch({ queue: QUEUE, id: 'a' }), 'known')
    await Promise.all(
      Array.from({ length: 20 }, () => engine.dispatch({ queue: QUEUE, id: 'many' })),
    )
    engine.consume(QUEUE, note(seen), { concurrency: 4 })
    await until(() => seen.length >= 2)
    await sleep(50)
    assert.deepEqual(seen.toSorted(), ['a', 'many'])
  }),

  engineCase(
    'hands nothing out before its time, and again when the handler says so',
    async world => {
      const engine = world.engine()
      const times: number[] = []
      const start = Date.now()
      await engine.dispatch({ queue: QUEUE, id: 'a', notBefore: start + 120 })
      const handler = async (): Promise<Handled> => {
        times.push(Date.now())
        return times.length < 3 ? { next: 'again', at: Date.now() + 60 } : DONE
      }
      engine.consume(QUEUE, handler, { concurrency: 1 })
      await until(() => times.length === 3)
      const [first = 0, second = 0, third = 0] = times
      assert.ok(first >= start + 120, 'too early')
      assert.ok(second >= first + 60 && third >= second + 60, 'again too early')
    },
  ),

  engineCase('brings work forward when it is dispatched for an earlier time', async world => {
    const engine = world.engine()
    const seen: string[] = []
    engine.consume(QUEUE, note(seen), { concurrency: 1 })
    await engine.dispatch({ queue: QUEUE, id: 'a', notBefore: Date.now() + 3_600_000 })
    await engine.dispatch({ queue: QUEUE, id: 'a' })
    await until(() => seen.length === 1)
  }),

  engineCase('takes higher priorities first, equal ones in their order', async world => {
    const engine = world.engine()
    const seen: string[] = []
    for (const [id, priority] of [
      ['a', 0],
      ['b', 0],
      ['c', 5],
      ['d', -1],
      ['e', 5],
    ] as const) {
      await engine.dispatch({ queue: QUEUE, id, priority })
    }
    engine.consume(QUEUE, note(seen), { concurrency: 1 })
    await until(() => seen.length === 5)
    assert.deepEqual(seen, ['c', 'e', 'a', 'b', 'd'])
  }),

  engineCase('has at most so many of a key out at a time, over all workers', async world => {
    const workers = [world.engine('one'), world.engine('two')]
    const out = new Map<string, number>()
    let most = { single: 0, double: 0 }
    let done = 0
    const handler = async ({ key }: Delivery): Promise<Handled> => {
      const name = key ?? ''
      out.set(name, (out.get(name) ?? 0) + 1)
      most = {
        single: Math.max(most.single, out.get('single') ?? 0),
        double: Math.max(most.double, out.get('double') ?? 0),
      }
      await sleep(15)
      out.set(name, (out.get(name) ?? 0) - 1)
      done += 1
      return DONE
    }
    const [first] = workers
    for (let i = 0; i < 6; i += 1) {
      await first?.dispatch({ queue: QUEUE, id: `s${i}`, key: 'single' })
      await first?.dispatch({ queue: QUEUE, id: `d${i}`, key: 'double', perKey: 2 })
    }
    for (const worker of workers) worker.consume(QUEUE, handler, { concurrency: 4 })
    await until(() => done === 12)
    assert.deepEqual(most, { single: 1, double: 2 })
  }),

  engineCase(
    'tries again after a failure; too many in a row are dead until dispatched anew',
    async world => {
      const engine = world.engine()
      let calls = 0
      let fails = true
      const handler = async (): Promise<Handled> => {
        calls += 1
        if (fails) throw new Error('no luck')
        return DONE
      }
      await engine.dispatch({ queue: QUEUE, id: 'a' })
      engine.consume(QUEUE, handler, { concurrency: 1 })
      await until(async () => (await engine.dead(QUEUE, 10)).length === 1)
      const deadAfter = calls
      assert.ok(deadAfter > 1, 'it was not tried again')
      const [dead] = await engine.dead(QUEUE, 10)
      assert.equal(dead?.id, 'a')
      assert.match(dead?.error ?? '', /no luck/)
      fails = false
      await engine.dispatch({ queue: QUEUE, id: 'a' })
      await until(
        async () => calls === deadAfter + 1 && (await engine.dead(QUEUE, 10)).length === 0,
      )
    },
  ),

  engineCase('says why work waits after a failure, and for how long', async world => {
    const engine = world.engine()
    let calls = 0
    const handler = async (): Promise<Handled> => {
      calls += 1
      throw new Error(`no luck ${calls}`)
    }
    await engine.dispatch({ queue: QUEUE, id: 'waits', notBefore: Date.now() + 3_600_000 })
    await engine.dispatch({ queue: QUEUE, id: 'a' })
    assert.equal(await engine.failed(QUEUE, 'a'), null)
    engine.consume(QUEUE, handler, { concurrency: 1, takes: () => calls < 2 })
    await until(async () => (await engine.failed(QUEUE, 'a'))?.failures === 2)
    const failed = await engine.failed(QUEUE, 'a')
    assert.match(failed?.error ?? '', /no luck 2/)
    assert.ok((failed?.at ?? 0) > 0, 'it does not say when it is handed out again')
    assert.equal(await engine.failed(QUEUE, 'waits'), null)
    assert.equal(await engine.failed(QUEUE, 'never'), null)
  }),

  engineCase('hands out again what was dispatched while it was out', async world => {
    const engine = world.engine()
    const first = Promise.withResolvers<void>()
    let calls = 0
    const handler = async (): Promise<Handled> => {
      calls += 1
      if (calls === 1) await first.promise
      return DONE
    }
    await engine.dispatch({ queue: QUEUE, id: 'a' })
    engine.consume(QUEUE, handler, { concurrency: 4 })
    await until(() => calls === 1)
    await engine.dispatch({ queue: QUEUE, id: 'a' })
    await sleep(30)
    assert.equal(calls, 1)
    first.resolve()
    await until(() => calls === 2)
  }),

  engineCase('cancels waiting work, and aborts work in progress', async world => {
    const engine = world.engine('one')
    const other = world.engine('two')
    const seen: string[] = []
    const reason = Promise.withResolvers<unknown>()
    const handler = async ({ id, signal }: Delivery): Promise<Handled> => {
      seen.push(id)
      if (id === 'active') {
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        reason.resolve(signal.reason)
      }
      return DONE
    }
    await engine.dispatch({ queue: QUEUE, id: 'later', notBefore: Date.now() + 50 })
    assert.equal(await engine.cancel(QUEUE, 'later'), 'gone')
    assert.equal(await engine.cancel(QUEUE, 'later'), 'unknown')
    await engine.dispatch({ queue: QUEUE, id: 'active' })
    engine.consume(QUEUE, handler, { concurrency: 1 })
    await until(() => seen.includes('active'))
    assert.equal(await other.cancel(QUEUE, 'active'), 'requested')
    assert.equal(await reason.promise, 'cancelled')
    await sleep(80)
    assert.deepEqual(seen, ['active'])
  }),

  engineCase(
    'gives the work of a dead worker to another; the dead one changes nothing any more',
    async world => {
      const dying = world.engine('dying')
      const heir = world.engine('heir')
      const slow = Promise.withResolvers<Handled>()
      let started = 0
      await dying.dispatch({ queue: QUEUE, id: 'a' })
      dying.consume(
        QUEUE,
        () => {
          started += 1
          return slow.promise
        },
        { concurrency: 1 },
      )
      await until(() => started === 1)
      world.kill('dying')
      const seen: Delivery[] = []
      const hold = Promise.withResolvers<void>()
      const handler = async (delivery: Delivery): Promise<Handled> => {
        seen.push(delivery)
        await hold.promise
        return { next: 'again', at: Date.now() + 3_600_000 }
      }
      const consumer = heir.consume(QUEUE, handler, { concurrency: 1 })
      await until(() => seen.length === 1)
      assert.equal(seen[0]?.failures, 1)
      // The dead worker wakes up late and reports the work as done: the work must stay.
      slow.resolve(DONE)
      await sleep(50)
      hold.resolve()
      // What it said is stored.
      await until(() => consumer.active === 0)
      assert.equal(await heir.cancel(QUEUE, 'a'), 'gone')
    },
  ),

  engineCase(
    'closes: it aborts the work in progress, and another worker gets what is not done',
    async world => {
      const engine = world.engine('one')
      let reason: unknown = null
      const handler = async ({ signal }: Delivery): Promise<Handled> => {
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        reason = signal.reason
        return { next: 'again', at: 0 }
      }
      await engine.dispatch({ queue: QUEUE, id: 'a' })
      const consumer = engine.consume(QUEUE, handler, { concurrency: 1 })
      await until(() => consumer.active === 1)
      await engine.close()
      assert.equal(reason, 'closing')
      const seen: string[] = []
      world.engine('two').consume(QUEUE, note(seen), { concurrency: 1 })
      await until(() => seen.length === 1)
    },
  ),

  ...LANE_CASES,
]
