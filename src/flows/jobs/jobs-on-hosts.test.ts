// Which host works on which job, in one process: several processes over a store in memory say that they are on other hosts.
import { expect, test } from 'vitest'
import { eventually, type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleTurn } from '../../testing/store-conformance/samples.ts'

async function hosts(script: FakeScript = []) {
  const world = await processes(script)
  let pid = 0
  const on = (host: string, options: ProcessOptions = {}) =>
    world.open({
      workers: 0,
      ...options,
      store: store => ({ ...store, reach: 'hosts' }),
      dependencies: {
        owner: { host, pid: ++pid, startTime: '0' },
        isAlive: owner => (owner.host === host ? true : null),
      },
    }).reprise
  return { ...world, on }
}

const TASK = { prompt: 'work', workDir: '/project' }

test('J-1 a job of a directory waits for a worker on its host, and says so', async () => {
  const { on } = await hosts()
  const submitter = on('build-1')
  const { id, waitingFor } = await submitter.jobs.submit(TASK)
  expect(waitingFor).toMatchObject({ code: 'no-worker' })
  await on('build-2', { workers: 1 }).workers()
  expect(await submitter.jobs.get(id)).toMatchObject({
    status: 'queued',
    host: 'build-1',
    waitingFor: {
      code: 'no-worker-for-host',
      host: 'build-1',
      words: 'no worker for host build-1',
    },
  })
  expect(await submitter.jobs.list()).toMatchObject([{ waitingFor: { host: 'build-1' } }])
  await on('build-1', { workers: 1 }).workers()
  await eventually(async () => (await submitter.jobs.get(id)).status).toBe('completed')
  const { attempts, waitingFor: after } = await submitter.jobs.get(id)
  expect(attempts).toMatchObject([{ host: 'build-1', status: 'completed' }])
  expect(after).toBe(null)
})

test('J-1 a job below a shared root runs on each host that shares it', async () => {
  const { on } = await hosts()
  const submitter = on('build-1', { worker: { sharedRoots: ['/project'] } })
  await on('build-2', { workers: 1 }).workers()
  const { id } = await submitter.jobs.submit(TASK)
  expect(await submitter.jobs.get(id)).toMatchObject({
    sharedRoot: '/project',
    waitingFor: { code: 'no-worker-for-root', root: '/project' },
  })
  await on('build-3', { workers: 1, worker: { sharedRoots: ['/project'] } }).workers()
  await eventually(async () => (await submitter.jobs.get(id)).status).toBe('completed')
  expect((await submitter.jobs.get(id)).attempts).toMatchObject([{ host: 'build-3' }])
})

test('J-1 a job with labels waits for a worker that has all of them', async () => {
  const { on } = await hosts()
  const submitter = on('build-1')
  await on('build-1', { workers: 1, worker: { labels: ['gpu'] } }).workers()
  const { id } = await submitter.jobs.submit({ ...TASK, labels: ['gpu', 'big', 'gpu'] })
  expect(await submitter.jobs.get(id)).toMatchObject({
    labels: ['gpu', 'big'],
    waitingFor: { code: 'no-worker-with-labels', words: 'no worker with labels gpu, big' },
  })
  await on('build-1', { workers: 1, worker: { labels: ['big', 'gpu', 'more'] } }).workers()
  await eventually(async () => (await submitter.jobs.get(id)).status).toBe('completed')
})

test('J-1 on a store of one host a job is bound to no host, since the name of a machine may change', async () => {
  const world = await processes()
  const before = world.open({ workers: 0 }).reprise
  const { id } = await before.jobs.submit(TASK)
  const owner = { host: 'renamed', pid: 7, startTime: '0' }
  await world.open({ workers: 1, dependencies: { owner } }).reprise.workers()
  await eventually(async () => (await before.jobs.get(id)).status).toBe('completed')
})

test('I9 T-1 a turn that waited on a host which died blocks its thread elsewhere only until that host counts as dead', async () => {
  const { on, store } = await hosts([
    { when: 'first', do: [{ type: 'hang' }] },
    { do: [{ type: 'text', text: 'done' }] },
  ])
  const shared = { worker: { sharedRoots: ['/project'] } }
  const first = on('build-1', shared)
  const { id } = await first.threads.create({ workDir: '/project' })
  const running = (await first.threads.get(id)).send('first')
  const { runId } = await running.submitted
  const ended = running.result.catch(() => null)
  await eventually(async () => (await store.run(runId))?.status).toBe('running')
  // Nobody on the other hosts can see whether its process lives.
  const owner = { host: 'build-2', pid: 9, startTime: '0' }
  const lost = { ...sampleTurn(id), owner }
  await store.submitTurn(lost, 0)
  await store.sayWaiting(owner, 60_000)
  const behind = (await on('build-3', shared).threads.get(id)).send('third')
  await behind.submitted
  await first.runs.cancel(runId)
  await ended
  await eventually(async () => (await store.run(lost.run.id))?.status).toBe('queued')
  await store.sayWaiting(owner, -1)
  expect((await behind.result).run).toMatchObject({ status: 'completed', host: 'build-3' })
  expect(await store.run(lost.run.id)).toMatchObject({
    status: 'interrupted',
    failure: { class: 'supervisor-died', message: expect.stringContaining('had queued this turn') },
  })
})

test('T-1 a turn on a thread whose directory is on another host is refused, with the way to go on', async () => {
  const { on } = await hosts()
  const here = on('build-1')
  const { id } = await here.threads.create({ workDir: '/project' })
  const there = await on('build-2').threads.get(id)
  await expect(there.send('hello').result).rejects.toMatchObject({
    code: 'conflict',
    message: `thread ${id} works in /project on host build-1, and this is build-2`,
    hint: expect.stringContaining('Run it on build-1'),
  })
  expect((await there.show()).runs).toEqual([])
  const sharing = on('build-3', { worker: { sharedRoots: ['/project'] } })
  const shared = await sharing.threads.get(id)
  expect((await shared.send('hello').result).run).toMatchObject({ host: 'build-3' })
  const elsewhere = await there.send('hello', { workDir: '/project' }).result
  expect(elsewhere.run.status).toBe('completed')
})

test('J-1 J-8 a job on which workers fail before they can record an attempt says so, also while it counts as running', async () => {
  const { on, open, clock } = await hosts()
  const submitter = on('build-1')
  const { id } = await submitter.jobs.submit(TASK)
  const failing = open({
    workers: 1,
    store: store => ({
      ...store,
      reach: 'hosts',
      submitAndClaim: () => Promise.reject(new Error('the disk is broken')),
    }),
    dependencies: { owner: { host: 'build-1', pid: 9, startTime: '0' }, isAlive: () => true },
  }).reprise
  await failing.workers()
  const waits = async () => (await submitter.jobs.get(id)).waitingFor
  await eventually(async () => (await submitter.jobs.get(id)).status).toBe('running')
  clock.pass(5_000)
  await eventually(waits).toMatchObject({ code: 'work-failed', error: 'the disk is broken' })
  expect((await submitter.jobs.get(id)).status).toBe('running')
})
