// Opening a store on PostgreSQL: what is made, what is upgraded, and what is refused in clear words without the password.
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refuseOldServer } from '../../../src/store/postgres/examine-database.ts'
import { connectForUpgrade } from '../../../src/store/postgres/open-postgres.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sql/migrations.ts'
import { raw } from '../../../src/store/sql/statement.ts'
import { STORE_VERSION } from '../../../src/store/sql/version.ts'
import { sampleThread } from '../../../src/testing/store-conformance/samples.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const PASSWORD = 's3cr3t/@:#word'

let database: TestDatabase

beforeAll(async () => {
  database = await newDatabase()
})

afterAll(() => database.drop())

function changed(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

async function refusal(url: string): Promise<unknown> {
  const error: unknown = await postgres(url)().then(
    async store => store.close(),
    (e: unknown) => e,
  )
  const everything = inspect(error, { depth: 10, showHidden: true })
  expect(everything).not.toContain(PASSWORD)
  expect(everything).not.toContain(encodeURIComponent(PASSWORD))
  return error
}

/** A role of its own with a password, and one that is in no rule of the server. */
async function role(name: string, rights: string): Promise<string> {
  await database.run(`create role ${name} login password '${PASSWORD}'; ${rights}`)
  return changed(url => {
    url.username = name
    url.password = encodeURIComponent(PASSWORD)
  })
}

describe('U-4 what cannot be used is refused with what to do, and without the password', () => {
  test.each([
    ['what is no URL', `postgres://u:${PASSWORD}@[/db`, 'bad-config', '%XX'],
    [
      'another program',
      `mysql://u:${encodeURIComponent(PASSWORD)}@host/db`,
      'bad-config',
      'postgres://',
    ],
  ])('%s', async (_, url, code, hint) => {
    expect(await refusal(url)).toMatchObject({ code, hint: expect.stringContaining(hint) })
  })

  test('a port where nobody listens', async () => {
    const url = changed(at => {
      at.port = '1'
      at.password = encodeURIComponent(PASSWORD)
    })
    expect(await refusal(url)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringMatching(/^the database does not answer: .*ECONNREFUSED/),
      hint: expect.stringContaining('reprise doctor'),
    })
  })

  test('a wrong password, and the right one works', async () => {
    const name = `locked_${process.pid}`
    const own = new URL(database.url).pathname.slice(1)
    const right = await role(name, `grant create on database ${own} to ${name}`)
    const wrong = right.replace(/:[^:@]*@/, ':wrong@')
    expect(await refusal(wrong)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('refuses the user or the password'),
    })
    expect(await refusal(right)).toBeUndefined()
  })

  test('a user without rights, until an administrator makes the schema', async () => {
    const fresh = await newDatabase()
    const name = `plain_${process.pid}`
    await role(name, '')
    const url = new URL(fresh.url)
    url.username = name
    url.password = encodeURIComponent(PASSWORD)
    expect(await refusal(url.href)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('lacks a right'),
      hint: expect.stringContaining(`create schema "reprise" authorization ${name}`),
    })
    await fresh.run(`create schema "reprise" authorization ${name}`)
    const store = await postgres(url.href)()
    await store.createThread(sampleThread(), [])
    expect(await store.verify()).toEqual([])
    await store.close()
    await fresh.drop()
  })

  test('a database that is not there', async () => {
    const url = changed(at => {
      at.pathname = '/nowhere'
    })
    expect(await refusal(url)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('there is no such database'),
      hint: expect.stringContaining('createdb'),
    })
  })

  test('a server without TLS, when the URL asks for it', async () => {
    const url = changed(at => at.searchParams.set('sslmode', 'verify-full'))
    expect(await refusal(url)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('no trusted connection'),
      hint: expect.stringContaining('sslmode'),
    })
  })

  test.each([
    [90_603, '9.6.3'],
    [130_014, '13.14'],
    [0, 'unknown'],
  ])('a server of version %i', (number, shown) => {
    expect(() => refuseOldServer(number, shown)).toThrow(
      expect.objectContaining({
        code: 'store-unusable',
        message: `the server is PostgreSQL ${shown}, and Reprise needs 14 or newer`,
      }),
    )
    expect(() => refuseOldServer(140_000, '14.0')).not.toThrow()
  })

  test('a schema of another program, which stays as it is', async () => {
    const fresh = await newDatabase()
    await fresh.run('create schema reprise; create table reprise.theirs (x integer)')
    expect(await refusal(fresh.url)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('belongs to another program'),
    })
    expect(await fresh.run('select * from reprise.theirs')).toEqual([])
    await fresh.drop()
  })

  test('I13 a newer store, which stays as it is', async () => {
    const fresh = await newDatabase()
    await (await postgres(fresh.url)()).close()
    await fresh.run(`update reprise.store_version set version = ${STORE_VERSION + 1}`)
    expect(await refusal(fresh.url)).toMatchObject({
      code: 'store-newer',
      hint: 'Upgrade Reprise, or use another database.',
    })
    await fresh.drop()
  })
})

