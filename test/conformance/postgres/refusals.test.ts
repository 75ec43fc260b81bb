// What a database can refuse, before and while it is used: clear words, nothing half stored, and never the password.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectForUpgrade } from '../../../src/store/postgres/open-postgres.ts'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sql/migrations.ts'
import { sampleThread, sampleTurn } from '../../../src/testing/store-conformance/samples.ts'
import { startProxy } from '../../postgres/proxy.ts'
import { refusingServer } from '../../postgres/refusing-server.ts'
import { startPostgres } from '../../postgres/server.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'

const PASSWORD = 's3cr3t/@:#word'

let database: TestDatabase

beforeAll(async () => {
  database = await newDatabase('store')
})

afterAll(() => database.drop())

/** As a role with a password and these rights. */
async function urlAs(name: string, rights: string): Promise<string> {
  const role = `${name}_${process.pid}`
  await database.run(
    `create role ${role} login password '${PASSWORD}'; ${rights.replaceAll('ROLE', role)}`,
  )
  const url = new URL(database.url)
  url.username = role
  url.password = encodeURIComponent(PASSWORD)
  return url.href
}

async function refusal(url: string): Promise<unknown> {
  const error: unknown = await postgres(url, { awayMs: 0 })().then(
    store => store.close(),
    (e: unknown) => e,
  )
  const everything = inspect(error, { depth: 10, showHidden: true })
  expect(everything).not.toContain(PASSWORD)
  expect(everything).not.toContain(encodeURIComponent(PASSWORD))
  return error
}

const unusable = (words: string, hint: string) => ({
  code: 'store-unusable',
  message: expect.stringContaining(words),
  hint: expect.stringContaining(hint),
})

describe('U-4 a database that refuses', () => {
  test('a host that nobody knows', async () => {
    const url = new URL(database.url)
    url.hostname = 'nowhere.invalid'
    url.password = encodeURIComponent(PASSWORD)
    expect(await refusal(url.href)).toMatchObject(unusable('does not answer', 'reprise doctor'))
  })

  test('the schema of somebody else', async () => {
    const url = await urlAs('stranger', '')
    expect(await refusal(url)).toMatchObject(
      unusable('belongs to another user', 'Connect as that user'),
    )
  })

  test('a role that has no connection left', async () => {
    const url = await urlAs('crowded', 'alter role ROLE connection limit 0')
    expect(await refusal(url)).toMatchObject(unusable('no connection left', 'max_connections'))
  })

  test('a role that may only read', async () => {
    const url = await urlAs('reader', 'alter role ROLE set default_transaction_read_only = on')
    expect(await refusal(url)).toMatchObject(unusable('only allows reading', 'primary server'))
  })

  test('a role that was only granted to read the tables of another one', async () => {
    const store = await postgres(database.url)()
    await store.close()
    const rights =
      'grant usage on schema reprise to ROLE; grant select on all tables in schema reprise to ROLE'
    const url = await urlAs('looker', rights)
    expect(await refusal(url)).toMatchObject(unusable('may only read', 'Connect as the user'))
  })

  test('a copy of another server', async () => {
    const standby = await startPostgres([], data => writeFileSync(join(data, 'standby.signal'), ''))
    try {
      expect(await refusal(standby.url)).toMatchObject(
        unusable('only allows reading', 'primary server'),
      )
    } finally {
      await standby.stop()
    }
  })

  test('a pooler that drops the settings of a connection', async () => {
    const proxy = await startProxy(database.url)
    proxy.dropOptions()
    try {
      expect(await refusal(proxy.url)).toMatchObject(unusable('lost the settings', 'session mode'))
    } finally {
      await proxy.close()
    }
  })

  test.each([
    ['08P01', 'unsupported startup parameter: options', 'make its settings', 'session mode'],
    ['57P03', 'the database system is starting up', 'does not answer', 'reprise doctor'],
    ['53300', 'sorry, too many clients already', 'no connection left', 'fewer processes'],
    [
      '28P01',
      'password authentication failed for user "u"',
      'the password',
      'REPRISE_DATABASE_URL',
    ],
    ['XX000', 'something else', 'cannot be used', 'reprise doctor'],
  ])('a server that answers with %s: %s', async (sqlstate, message, words, hint) => {
    const server = await refusingServer(sqlstate, message)
    const url = `postgres://u:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}/db`
    try {
      expect(await refusal(url)).toMatchObject(unusable(words, hint))
    } finally {
      await server.close()
    }
  })
})

test.each([
  ['53100', 'store-full', 'no space left'],
  ['25006', 'store-unusable', 'only allows reading'],
  ['53300', 'store-unusable', 'no connection left'],
])(
  'U-4 a turn that meets %s in the middle of its transaction is %s, stored not at all, and works later',
  async (sqlstate, code, words) => {
    const store = await postgres(database.url)()
    const thread = sampleThread()
    await store.createThread(thread, [])
    await database.run(`
    create or replace function reprise.refuse() returns trigger language plpgsql as $$
    begin raise exception 'injected' using errcode = '${sqlstate}'; end $$;
    create trigger refuse before insert on reprise.runs for each row execute function reprise.refuse()`)
    try {
      await expect(store.submitTurn(sampleTurn(thread.id), 1)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      })
    } finally {
      await database.run('drop trigger refuse on reprise.runs')
    }
    expect(await store.branch(thread.id)).toEqual([])
    const turn = sampleTurn(thread.id)
    expect((await store.submitTurn(turn, 1)).id).toBe(turn.run.id)
    expect(await store.verify()).toEqual([])
    await store.close()
  },
)

test('I13 processes of this version go on while a newer one upgrades the store; afterwards this version is not opened again', async () => {
  const fresh = await newDatabase('store')
  const store = await postgres(fresh.url)()
  const threads: string[] = []
  let isUpgraded = false
  const working = (async () => {
    for (let left = 5; left > 0; left -= isUpgraded ? 1 : 0) {
      const thread = sampleThread()
      await store.createThread(thread, [])
      await store.submitTurn(sampleTurn(thread.id), 1)
      threads.push(thread.id)
    }
  })()
  await expect.poll(() => threads.length).toBeGreaterThan(3)
  const upgrading = await connectForUpgrade(fresh.url)
  const later = () => [
    'alter table runs add column later text',
    'alter table threads add column later integer not null default 0',
    'create table later (id text primary key)',
  ]
  await migrate(upgrading, [...MIGRATIONS, later])
  await upgrading.close()
  isUpgraded = true
  await working
  const stored = await store.listThreads({ limit: 10_000 })
  expect(stored.map(({ id }) => id).sort()).toEqual(threads.sort())
  expect(await store.verify()).toEqual([])
  await store.close()
  expect(await refusal(fresh.url)).toMatchObject({ code: 'store-newer' })
  await fresh.drop()
})
