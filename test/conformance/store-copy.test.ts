// A whole store from SQLite to PostgreSQL and back: equal, also after a kill; and what is refused.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CopyReport, copyWholeStore } from '../../src/copy/copy-whole-store.ts'
import { storePlace } from '../../src/copy/store-place.ts'
import { postgres } from '../../src/store/postgres/postgres.ts'
import { STORE_VERSION } from '../../src/store/sql/version.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { hostileStrings } from '../../src/testing/hostile-strings.ts'
import { started } from '../../src/testing/store-conformance/samples.ts'
import { filePieces } from '../../src/vault/file-pieces.ts'
import { countOf } from '../counts.ts'
import { newDatabase, type TestDatabase } from '../postgres/shared.ts'
import { fc } from '../properties.ts'
import { runCliHere } from '../run-cli-here.ts'
import { type Deed, live } from './store-programs/history.ts'

let root = ''
let database: TestDatabase

beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reprise-copy-'))
})
afterEach(async () => {
  rmSync(root, { recursive: true })
  await database.run('drop schema if exists reprise cascade')
})

const copy = (from: string, to: string): Promise<CopyReport> =>
  copyWholeStore({ from: storePlace(from, root), to: storePlace(to, root), onProgress: () => {} })

/** A data directory with this history. */
async function lived(name: string, deeds: readonly Deed[]): Promise<string> {
  const directory = join(root, name)
  const store = await sqlite(join(directory, 'reprise.db'))()
  await live({ store, pieces: filePieces(directory), directory }, deeds)
  expect(await store.verify()).toEqual([])
  await store.close()
  return directory
}

/** Every row of every table as text, without the order of rows, and every file of the vault. */
function dump(directory: string): readonly string[] {
  const file = new Database(join(directory, 'reprise.db'))
  const names = file
    .prepare<[], { name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_stat%' order by name",
    )
    .all()
  const lines = names.flatMap(({ name }) =>
    file
      .prepare<[], Record<string, unknown>>(`select * from "${name}"`)
      .all()
      .map(row => `${name} ${JSON.stringify(Object.entries(row).toSorted())}`)
      .toSorted(),
  )
  file.close()
  const files = ['vault', 'vault-objects'].flatMap(part =>
    existsSync(join(directory, part))
      ? readdirSync(join(directory, part), { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile())
          .map(({ parentPath, name }) => {
            const path = join(parentPath, name)
            return `${path.slice(directory.length)} ${readFileSync(path).toString('base64')}`
          })
          .toSorted()
      : [],
  )
  return [...lines, ...files]
}

const texts = fc.oneof(
  fc.constantFrom(...hostileStrings(80)),
  fc.string(),
  fc.constant('x'.repeat(5_000)),
)
const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('thread' as const), texts: fc.array(texts, { maxLength: 4 }) }),
    fc.record({
      do: fc.constant('turn' as const),
      text: texts,
      events: fc.nat(4),
      costUsd: fc.double({ min: 0, max: 10, noNaN: true }),
    }),
    fc.record({ do: fc.constant('job' as const), text: texts.filter(text => text !== '') }),
    fc.record({ do: fc.constant('remove' as const) }),
    fc.record({
      do: fc.constant('object' as const),
      name: fc.constantFrom('a', 'b/c'),
      text: texts,
    }),
  ),
  { maxLength: 10 },
)
const HISTORIES = countOf('REPRISE_COPIED_HISTORIES', { usual: 1, storm: 4 })

test('V-7 any history is the same after a copy to PostgreSQL and back', async () => {
  let at = 0
  await fc.assert(
    fc.asyncProperty(deeds, async drawn => {
      at += 1
      await database.run('drop schema if exists reprise cascade')
      const from = await lived(`from-${at}`, drawn)
      const there = await copy(from, database.url)
      await connectionsEnded()
      const back = await copy(database.url, join(root, `back-${at}`))
      expect(back).toMatchObject({
        contentHash: there.contentHash,
        rows: there.rows,
        pieces: there.pieces,
      })
      expect(dump(join(root, `back-${at}`))).toEqual(dump(from))
      const store = await postgres(database.url)()
      expect(await store.verify()).toEqual([])
      await store.close()
    }),
    // A smaller example would take minutes to find.
    { numRuns: HISTORIES, endOnFailure: true },
  )
})

