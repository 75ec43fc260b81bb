// Several processes on one database file: they race, they are killed, they are not allowed.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/store/contract/store.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { sampleThread, submitted } from '../../src/testing/store-conformance/samples.ts'

let directory = ''
let file = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-processes-'))
  file = join(directory, 'store.db')
})

afterEach(() => rmSync(directory, { recursive: true }))

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
  const store = await sqlite(file)()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

test('I2 four processes race for turns: one winner each, every queue in order', async () => {
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
  const runners = [1, 2, 3, 4].map(() => start('runner.ts', [file], { stdio: 'pipe' }))
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
})

test('I1 a writer killed at any moment has lost nothing that was acknowledged', async () => {
  const thread = sampleThread()
  await withStore(store => store.createThread(thread, []))
  const acknowledged: string[] = []
  for (let kills = 0; kills < 5; kills++) {
    const writer = start('writer.ts', [file, thread.id])
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
    for (const run of stored) expect(await store.message(run.promptMessageId ?? '')).not.toBeNull()
    expect(await store.verify()).toEqual([])
  })
})

test('I13 a migration killed half way has changed nothing, and the store opens again', async () => {
  await withStore(store => store.cacheRuntime('key', RUNTIME))
  const migrator = start('migrator.ts', [file])
  if (migrator.stdout !== null) await once(migrator.stdout, 'data')
  migrator.kill('SIGKILL')
  await once(migrator, 'exit')
  await withStore(async store => {
    expect(await store.cachedRuntime('key')).toEqual(RUNTIME)
    expect(await store.verify()).toEqual([])
  })
})

test('a file that may not be written is refused as store-unusable', async () => {
  await withStore(store => store.createThread(sampleThread(), []))
  chmodSync(file, 0o444)
  chmodSync(directory, 0o555)
  // Root may write everything: as root, somebody else is asked.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const lines = await linesOf(start('opener.ts', [file], nobody))
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
