// I13: a store of every earlier version, as the code of that version left it, opened by the code of today. Versions 1, 3 and 4 were never
// the newest of a commit: their stores were made from that of version 2: 3 and 4 by the migrations, 1 with the same rows in its tables.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import { createReprise } from '../../src/reprise.ts'
import { MIGRATIONS } from '../../src/store/sql/migrations.ts'
import { STORE_VERSION } from '../../src/store/sql/version.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { SQLITE } from '../../src/store/sqlite/sqlite-connection.ts'
import { createFakeRunner, memoryExecutable } from '../../src/testing/fake-runner.ts'
import { memoryFiles } from '../../src/testing/memory-files.ts'

const STORES = join(import.meta.dirname, 'stores')
const VERSIONS = Array.from({ length: STORE_VERSION - 1 }, (_, index) => index + 1)
const SAID = ['the first message', 'list the files', 'the third message, edited']

let directory = ''
let file = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-upgrades-'))
  file = join(directory, 'store.sqlite')
})

afterEach(() => rmSync(directory, { recursive: true }))

test('I13 there is one store of every version below the present one: `node scripts/old-store.ts <commit>` keeps the one that is missing', () => {
  const kept = VERSIONS.map(version => nameOf(version))
  expect(readdirSync(STORES).sort()).toEqual(kept)
})

describe.each(VERSIONS)('I13 a store of version %i', version => {
  beforeEach(() => writeFileSync(file, gunzipSync(readFileSync(join(STORES, nameOf(version))))))

  test('is of that version', () => expect(versionOf(file)).toBe(version))

  test('is upgraded with everything in it, is found clean, and its conversation goes on', async () => {
    await expectWhole(rowsIn(file))
  })

  test('is the same after an upgrade that was killed in the middle', async () => {
    const before = rowsIn(file)
    for (const statement of pointsFrom(version)) {
      writeFileSync(file, gunzipSync(readFileSync(join(STORES, nameOf(version)))))
      expect(await killedAt(statement)).toBe('SIGKILL')
      expect(versionOf(file)).toBeLessThan(STORE_VERSION)
      await expectWhole(before)
      rmSync(file)
    }
  })
})

function nameOf(version: number): string {
  return `${String(version).padStart(3, '0')}.sqlite.gz`
}

/** Statements before which the upgrade is killed: all of them, or the first, the middle and the last one of every step. */
function pointsFrom(version: number): readonly number[] {
  const points: number[] = []
  let first = 0
  for (const statements of MIGRATIONS.slice(version)) {
    const count = statements(SQLITE).length
    const within = Array.from({ length: count }, (_, index) => index)
    const some = [0, Math.floor(count / 2), count - 1]
    const chosen = process.env.REPRISE_UPGRADE_KILLS === 'all' ? within : new Set(some)
    points.push(...[...chosen].map(index => first + index))
    first += count
  }
  // Each version on its own way up: without the variable, the steps above it are the matter of their own stores.
  return process.env.REPRISE_UPGRADE_KILLS === 'all' ? points : points.slice(0, 3)
}

async function killedAt(statement: number): Promise<NodeJS.Signals | null> {
  const program = join(import.meta.dirname, 'killed-upgrade.ts')
  const args = [program, file, String(statement)]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [, signal] = await once(child, 'exit')
  return signal
}

async function expectWhole(before: Readonly<Record<string, number>>): Promise<void> {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  const runner = createFakeRunner({ files, script: [] })
  const env = { CLAUDE_CONFIG_DIR: '/config' }
  const reprise = createReprise({
    store: sqlite(file),
    agents: [claudeCode({ executable: '/bin/agent', env })],
    environment: {},
    dependencies: { runner, files, keepText: async () => '/kept' },
  })
  const threads = await reprise.threads.list()
  const thread = await reprise.threads.get(idOf(threads, 'an old conversation'))
  expect(versionOf(file)).toBe(STORE_VERSION)
  expect(rowsIn(file)).toEqual(before)
  const { messages } = await thread.show()
  expect(messages.flatMap(({ role, text }) => (role === 'user' ? text : []))).toEqual(SAID)
  expect(JSON.stringify(messages)).toContain('a.txt')
  for (const { id } of await reprise.runs.list()) {
    expect((await reprise.runs.events(id)).at(-1)?.type).toBe('ended')
  }
  const statuses = (await reprise.runs.list()).map(({ status }) => status).sort()
  expect(statuses).toEqual(['completed', 'completed', 'completed', 'interrupted'])
  const jobs = await reprise.jobs.list()
  expect(jobs.map(({ prompt }) => prompt)).toEqual(before.jobs === 1 ? ['an old job'] : [])
  expect(await reprise.verify()).toEqual([])
  const { run } = await thread.send('does it go on?').result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'replay' } })
  for (const said of SAID) expect(runner.journal.at(-1)?.prompt).toContain(said)
  await reprise.close()
}

function idOf(threads: readonly { id: string; title: string | null }[], title: string): string {
  return threads.find(thread => thread.title === title)?.id ?? ''
}

function versionOf(path: string): number {
  return withDatabase(path, database => Number(database.pragma('user_version', { simple: true })))
}

/** How many rows the tables hold; of the first version those that it has, of later ones the jobs as well. */
function rowsIn(path: string): Readonly<Record<string, number>> {
  return withDatabase(path, database => {
    const names = database.prepare(`select name from sqlite_master`).pluck().all()
    const count = (table: string) =>
      names.includes(table)
        ? Number(database.prepare(`select count(*) from ${table}`).pluck().get())
        : 0
    const tables = ['threads', 'messages', 'runs', 'events', 'sessions', 'session_seen', 'jobs']
    return Object.fromEntries(tables.map(table => [table, count(table)]))
  })
}

function withDatabase<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
