// Which processes the store knows as workers, in one process: the store of a dead one answers no more.
import { expect, test } from 'vitest'
import { eventually, processes } from '../../../test/simulated/processes.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const HANGS: FakeScript = [{ do: [{ type: 'hang' }] }]

test('a process that works on jobs is a worker from its start to its close, and others are not', async () => {
  const world = await processes()
  const looking = world.open({ workers: 0 }).reprise
  expect(await looking.workers()).toEqual([])
  const { reprise } = world.open({
    workers: 3,
    worker: { labels: ['gpu'], sharedRoots: ['/srv'] },
  })
  await reprise.workers()
  expect(await looking.workers()).toEqual([
    {
      id: expect.stringMatching(/^wrk_/),
      host: 'here',
      pid: 2,
      version: expect.stringMatching(/^\d/),
      labels: ['gpu'],
      sharedRoots: ['/srv'],
      agents: ['claude-code'],
      concurrency: 3,
      active: 0,
      startedAt: expect.any(Number),
      beatAt: expect.any(Number),
      state: 'working',
    },
  ])
  await reprise.close()
  expect(await looking.workers()).toEqual([])
})

test('a program becomes a worker with the first job that it submits', async () => {
  const world = await processes()
  const { reprise } = world.open()
  expect(await reprise.workers()).toEqual([])
  await reprise.jobs.submit({ prompt: 'work', workDir: '/project' })
  expect(await reprise.workers()).toMatchObject([{ concurrency: 2, state: 'working' }])
})

test('a worker says how many jobs it has, and that it drains while it stops', async () => {
  const world = await processes(HANGS)
  const looking = world.open({ workers: 0 }).reprise
  const { reprise } = world.open({ workers: 2 })
  const { id } = await reprise.jobs.submit({ prompt: 'work', workDir: '/project' })
  const load = async () => (await looking.workers()).map(({ active, state }) => [active, state])
  await eventually(load).toEqual([[1, 'working']])
  await eventually(async () => (await looking.jobs.get(id)).status).toBe('running')
  reprise.beginNothing()
  await eventually(load).toEqual([[1, 'draining']])
  await reprise.close()
  expect(await looking.workers()).toEqual([])
})

test('a worker that was killed is gone at once on its own host, and stays listed for a while', async () => {
  const world = await processes()
  const looking = world.open({ workers: 0 }).reprise
  const { reprise, die } = world.open({ workers: 2 })
  await reprise.workers()
  die()
  expect(await looking.workers()).toMatchObject([{ pid: 2, state: 'gone' }])
})

test('of a worker on another host only its beat is known', async () => {
  const world = await processes()
  const owner = { host: 'there', pid: 7, startTime: '0' }
  const there = world.open({ workers: 2, dependencies: { owner } }).reprise
  await there.workers()
  const looking = world.open({ workers: 0 }).reprise
  expect(await looking.workers()).toMatchObject([{ host: 'there', pid: 7, state: 'working' }])
  const [worker] = await world.store.workers()
  if (worker) await world.store.beatWorker({ ...worker, draining: false }, 0)
  expect(await looking.workers()).toMatchObject([{ host: 'there', state: 'gone' }])
})
