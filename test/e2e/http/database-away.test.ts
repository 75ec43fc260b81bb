// What the HTTP API says while its database is away.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgres } from '../../../src/index.ts'
import { type DatabaseProxy, startProxy } from '../../postgres/proxy.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { type HttpWorld, httpWorld } from './http-world.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let world: HttpWorld

beforeAll(async () => {
  database = await newDatabase('store')
  proxy = await startProxy(database.url)
  world = await httpWorld({ store: postgres(proxy.url, { awayMs: 300 }) })
})

afterAll(async () => {
  proxy.heal()
  await world.reprise.close()
  await proxy.close()
  await database.drop()
})

const health = async () => {
  const { status, body } = await world.call('GET', '/health')
  return { status, store: body.store, isKnownSince: body.awaySince !== null }
}

test.each(['refuse', 'fallSilent'] as const)(
  'U-4 /health says that the database is away and since when, and a turn is refused (%s)',
  async how => {
    const thread = await world.thread()
    await expect.poll(health).toEqual({ status: 200, store: 'ok', isKnownSince: false })
    const before = Date.now()
    proxy[how]()
    await expect.poll(health).toEqual({ status: 503, store: 'away', isKnownSince: true })
    const { body } = await world.call('GET', '/health')
    expect(body).toMatchObject({ status: 'degraded' })
    expect(body.awaySince).toBeGreaterThanOrEqual(before - 1)
    if (how === 'refuse') {
      const sent = await world.call('POST', `/api/threads/${thread.id}/turns`, { prompt: 'hello' })
      expect(sent).toMatchObject({ status: 503, body: { error: { code: 'store-unusable' } } })
    }
    proxy.heal()
    await expect.poll(health).toEqual({ status: 200, store: 'ok', isKnownSince: false })
    expect((await world.call('GET', `/api/threads/${thread.id}`)).body.messages).toEqual([])
  },
)