/** Several pages of rows. */
const MANY: readonly Deed[] = [
  { do: 'thread', texts: Array.from({ length: 450 }, (_, at) => `message ${at}`) },
  { do: 'turn', text: 'one', events: 250, costUsd: 0.1 },
  { do: 'turn', text: 'two', events: 1, costUsd: 0.1 },
]
const AMID_ROWS = '^copy [1-9][0-9][0-9]$'

/** A copy that is killed at the first step that the pattern matches. */
async function killedAt(pattern: string, from: string, to: string): Promise<void> {
  const program = join(import.meta.dirname, 'store-programs', 'copier.ts')
  const copier = spawn(process.execPath, [program, from, to, pattern], { stdio: 'inherit' })
  const [, signal] = await once(copier, 'exit')
  expect(signal).toBe('SIGKILL')
  await connectionsEnded()
}

/** The server takes a moment to notice that a process is gone. */
async function connectionsEnded(): Promise<void> {
  const others = "from pg_stat_activity where application_name = 'reprise'"
  const here = 'datname = current_database()'
  await expect
    .poll(() => database.run(`select pid ${others} and ${here}`), { timeout: 60_000 })
    .toEqual([])
}

test.each([
  ['PostgreSQL', 'between two pages of rows', AMID_ROWS],
  ['PostgreSQL', 'while both are compared', '^compare '],
  ['SQLite', 'between two pages of rows', AMID_ROWS],
  ['SQLite', 'between two session copies', '^sessions '],
] as const)(
  'V-7 a copy to %s that is killed %s is refused by others, and goes on',
  async (kind, _when, pattern) => {
    const from = await lived('from', MANY)
    const target = join(root, 'to')
    const to = kind === 'SQLite' ? target : database.url
    await killedAt(pattern, from, to)
    const open = kind === 'SQLite' ? sqlite(join(target, 'reprise.db')) : postgres(database.url)
    await expect(open()).rejects.toMatchObject({
      code: 'store-unusable',
      message: 'this store is a copy that was not finished',
      hint: expect.stringContaining('reprise store copy'),
    })
    const env = kind === 'SQLite' ? {} : { REPRISE_DATABASE_URL: to }
    const shown = await runCliHere(['threads'], {
      cwd: root,
      env: { REPRISE_HOME: kind === 'SQLite' ? target : join(root, 'other'), ...env },
    })
    expect(shown).toMatchObject({ code: 70, out: '' })
    expect(shown.err).toContain('a copy that was not finished')
    await connectionsEnded()
    const report = await copy(from, to)
    expect(report).toMatchObject({ resumed: true, rows: expect.any(Number) })
    if (kind === 'SQLite') expect(dump(target)).toEqual(dump(from))
    const store = await open()
    expect(await store.verify()).toEqual([])
    await store.close()
  },
)

test.each(['PostgreSQL', 'SQLite'])(
  'V-7 a copy to %s that goes on from another store is noticed',
  async kind => {
    const from = await lived('from', MANY)
    const other = await lived('other', [{ do: 'thread', texts: ['something else'] }])
    const to = kind === 'SQLite' ? join(root, 'to') : database.url
    await killedAt(AMID_ROWS, from, to)
    await expect(copy(other, to)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('holds a part of another copy'),
    })
    const open = kind === 'SQLite' ? sqlite(join(to, 'reprise.db')) : postgres(to)
    await expect(open()).rejects.toThrow('a copy that was not finished')
  },
)

test.each([
  ['a row', (to: string) => run(to, "update threads set title = 'another'")],
  ['a row that is missing', (to: string) => run(to, 'delete from events where seq = 2')],
  [
    'a session copy that is too much',
    async (to: string) => {
      const [stray] = await Array.fromAsync(filePieces(to).all())
      if (!stray) throw new Error('the history has no session copies')
      const piece = (await filePieces(to).read(stray.place, [stray.piece.name])).values().next()
      const owner = { shelf: 'objects', owner: 'job_other' } as const
      if (piece.value) await filePieces(to).write(owner, stray.piece.name, piece.value)
    },
  ],
] as const)('V-7 a copy that is not equal is not finished: %s', async (_, spoil) => {
  const from = await lived('from', MANY)
  const to = join(root, 'to')
  await killedAt('^compare ', from, to)
  await spoil(to)
  await expect(copy(from, to)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('holds a part of another copy'),
  })
  await expect(sqlite(join(to, 'reprise.db'))()).rejects.toThrow('a copy that was not finished')
})

function run(directory: string, statement: string): void {
  const file = new Database(join(directory, 'reprise.db'))
  expect(file.prepare(statement).run().changes).toBeGreaterThan(0)
  file.close()
}

