import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fillStore, RUNS_PER_THREAD, threadId } from '../../../bench/fill-store.ts'
import { sqlite } from '../../../src/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('bench/store measures a store that is whole: its threads have their messages, sessions and runs', async () => {
  const file = join(directory, 'filled.db')
  await fillStore(file, 2 * RUNS_PER_THREAD)
  const store = await sqlite(file)()
  const id = threadId(1)
  expect(await store.branch(id)).toHaveLength(2 * RUNS_PER_THREAD)
  expect(await store.listRuns({ threadId: id, limit: 100 })).toHaveLength(RUNS_PER_THREAD)
  const [session] = await store.sessions({ threadId: id })
  expect(session).toMatchObject({ pointer: 'confirmed', turnCount: RUNS_PER_THREAD })
  expect(session?.seen).toHaveLength(2 * RUNS_PER_THREAD)
  await store.close()
})
