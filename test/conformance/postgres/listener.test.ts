// A store on PostgreSQL tells when any process has stored something.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreWithWork } from '../../../src/store/contract/store.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { sampleThread } from '../../../src/testing/store-conformance/samples.ts'
import { type DatabaseProxy, startProxy } from '../../postgres/proxy.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let store: StoreWithWork

beforeAll(async () => {
  database = await newDatabase()
  proxy = await startProxy(database.url)
  store = await postgres(proxy.url)()
})

afterAll(async () => {
  await store.close()
  await proxy.close()
  await database.drop()
})

/** Resolves at the next call, and says how to stop listening. */
function next() {
  const called = Promise.withResolvers<void>()
  const stop = store.listen?.(() => called.resolve()) ?? (() => {})
  return { called: called.promise, stop }
}

const listeners = async () => {
  const rows = await database.run(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and query = 'listen reprise'`,
  )
  return Number(rows[0]?.count)
}

test('U-4 a listener hears of what another process has stored', async () => {
  const other = await postgres(database.url)()
  const first = next()
  // The first call says that the connection is there.
  await first.called
  const second = next()
  await other.createThread(sampleThread(), [])
  await second.called
  first.stop()
  second.stop()
  await other.close()
})

test('U-4 a listener whose connection was cut is called again, since it may have missed something', async () => {
  const first = next()
  await first.called
  const second = next()
  proxy.cut()
  await second.called
  first.stop()
  second.stop()
})

test('without listeners there is no connection that listens', async () => {
  const { called, stop } = next()
  await called
  expect(await listeners()).toBe(1)
  stop()
  await expect.poll(listeners, { timeout: 50_000 }).toBe(0)
})