test('V-7 a store that is in use is not copied, and what is there is never replaced', async () => {
  const from = await lived('from', [{ do: 'thread', texts: ['hello'] }])
  const store = await sqlite(join(from, 'reprise.db'))()
  const { lease, run } = await started(store)
  await expect(copy(from, database.url)).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining(run.id),
  })
  await store.releaseLease(lease)
  await store.close()
  const to = await lived('to', [{ do: 'thread', texts: ['mine'] }])
  const idle = await lived('idle', [{ do: 'thread', texts: ['hello'] }])
  await expect(copy(idle, to)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('is not empty'),
  })
  const before = dump(to)
  expect(before.some(line => line.includes('mine'))).toBe(true)
  await expect(copy(to, to)).rejects.toMatchObject({ code: 'bad-input' })
  await expect(copy(join(to, 'reprise.db'), to)).rejects.toThrow('the same store')
  // Somebody is connected to the database.
  const other = await postgres(database.url)()
  await other.thread('none')
  await expect(copy(idle, database.url)).rejects.toMatchObject({ code: 'busy' })
  await other.close()
  expect((await copy(idle, database.url)).resumed).toBe(false)
})

test('V-7 wrong input is refused in our words, without a password', async () => {
  const from = await lived('from', [{ do: 'thread', texts: ['hello'] }])
  const cli = (...args: string[]) =>
    runCliHere(['store', 'copy', ...args], { cwd: root, env: { REPRISE_HOME: join(root, 'home') } })
  const away = 'postgres://me:planted-s3cret@127.0.0.1:1/none'
  for (const [args, code, words] of [
    [[join(root, 'nothing'), database.url], 3, 'there is no store at'],
    [[from, 'mysql://x'], 2, 'neither a path nor a postgres:// URL'],
    [[from, away], 70, 'the database does not answer'],
    [[from, '/proc/none'], 70, '/proc/none'],
  ] as const) {
    const ran = await cli(...args)
    expect(ran, words).toMatchObject({ code, out: '' })
    expect(ran.err).toContain(words)
    expect(ran.err).not.toContain('planted-s3cret')
  }
  const newer = new Database(join(from, 'reprise.db'))
  newer.pragma(`user_version = ${STORE_VERSION + 1}`)
  newer.close()
  const refused = await cli(from, database.url)
  expect(refused.err).toContain(`the store has version ${STORE_VERSION + 1}`)
})

test('V-7 a user of the database without rights is named, and nothing is left behind', async () => {
  const from = await lived('from', [{ do: 'thread', texts: ['hello'] }])
  await database.run("create role guest login password 'planted-s3cret'")
  const url = new URL(database.url)
  url.username = 'guest'
  url.password = 'planted-s3cret'
  try {
    const error = await copy(from, url.href).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'store-unusable' })
    expect(String(error)).toContain('lacks a right')
    expect(String(error)).not.toContain('planted-s3cret')
  } finally {
    await database.run('drop role guest')
  }
})

test('V-7 the command shows what was copied; a damaged piece of a session copy is left out and counted', async () => {
  const from = await lived('from', [
    { do: 'thread', texts: ['hello'] },
    { do: 'turn', text: 'one', events: 1, costUsd: 0 },
    { do: 'turn', text: 'two', events: 1, costUsd: 0 },
  ])
  const agents = join(from, 'vault', readdirSync(join(from, 'vault'))[0] ?? '')
  const [session = ''] = readdirSync(agents)
  const piece = join(agents, session, readdirSync(join(agents, session))[0] ?? '')
  writeFileSync(piece, readFileSync(piece).subarray(0, 40))
  appendFileSync(piece, 'damaged')
  const env = { REPRISE_HOME: join(root, 'home') }
  const there = await runCliHere(['store', 'copy', from, database.url, '--json'], {
    cwd: root,
    env,
  })
  expect(there.code).toBe(0)
  expect(there.err).toContain('1 pieces of session copies were damaged')
  expect(JSON.parse(there.out)).toMatchObject({ pieces: 1, damagedPieces: 1, resumed: false })
  const back = await runCliHere(['store', 'copy', database.url, 'back'], { cwd: root, env })
  expect(back).toMatchObject({ code: 0, err: '' })
  expect(back.out).toContain(JSON.parse(there.out).contentHash)
  expect(existsSync(join(root, 'back', 'reprise.db'))).toBe(true)
})
