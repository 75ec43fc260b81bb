// Several processes on one database: they race, they are killed, they are not allowed.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/store/contract/store.ts'
import { sampleThread, submitted } from '../../src/testing/store-conformance/samples.ts'
import { newDatabase, type TestDatabase } from '../postgres/shared.ts'
import { openStore } from './store-programs/open-store.ts'

let directory = ''
/** The file or the URL of the store. */
let place = ''
let database: TestDatabase | null = null

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-processes-'))
  place = join(directory, 'store.db')
})

afterEach(async () => {
  rmSync(directory, { recursive: true })
  await database?.drop()
  database = null
})

const KINDS = ['SQLite', 'PostgreSQL'] as const

async function use(kind: (typeof KINDS)[number]): Promise<void> {
  if (kind === 'SQLite') return
  database = await newDatabase()
  place = database.url
}

function start(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const path = join(import.meta.dirname, 'store-programs', program)
  return spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  })
}

async function linesOf({ stdout }: ChildProcess): Promise<readonly string[]> {
  if (stdout === null) return []
  return (await text(stdout)).split('\n').filter(line => line !== '')
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(place)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

test.each([
  { processes: 4, kind: 'SQLite' },
  { processes: 8, kind: 'PostgreSQL' },
] as const)(
  'I2 $processes processes race for turns on $kind: one winner each, every queue in order',
  { timeout: 180_000 },
  async ({ processes, kind }) => {
    await use(kind)
    const queues = await withStore(async store => {
      const threads = [sampleThread(), sampleThread(), sampleThread()]
      for (const thread of threads) await store.createThread(thread, [])
      const entries = threads.map(thread => [thread.id, [] as string[]] as const)
      for (let turn = 0; turn < 8; turn++) {
        for (const [threadId, prompts] of entries) {
          prompts.push((await submitted(store, threadId)).turn.message.id)
        }
      }
      return entries
    })
    const runners = Array.from({ length: processes }, () =>
      start('runner.ts', [place], { stdio: 'pipe' }),
    )
    const lines = runners.map(linesOf)
    await Promise.all(runners.map(async ({ stdout }) => stdout !== null && once(stdout, 'data')))
    for (const { stdin } of runners) stdin?.end()
    const won = (await Promise.all(lines)).flat().filter(line => line !== 'ready')
    expect(won).toHaveLength(24)
    expect(new Set(won).size).toBe(24)
    await withStore(async store => {
      for (const [threadId, prompts] of queues) {
        const asked = (await store.branch(threadId)).filter(message => message.role === 'user')
        expect(asked.map(message => message.id)).toEqual(prompts)
      }
      expect(await store.verify()).toEqual([])
    })
  },
)

test.each(KINDS)(
  'I1 a writer killed at any moment on %s has lost nothing that was acknowledged',
  async kind => {
    await use(kind)
    const thread = sampleThread()
    await withStore(store => store.createThread(thread, []))
    const acknowledged: string[] = []
    for (let kills = 0; kills < 5; kills++) {
      const writer = start('writer.ts', [place, thread.id])
      const lines = linesOf(writer)
      if (writer.stdout !== null) await once(writer.stdout, 'data')
      await new Promise(resolve => setTimeout(resolve, Math.random() * 40))
      writer.kill('SIGKILL')
      acknowledged.push(...(await lines))
    }
    await withStore(async store => {
      const stored = await store.listRuns({ threadId: thread.id, limit: 1_000_000 })
      const ids = new Set(stored.map(run => run.id))
      expect(acknowledged.length).toBeGreaterThanOrEqual(5)
      expect(acknowledged.filter(id => !ids.has(id))).toEqual([])
      for (const run of stored)
        expect(await store.message(run.promptMessageId ?? '')).not.toBeNull()
      expect(await store.verify()).toEqual([])
    })
  },
)

test.each(KINDS)(
  'I13 a migration killed half way on %s has changed nothing, and the store opens again',
  async kind => {
    await use(kind)
    await withStore(store => store.cacheRuntime('key', RUNTIME))
    const migrator = start('migrator.ts', [place])
    if (migrator.stdout !== null) await once(migrator.stdout, 'data')
    migrator.kill('SIGKILL')
    await once(migrator, 'exit')
    await withStore(async store => {
      expect(await store.cachedRuntime('key')).toEqual(RUNTIME)
      expect(await store.verify()).toEqual([])
    })
  },
)

test('a file that may not be written is refused as store-unusable', async () => {
  await withStore(store => store.createThread(sampleThread(), []))
  chmodSync(place, 0o444)
  chmodSync(directory, 0o555)
  // Root may write everything: as root, somebody else is asked.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const lines = await linesOf(start('opener.ts', [place], nobody))
  chmodSync(directory, 0o755)
  expect(lines).toEqual(['store-unusable'])
})

const RUNTIME = {
  agent: 'claude-code',
  executable: '/bin/claude',
  version: '2',
  abilities: {
    resume: true,
    fork: true,
    forkAtMessage: true,
    chooseSessionId: true,
    resumeAcrossWorkDirs: false,
  },
  quirks: [],
  warning: null,
  fingerprint: 'f',
}
