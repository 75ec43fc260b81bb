// What an engine must do with lanes: hand work only to consumers that take its lane, within one limit over all lanes.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Handled } from '../../engine/engine.ts'
import { DONE, engineCase, note, QUEUE, until } from './case.ts'

export const LANE_CASES = [
  engineCase('J-8 hands work only to consumers that take its lane', async world => {
    const [one, two] = [world.engine('one'), world.engine('two')]
    const seen = { one: [] as string[], two: [] as string[] }
    const lanes = ['', 'a', 'b', 'c'] as const
    for (const lane of lanes) await one.dispatch({ queue: QUEUE, id: `of-${lane}`, lane })
    let opened = false
    one.consume(QUEUE, note(seen.one), {
      concurrency: 2,
      takes: lane => lane === 'a' || (opened && lane === 'c'),
    })
    await until(() => seen.one.length === 1)
    two.consume(QUEUE, note(seen.two), { concurrency: 2, takes: lane => lane !== 'c' })
    await until(() => seen.two.length === 2)
    await sleep(50)
    assert.deepEqual(seen.one, ['of-a'])
    assert.deepEqual(seen.two.toSorted(), ['of-', 'of-b'])
    assert.equal((await one.having(QUEUE, ['of-c'])).size, 1)
    opened = true
    await until(() => seen.one.length === 2)
    assert.deepEqual(seen.one, ['of-a', 'of-c'])
  }),

  engineCase('J-8 handles so much work at a time over all lanes', async world => {
    const engine = world.engine()
    const release = Promise.withResolvers<void>()
    let most = 0
    let done = 0
    for (let i = 0; i < 6; i += 1)
      await engine.dispatch({ queue: QUEUE, id: `w${i}`, lane: `lane${i % 3}` })
    const handler = async (): Promise<Handled> => {
      most = Math.max(most, consumer.active)
      await release.promise
      done += 1
      return DONE
    }
    const consumer = engine.consume(QUEUE, handler, { concurrency: 2, takes: () => true })
    await until(() => consumer.active === 2)
    await sleep(50)
    release.resolve()
    await until(() => done === 6)
    assert.equal(most, 2)
  }),
]
