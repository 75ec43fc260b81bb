// Jobs and the work by which the engine hands them out: lost work is dispatched again, and removed jobs leave none.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Failure } from '../../core/run/run.ts'
import type { LocalReprise } from '../../index.ts'
import { claudeCode, createReprise, sqlite } from '../../index.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { type MemoryFiles, memoryFiles } from '../../testing/memory-files.ts'
import { taking } from '../../testing/store-conformance/job-cases.ts'
import { sampleTurn } from '../../testing/store-conformance/samples.ts'
import { JOB_QUEUE } from './job-queue.ts'

const TASK = { prompt: 'work', workDir: '/project', checkpoints: 'off' } as const

const SCRIPT: FakeScript = [
  { when: 'slow', do: [{ type: 'text', text: ['one ', { waitForFile: '/go' }, 'two'] }] },
]

const FAILURE: Failure = {
  class: 'supervisor-died',
  message: 'it died',
  hint: 'none',
  toolsRan: 0,
  resetsAt: null,
}

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
function open(workers: number, change: Partial<StoreWithWork> = {}): LocalReprise {
  const reprise = createReprise({
    store: async () => ({ ...store, close: async () => {}, ...change }),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    workers,
    dependencies: {
      runner: createFakeRunner({ files, script: SCRIPT, hangs: 'until-stopped' }),
      files,
      keepText: async text => text,
    },
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

async function failUntilDead(): Promise<void> {
  const now = Date.now()
  for (let failures = 0; (await store.deadWork(JOB_QUEUE, 1)).length === 0; failures += 1) {
    const work = await store.dequeueWork({ ...taking, now })
    expect(work?.failures).toBe(failures)
    if (work) await store.endWork(work, { next: 'failed', error: 'lost', retryAt: now })
  }
}

test('J-8 a worker that has lost its work to another one does not cancel the job', async () => {
  const lost = Promise.withResolvers<void>()
  const worker = open(1, {
    beatWork: (...beat) =>
      store.beatWork(...beat).catch(error => {
        lost.resolve()
        throw error
      }),
  })
  const { id } = await worker.jobs.submit({ ...TASK, prompt: 'slow' })
  await expect.poll(async () => (await worker.jobs.get(id)).attempts[0]?.status).toBe('running')
  const [out] = await store.workInHands(JOB_QUEUE)
  // As another worker does it that heard nothing for too long.
  if (out) await store.endWork(out.work, { next: 'failed', error: 'silent', retryAt: Date.now() })
  await lost.promise
  await files.write('/go', '')
  expect(await worker.jobs.wait(id)).toMatchObject({
    status: 'completed',
    attempts: [{ status: 'completed' }],
  })
})

test('J-8 a job whose work was given up while a host that may live runs it is not handed out again', async () => {
  const { id, threadId } = await open(0).jobs.submit(TASK)
  await failUntilDead()
  const owner = { host: 'elsewhere', pid: 1, startTime: '0' }
  const turn = { ...sampleTurn(threadId), owner, job: { id, attempt: 1 } }
  const { lease } = await store.submitAndClaim(turn, Date.now(), 3_600_000)
  // Its first sweep is over when it answers.
  await open(1).workers()
  expect(await store.liveWork(JOB_QUEUE, [id])).toEqual([])
  expect((await store.job(id))?.status).toBe('queued')
  if (lease) await store.releaseLease(lease)
  await store.abandonQueued(turn.run.id, owner, FAILURE, Date.now())
  await open(1).workers()
  expect(await store.job(id)).toMatchObject({ status: 'dead', step: { reason: { error: 'lost' } } })
})

test('J-8 a job whose work was given up is dead and says why; a retry dispatches it anew', async () => {
  const first = open(0)
  const { id } = await first.jobs.submit(TASK)
  await failUntilDead()
  const worker = open(1)
  const dead = await worker.jobs.wait(id)
  expect(dead).toMatchObject({
    status: 'dead',
    step: { do: 'stop', as: 'dead', reason: { code: 'given-up', error: 'lost' } },
    attempts: [],
  })
  expect(await worker.jobs.list({ status: 'dead' })).toMatchObject([{ id }])
  await worker.jobs.retry(id)
  expect((await worker.jobs.wait(id)).status).toBe('completed')
  expect(await store.verify()).toEqual([])
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