describe('I13 the schema', () => {
  test('is made once when eight open a new database at the same time', async () => {
    const fresh = await newDatabase()
    const stores = await Promise.all(Array.from({ length: 8 }, () => postgres(fresh.url)()))
    expect(await stores[0]?.verify()).toEqual([])
    for (const store of stores) await store.close()
    expect(await fresh.run('select version from reprise.store_version')).toEqual([
      { version: STORE_VERSION },
    ])
    await fresh.drop()
  })

  test('goes on from every earlier version, and keeps what it holds', async () => {
    const fresh = await newDatabase()
    const database = await connectForUpgrade(fresh.url)
    await fresh.run(
      'create schema reprise; create table reprise.store_version (version integer not null); insert into reprise.store_version values (0)',
    )
    for (const [index] of MIGRATIONS.entries()) {
      await migrate(database, MIGRATIONS.slice(0, index + 1))
      if (index > 0) continue
      await fresh.run(
        "insert into reprise.threads values ('thr_1', null, 'claude-code', '/', 'all', null, 'thr_1', 1, 1); insert into reprise.branches values ('thr_1', 'thr_1', 1)",
      )
    }
    await database.close()
    const store = await postgres(fresh.url)()
    expect(await store.thread('thr_1')).toMatchObject({ id: 'thr_1', kind: 'chat' })
    expect(await store.verify()).toEqual([])
    await store.close()
    await fresh.drop()
  })

  test('a step that fails leaves the version before, and the next start goes on', async () => {
    const fresh = await newDatabase()
    const store = await postgres(fresh.url)()
    const upgrading = await connectForUpgrade(fresh.url)
    const broken = () => ['create table later (x integer)', 'insert into nowhere values (1)']
    await expect(migrate(upgrading, [...MIGRATIONS, broken])).rejects.toThrow('missing')
    const mended = () => ['create table later (x integer)', 'insert into later values (1)']
    await migrate(upgrading, [...MIGRATIONS, mended])
    expect((await upgrading.execute(raw('select x from later'))).rows).toEqual([{ x: 1 }])
    await upgrading.close()
    // A process of the version before goes on while the newer one has upgraded the store.
    await store.createThread(sampleThread(), [])
    await store.close()
    await fresh.drop()
  })

  test('S31 tables of others in the search path are never used', async () => {
    const fresh = await newDatabase()
    await fresh.run('create table public.threads (id integer); create table public.runs (x text)')
    const store = await postgres(fresh.url)()
    const thread = sampleThread({ title: "'; drop table reprise.threads; --" })
    await store.createThread(thread, [])
    expect(await store.thread(thread.id)).toEqual(thread)
    expect(await fresh.run('select * from public.threads')).toEqual([])
    await store.close()
    await fresh.drop()
  })
})
