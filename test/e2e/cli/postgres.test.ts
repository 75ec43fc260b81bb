// The command line and the daemon with their store on PostgreSQL: what differs from a file.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { ServeWorld } from '../daemon/serve-world.ts'
import { readEvents } from '../http/sse-reader.ts'

const PASSWORD = 'planted-s3cret'

let database: TestDatabase
/** With a password, as a user would have it; the server does not ask this user for one. */
let url: string

beforeAll(async () => {
  database = await newDatabase()
  const withPassword = new URL(database.url)
  withPassword.password = PASSWORD
  url = withPassword.href
})
afterAll(() => database.drop())

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  await database.run('drop schema if exists reprise cascade')
})
afterEach(() => world.closeAll())

type Report = {
  readonly findings: readonly { check: string; state: string; detail: string; hint: string }[]
}

async function doctor(env: Readonly<Record<string, string>>) {
  const withKey = { ...env, ANTHROPIC_API_KEY: 'sk-ant-not-a-real-key' }
  const { code, out, err } = await world.run(['doctor', '--json'], { env: withKey })
  expect(out + err).not.toContain(PASSWORD)
  const { findings }: Report = JSON.parse(out)
  const of = (check: string) => findings.find(found => found.check === check)
  return { code, database: of('database'), store: of('store') }
}

test('U-1 a turn is sent, shown, explained and verified on PostgreSQL; no file is made', async () => {
  const env = { REPRISE_DATABASE_URL: url }
  const place = new URL(database.url)
  expect(await doctor(env)).toMatchObject({
    code: 0,
    database: {
      state: 'ok',
      detail: expect.stringMatching(/^PostgreSQL \d+.* at postgres:\/\/postgres@127/),
    },
    store: { detail: 'none yet; made with the first turn' },
  })
  expect(await database.run("select to_regnamespace('reprise') as made")).toEqual([{ made: null }])
  const { run } = await world.json(['send', 'hello'], { env })
  expect((await world.list(['threads'], { env })).map(({ id }) => id)).toEqual([run.threadId])
  expect((await world.run(['why', run.id], { env })).out).toContain('first')
  expect(await world.run(['verify'], { env })).toMatchObject({
    code: 0,
    out: 'every invariant holds\n',
  })
  expect(await doctor(env)).toMatchObject({
    code: 0,
    store: {
      state: 'ok',
      detail: expect.stringContaining(`@${place.host}${place.pathname}: every`),
    },
  })
  expect(existsSync(world.storeFile)).toBe(false)
})

test('U-4 a database that cannot be used is exit 70 with what to do, and the password is nowhere', async () => {
  const wrong = new URL(url)
  wrong.port = '1'
  const env = { REPRISE_DATABASE_URL: wrong.href, REPRISE_DEBUG: '1' }
  const { code, out, err } = await world.run(['threads'], { env })
  expect(code).toBe(70)
  expect(out).toBe('')
  expect(err).toContain('the database does not answer')
  expect(err).toContain('reprise doctor')
  expect(err).not.toContain(PASSWORD)
  expect(await doctor(env)).toMatchObject({ code: 70, database: { state: 'bad' } })
})

test('U-2 a daemon on PostgreSQL shows at once what another process stores, and logs no password', async () => {
  world.config({ database: url })
  const daemon = await world.serve()
  const reprise = world.connect(daemon)
  // Another machine: its own data directory, the same database.
  const elsewhere = (await new ServeWorld().open()) as ServeWorld
  try {
    const response = await world.request(daemon.url, '/api/events', {
      headers: { accept: 'text/event-stream' },
    })
    const seen: string[] = []
    const env = { REPRISE_DATABASE_URL: url }
    const sending = elsewhere.json(['send', 'hello from elsewhere'], { env })
    for await (const { data } of readEvents(response)) {
      seen.push(data.type)
      if (data.type === 'ended') break
    }
    const { run } = await sending
    expect(seen).toContain('started')
    const thread = await reprise.threads.get(run.threadId ?? '')
    const { messages } = await thread.show()
    expect(messages.map(({ text }) => text)).toContain('hello from elsewhere')
  } finally {
    await elsewhere.closeAll()
    await reprise.close()
  }
  expect(await world.run(['status', '--json'])).toMatchObject({ code: 0 })
  daemon.signal('SIGTERM')
  const { code, out, err } = await daemon.end
  expect(code).toBe(0)
  expect(out + err + world.log).not.toContain(PASSWORD)
})

test('a verb whose shell names another database than the daemon goes on without the daemon', async () => {
  await world.serve()
  const env = { REPRISE_DATABASE_URL: url }
  const { code, err } = await world.run(['threads'], { env })
  expect(code).toBe(0)
  expect(err).toContain('going on without the daemon')
  expect(err).not.toContain(PASSWORD)
  const rows = await database.run('select version from reprise.store_version')
  expect(rows).toHaveLength(1)
})

test('U-1 a shell completes ids from PostgreSQL, and proposes nothing, silently, while the database is away', async () => {
  const env = { REPRISE_DATABASE_URL: url }
  const { run } = await world.json(['send', 'hello'], { env })
  const complete = (at: Readonly<Record<string, string>>) =>
    world.run(['__complete', '--', 'threads', 'show', 'thr_'], { env: at })
  const proposed = { code: 0, out: `${run.threadId}\thello\n`, err: '' }
  expect(await complete(env)).toMatchObject(proposed)
  world.config({ database: url })
  expect(await complete({})).toMatchObject(proposed)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  for (const away of [port, '1']) {
    const wrong = new URL(url)
    wrong.port = away
    const nothing = { code: 0, out: '', err: '' }
    expect(await complete({ REPRISE_DATABASE_URL: wrong.href })).toMatchObject(nothing)
  }
  silent.close()
})
