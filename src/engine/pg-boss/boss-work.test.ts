// How long pg-boss lets work wait after a failure, read from its table.
import { afterAll, expect, test } from 'vitest'
import { newDatabase } from '../../../test/postgres/shared.ts'
import { postgres } from '../../store/postgres/postgres.ts'
import { bossWork } from './boss-work.ts'
import { openBoss } from './open-boss.ts'

const database = await newDatabase('store')
const store = await postgres(database.url)()

afterAll(async () => {
  await store.close()
  await database.drop()
})

const WORK = {
  ...{ queue: 'jobs', id: 'a', key: null, perKey: 1, lane: '', priority: 0, notBefore: 0 },
  ...{ retryLimit: 3, isFresh: true },
}
const OWNER = { host: 'here', pid: 1, startTime: '1' }

async function openWork() {
  const inDatabase = store.workDatabase?.()
  if (!inDatabase) throw new Error('this store has no database for the engine')
  const settings = { heartbeatSeconds: 15, retrySeconds: 1, maxRetrySeconds: 60 }
  const kept = bossWork(inDatabase, await openBoss(inDatabase, settings))
  const taking = { queue: 'jobs', owner: OWNER, beatMs: 15_000, now: Date.now() }
  return {
    kept,
    async take() {
      // It need not be due yet.
      await database.run(`update reprise_work.job_common set start_after = reprise_work.job_now()`)
      const work = await kept.dequeueWork(taking)
      if (work === null) throw new Error('there is no work')
      return work
    },
  }
}

/** Until the work is due, in seconds of the database. */
async function pauseSeconds(): Promise<number> {
  const [row] = await database.run(
    `select extract(epoch from start_after - reprise_work.job_now())::float as pause
    from reprise_work.job_common`,
  )
  return Number(row?.pause)
}

const failed = { next: 'failed', error: 'no luck', retryAt: 0 } as const

test('J-8 the pause after a failure grows with the failures in a row, not with how often the work was handed out', async () => {
  const { kept, take } = await openWork()
  await kept.enqueueWork(WORK, Date.now())
  for (let deliveries = 0; deliveries < 20; deliveries += 1) {
    await kept.endWork(await take(), { next: 'again', at: Date.now() })
  }
  const first = await take()
  expect(first.failures).toBe(0)
  await kept.endWork(first, failed)
  expect(await pauseSeconds()).toBeLessThanOrEqual(2)
  const second = await take()
  expect(second.failures).toBe(1)
  await kept.endWork(second, failed)
  expect(await pauseSeconds()).toBeLessThanOrEqual(4)
  await kept.endWork(await take(), { next: 'again', at: Date.now() })
  const later = await take()
  expect(later.failures).toBe(0)
  await kept.endWork(later, failed)
  expect(await pauseSeconds()).toBeLessThanOrEqual(2)
})

test('J-8 a worker that has lost its work cannot end what waits again under the same id', async () => {
  const { kept, take } = await openWork()
  await kept.cancelWork('jobs', 'a')
  await kept.enqueueWork(WORK, Date.now())
  const lost = await take()
  await kept.endWork(lost, { next: 'again', at: Date.now() })
  await take()
  expect(await kept.endWork(lost, { next: 'done' })).toBe(false)
  expect(await kept.endWork(lost, failed)).toBe(false)
  await expect(kept.beatWork(lost, 15_000)).rejects.toMatchObject({ code: 'lease-lost' })
  expect(await kept.liveWork('jobs', ['a'])).toEqual(['a'])
})
