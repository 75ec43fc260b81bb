// The command line and the daemon with their store on PostgreSQL: what differs from a file.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { ServeWorld } from '../daemon/serve-world.ts'
import { readEvents } from '../http/sse-reader.ts'
import type { Ended } from './cli-world.ts'

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

const asUser = (name: string, password: string) => {
  const wrong = new URL(url)
  wrong.username = name
  wrong.password = password
  return wrong.href
}

/** Each makes what it needs, and gives the URL that cannot be used. */
const UNUSABLE: Readonly<Record<string, () => Promise<string>>> = {
  'a wrong password': async () => {
    await database.run(`create role cli_locked_${process.pid} login password 'another'`)
    return asUser(`cli_locked_${process.pid}`, PASSWORD)
  },
  'a user without rights': async () => {
    await database.run(`create role cli_plain_${process.pid} login password '${PASSWORD}'`)
    return asUser(`cli_plain_${process.pid}`, PASSWORD)
  },
  'a store of a newer version': async () => {
    expect((await world.here(['threads'], { env: { REPRISE_DATABASE_URL: url } })).code).toBe(0)
    await database.run('update reprise.store_version set version = version + 1')
    return url
  },
  'no URL': async () => `postgres://u:${PASSWORD}@[/db`,
}

test.each([
  ['a wrong password', 70, 'refuses the user or the password'],
  ['a user without rights', 70, 'let an administrator run'],
  ['a store of a newer version', 2, 'Upgrade Reprise'],
  ['no URL', 2, '%XX'],
])(
  'U-4 with %s every process ends with exit %i and what to do, and the password is nowhere',
  async (what, exit, words) => {
    const wrong = await UNUSABLE[what]?.()
    const env = { REPRISE_DATABASE_URL: wrong ?? '', REPRISE_DEBUG: '1' }
    const expectRefused = ({
      code,
      out,
      err,
    }: Pick<Ended, 'out' | 'err'> & { code: number | null }) => {
      expect({ code, out }).toEqual({ code: exit, out: '' })
      expect(err).toContain(words)
      expect(err).not.toContain(PASSWORD)
    }
    for (const verb of [['worker'], ['serve', '--port', '0']])
      expectRefused(await world.run(verb, { env }))
    for (const verb of [['threads'], ['jobs', 'submit', 'x']])
      expectRefused(await world.here(verb, { env }))
    const { code, out, err } = await world.here(['doctor', '--json'], { env })
    expect(code).not.toBe(0)
    expect(out + err).toContain(words)
    const logs = join(world.home, 'logs')
    const texts = existsSync(logs)
      ? readdirSync(logs).map(name => readFileSync(join(logs, name), 'utf8'))
      : []
    expect(texts.join()).not.toContain(PASSWORD)
  },
)

test('I13 U-4 a worker and a submit refuse a queue that a newer version has upgraded; nothing is stored', async () => {
  const env = { REPRISE_DATABASE_URL: url }
  expect((await world.here(['jobs', 'submit', 'before'], { env })).code).toBe(0)
  await database.run('update reprise_work.version set version = version + 1')
  try {
    for (const verb of [['jobs', 'submit', 'after'], ['worker']]) {
      const { code, err } = await world.here(verb, { env })
      expect({ verb, code }).toEqual({ verb, code: 2 })
      expect(err).toContain('a newer Reprise has upgraded the queue')
    }
    const jobs = await world.list(['jobs'], { env })
    expect(jobs.map(({ prompt }) => prompt)).toEqual(['before'])
  } finally {
    await database.run('update reprise_work.version set version = version - 1')
  }
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

test('a verb says where the daemon of an older version stores, whose file does not name its database', async () => {
  await world.serve()
  const file = join(world.home, 'daemon.json')
  const { database: _, ...older } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(older), { mode: 0o600 })
  const { code, err } = await world.here(['threads'], { env: { REPRISE_DATABASE_URL: url } })
  expect(code).toBe(0)
  expect(err).toContain('the daemon stores in its data directory')
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
