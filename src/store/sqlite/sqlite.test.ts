// Opening a store: private files, up-to-date tables, and clear words for everything that can be wrong with a file.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import {
  sampleMessage,
  sampleThread,
  sampleTurn,
  submitted,
} from '../../testing/store-conformance/samples.ts'
import { MIGRATIONS, type Migration, migrate } from '../sql/migrations.ts'
import { sql } from '../sql/statement.ts'
import { STORE_VERSION } from '../sql/version.ts'
import { sqlStore } from '../sql-store.ts'
import { configured, refuseOldSqlite } from './configure.ts'
import { sqlite } from './sqlite.ts'
import { SQLITE, sqliteDatabase } from './sqlite-connection.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-sqlite-'))
let files = 0
const newFile = () => join(directory, `${files++}`, 'store.db')

afterAll(() => rmSync(directory, { recursive: true }))

async function withFile(change: (database: Database.Database) => void): Promise<string> {
  const file = newFile()
  const store = await sqlite(file)()
  await store.close()
  const database = new Database(file)
  change(database)
  database.close()
  return file
}

/** A store and the connection under it. */
async function openRaw(migrations = MIGRATIONS) {
  const database = new Database(':memory:')
  const db = sqliteDatabase(database, 1_000)
  await migrate(db, migrations)
  return { database, db, store: sqlStore(db) }
}

describe('files', () => {
  test('are for their owner only, whatever the umask', async () => {
    const file = newFile()
    const umask = process.umask(0)
    try {
      const store = await sqlite(file)()
      await store.createThread(sampleThread(), [])
      const modes = [file, `${file}-wal`, `${file}-shm`].map(path => statSync(path).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600, 0o600])
      expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
      await store.close()
    } finally {
      process.umask(umask)
    }
  })

  test.each([0o644, 0o640, 0o604, 0o620])(
    'that others could read or write (mode %o) are closed to them',
    async mode => {
      const file = await withFile(() => {})
      chmodSync(file, mode)
      await (await sqlite(file)()).close()
      expect(statSync(file).mode & 0o777).toBe(0o600)
    },
  )

  test('are not there for a store in memory', async () => {
    await (await sqlite(':memory:')()).close()
    expect(existsSync(':memory:')).toBe(false)
  })

  test('have no part in stores in memory, each of which begins empty and knows all tables', async () => {
    const first = await sqlite(':memory:')()
    const { run } = await submitted(first)
    const second = await sqlite(':memory:')()
    expect(await second.run(run.id)).toBeNull()
    expect(await second.countThreads({})).toBe(0)
    const { run: other } = await submitted(second)
    expect(await second.verify()).toEqual([])
    expect(await first.run(other.id)).toBeNull()
    expect(await first.run(run.id)).toEqual(run)
    await first.close()
    await second.close()
  })

  test('keep everything over a reopening', async () => {
    const file = newFile()
    const first = await sqlite(file)()
    const { run, threadId } = await submitted(first)
    await first.close()
    const second = await sqlite(file)()
    expect(await second.run(run.id)).toEqual(run)
    expect((await second.thread(threadId))?.id).toBe(threadId)
    await second.close()
  })
})

describe('settings', () => {
  test('commits are flushed to the disk: WAL and synchronous=FULL', () => {
    const database = configured(new Database(join(directory, 'settings.db')))
    const setting = (name: string) => database.pragma(name, { simple: true })
    expect(setting('journal_mode')).toBe('wal')
    expect(setting('synchronous')).toBe(2)
    expect(setting('foreign_keys')).toBe(1)
    database.close()
  })

  test('a store that can be made again need not wait for the disk', () => {
    const database = configured(new Database(join(directory, 'quick.db')), { durable: false })
    expect(database.pragma('synchronous', { simple: true })).toBe(0)
    database.close()
  })

  test.each(['3.51.2', '3.7.0', '2.9.9', 'nonsense'])('SQLite %s is refused', version => {
    expect(() => refuseOldSqlite(version)).toThrow(
      expect.objectContaining({
        code: 'store-unusable',
        message: `SQLite ${version} can damage a store; 3.51.3 or newer is needed`,
        hint: 'reinstall Reprise with its own better-sqlite3',
      }),
    )
  })

  test.each(['3.51.3', '3.53.0', '4.0.0'])('SQLite %s is accepted', version => {
    expect(() => refuseOldSqlite(version)).not.toThrow()
  })
})

