import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Delivered, WorkVerbs } from '../store/contract/work.ts'
import { ENGINE_TIMING, WorkConsumer } from './consumer.ts'

const OWNER = { host: 'here', pid: 1, startTime: 'now' }
const WORK: Delivered = {
  ...{ queue: 'jobs', id: 'job_1', key: null, delivery: 1, failures: 0, owner: OWNER },
}

test('J-8 a consumer that closes beats for its work until the handler has ended', async () => {
  const waiting = [WORK]
  const said: string[] = []
  const kept: Partial<WorkVerbs> = {
    dequeueWork: async () => waiting.pop() ?? null,
    workInHands: async () => [],
    nextWorkAt: async () => null,
    beatWork: async () => {
      said.push('beat')
      return { cancelRequested: false }
    },
    endWork: async (_, { next }) => {
      said.push(next)
      return true
    },
  }
  const hold = Promise.withResolvers<void>()
  const consumer = new WorkConsumer({
    kept: kept as WorkVerbs,
    // Time passes as fast as it is asked for.
    clock: { now: () => 0, sleep: () => soon() },
    owner: OWNER,
    isAlive: () => true,
    timing: ENGINE_TIMING,
    queue: WORK.queue,
    concurrency: 1,
    handler: async () => {
      await hold.promise
      return { next: 'done' }
    },
  })
  await expect.poll(() => consumer.active).toBe(1)
  const closed = consumer.close()
  said.length = 0
  await expect.poll(() => said.length).toBeGreaterThan(3)
  hold.resolve()
  await closed
  expect(said.at(-1)).toBe('done')
  expect(said.filter(word => word !== 'beat')).toEqual(['done'])
})

test('J-8 a consumer goes on after an error that nobody expected', async () => {
  const waiting = [WORK]
  let tries = 0
  const handled = Promise.withResolvers<string>()
  const kept: Partial<WorkVerbs> = {
    dequeueWork: async () => {
      tries += 1
      if (tries < 3) throw new TypeError('a row of another version')
      return waiting.pop() ?? null
    },
    workInHands: async () => [],
    nextWorkAt: async () => null,
    beatWork: async () => ({ cancelRequested: false }),
    endWork: async () => true,
  }
  const consumer = new WorkConsumer({
    ...{ kept: kept as WorkVerbs, owner: OWNER, timing: ENGINE_TIMING, queue: WORK.queue },
    clock: { now: () => 0, sleep: () => soon() },
    isAlive: () => true,
    concurrency: 1,
    handler: async ({ id }) => {
      handled.resolve(id)
      return { next: 'done' }
    },
  })
  expect(await handled.promise).toBe(WORK.id)
  await consumer.close()
})

test('J-8 a consumer that is full asks for nothing but its dead neighbours, and for those at an even pace', async () => {
  const waiting = [WORK]
  const asked: string[] = []
  let now = 0
  const kept: Partial<WorkVerbs> = {
    dequeueWork: async () => waiting.pop() ?? null,
    workInHands: async () => {
      asked.push('out')
      return []
    },
    nextWorkAt: async () => {
      asked.push('next')
      return null
    },
    beatWork: async () => ({ cancelRequested: false }),
    endWork: async () => true,
  }
  const hold = Promise.withResolvers<void>()
  const consumer = new WorkConsumer({
    ...{ kept: kept as WorkVerbs, owner: OWNER, timing: ENGINE_TIMING, queue: WORK.queue },
    clock: { now: () => now, sleep: () => soon() },
    isAlive: () => true,
    concurrency: 1,
    handler: async () => {
      await hold.promise
      return { next: 'done' }
    },
  })
  await expect.poll(() => asked).toEqual(['out'])
  for (let wakes = 0; wakes < 10; wakes += 1) {
    consumer.wake()
    await soon()
  }
  expect(asked).toEqual(['out'])
  now += ENGINE_TIMING.pollMs
  await expect.poll(() => asked).toEqual(['out', 'out'])
  hold.resolve()
  await expect.poll(() => asked).toContain('next')
  await consumer.close()
})
