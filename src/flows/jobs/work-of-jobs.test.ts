// Jobs and the work by which the engine hands them out: lost work is dispatched again, and removed jobs leave none.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LocalReprise } from '../../index.ts'
import { claudeCode, createReprise, sqlite } from '../../index.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { type MemoryFiles, memoryFiles } from '../../testing/memory-files.ts'
import { taking } from '../../testing/store-conformance/job-cases.ts'
import { JOB_QUEUE } from './submit-job.ts'

const TASK = { prompt: 'work', workDir: '/project', checkpoints: 'off' } as const

let files: MemoryFiles
let store: StoreWithWork
const opened: LocalReprise[] = []

beforeEach(async () => {
  files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  store = await sqlite(':memory:')()
})
afterEach(async () => {
  for (const reprise of opened.splice(0)) await reprise.close()
  await store.close()
})

/** A process on the same store. */
function open(workers: number): LocalReprise {
  const reprise = createReprise({
    store: async () => ({ ...store, close: async () => {} }),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    workers,
    dependencies: { runner: createFakeRunner({ files }), files, keepText: async text => text },
  })
  opened.push(reprise)
  return reprise
}

test('J-8 a worker dispatches open jobs whose work was lost, and no job that is over', async () => {
  const first = open(0)
  const [lost, over] = [await first.jobs.submit(TASK), await first.jobs.submit(TASK)]
  await first.jobs.cancel(over.id)
  await store.cancelWork(JOB_QUEUE, lost.id)
  expect(await store.liveWork(JOB_QUEUE, [lost.id, over.id])).toEqual([])
  const job = await open(1).jobs.wait(lost.id)
  expect(job.status).toBe('completed')
  expect((await first.jobs.get(over.id)).attempts).toEqual([])
})

test('J-8 a worker dispatches an open job whose work was given up', async () => {
  const first = open(0)
  const { id } = await first.jobs.submit(TASK)
  const now = Date.now()
  for (let failures = 0; (await store.deadWork(JOB_QUEUE, 1)).length === 0; failures += 1) {
    const work = await store.dequeueWork({ ...taking, now })
    expect(work?.failures).toBe(failures)
    if (work) await store.endWork(work, { next: 'failed', error: 'lost', retryAt: now })
  }
  expect((await open(1).jobs.wait(id)).status).toBe('completed')
})

test('V-6 a removed job leaves no work behind, and other jobs keep theirs', async () => {
  const reprise = open(0)
  const [removed, other] = [await reprise.jobs.submit(TASK), await reprise.jobs.submit(TASK)]
  await reprise.jobs.remove(removed.id)
  expect(await store.liveWork(JOB_QUEUE, [removed.id, other.id])).toEqual([other.id])
})

test('V-6 a job whose removal fails keeps its work', async () => {
  const reprise = open(0)
  const { id } = await reprise.jobs.submit(TASK)
  await store.startAttempt(id, Date.now())
  await expect(reprise.jobs.remove(id)).rejects.toMatchObject({ code: 'busy' })
  expect(await store.liveWork(JOB_QUEUE, [id])).toEqual([id])
})

test('close() ends a Reprise that never opened its store, and one whose store cannot be opened', async () => {
  const refuses = () => Promise.reject(new Error('no disk'))
  const reprise = createReprise({ store: refuses, agents: [] })
  await expect(reprise.jobs.list()).rejects.toThrow('no disk')
  await expect(reprise.close()).resolves.toBeUndefined()
  await expect(
    createReprise({ store: sqlite(':memory:'), agents: [] }).close(),
  ).resolves.toBeUndefined()
})