describe('a file that cannot be used', () => {
  const refusal = async (file: string) => {
    const error: unknown = await sqlite(file, { busyTimeoutMs: 10 })().catch(e => e)
    return error
  }

  test('of a newer version is refused with a hint to upgrade (I13)', async () => {
    const file = await withFile(db => db.pragma(`user_version = ${STORE_VERSION + 1}`))
    expect(await refusal(file)).toMatchObject({
      code: 'store-newer',
      hint: expect.stringContaining('Upgrade Reprise'),
    })
  })

  test('that is no database is refused and left as it is', async () => {
    const file = newFile()
    mkdirSync(join(file, '..'))
    const bytes = Buffer.from('these are my notes, not a database. '.repeat(100))
    writeFileSync(file, bytes)
    expect(await refusal(file)).toMatchObject({ code: 'store-unusable' })
    expect(readFileSync(file)).toEqual(bytes)
  })

  test('that is damaged inside gives store-unusable when it is read', async () => {
    const file = newFile()
    const store = await sqlite(file)()
    const messages = Array.from({ length: 200 }, () => sampleMessage({ text: 'x'.repeat(500) }))
    const thread = sampleThread()
    await store.createThread(thread, messages)
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4_096 * 3)
    writeFileSync(file, bytes)
    const asked = sqlite(file)().then(async damaged => {
      try {
        return await damaged.branch(thread.id)
      } finally {
        await damaged.close()
      }
    })
    await expect(asked).rejects.toMatchObject({ code: 'store-unusable' })
  })

  test('that is a directory is refused', async () => {
    const file = newFile()
    mkdirSync(file, { recursive: true })
    expect(await refusal(file)).toMatchObject({ code: 'store-unusable' })
  })

  test('of another program is refused and left alone', async () => {
    const file = newFile()
    mkdirSync(join(file, '..'))
    const other = new Database(file)
    other.exec('create table theirs (x)')
    other.close()
    expect(await refusal(file)).toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('another program'),
      hint: 'set REPRISE_HOME to a directory of its own',
    })
  })

  test('that stays locked gives store-unusable, and works again afterwards', async () => {
    const file = await withFile(() => {})
    const store = await sqlite(file, { busyTimeoutMs: 10 })()
    const other = new Database(file)
    other.exec('begin immediate')
    const asked = store.createThread(sampleThread(), [])
    await expect(asked).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('locked'),
    })
    other.exec('commit')
    other.close()
    await store.createThread(sampleThread(), [])
    await store.close()
  })

  test('on a full disk gives store-full, half-writes nothing and loses nothing', async () => {
    const { database, store } = await openRaw()
    const { threadId, run } = await submitted(store)
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages}`)
    const turn = {
      ...sampleTurn(threadId),
      message: sampleMessage({ text: 'x'.repeat(500_000) }),
    }
    await expect(store.submitTurn(turn, 2_000)).rejects.toMatchObject({ code: 'store-full' })
    expect(await store.run(turn.run.id)).toBeNull()
    expect(await store.message(turn.message.id)).toBeNull()
    expect(await store.run(run.id)).toEqual(run)
    database.pragma('max_page_count = 1000000')
    await store.submitTurn(turn, 2_000)
    expect(await store.verify()).toEqual([])
    await store.close()
  })
})

describe('migrations', () => {
  const broken: Migration = () => ['create table later (x)', 'insert into nowhere values (1)']
  const mended: Migration = () => ['create table later (x)', 'insert into later values (1)']

  test('are as many as the version says', () => {
    expect(MIGRATIONS.length).toBe(STORE_VERSION)
  })

  test('that stop half way leave the version before, and go on from there (I13)', async () => {
    const { db, store } = await openRaw()
    const thread = sampleThread()
    await store.createThread(thread, [])
    await expect(migrate(db, [...MIGRATIONS, broken])).rejects.toThrow()
    expect(await SQLITE.version(db)).toBe(STORE_VERSION)
    await migrate(db, [...MIGRATIONS, mended])
    expect(await SQLITE.version(db)).toBe(STORE_VERSION + 1)
    const { rows } = await db.execute(sql`select x from later`)
    expect(rows).toEqual([{ x: 1 }])
    expect(await store.thread(thread.id)).toEqual(thread)
    await store.close()
  })

  test('run once when several open a new file at the same time', async () => {
    const file = newFile()
    const stores = await Promise.all([1, 2, 3, 4].map(() => sqlite(file)()))
    for (const store of stores) {
      expect(await store.verify()).toEqual([])
      await store.close()
    }
  })
})

test('a statement gives the same rows however often it was used before', async () => {
  const { store } = await openRaw()
  const thread = sampleThread()
  await store.createThread(thread, [sampleMessage({ text: 'one' }), sampleMessage({ text: 'two' })])
  const first = await store.branch(thread.id)
  expect(first.map(message => message.text)).toEqual(['one', 'two'])
  for (let use = 0; use < 10; use += 1) expect(await store.branch(thread.id)).toEqual(first)
  await store.close()
})
