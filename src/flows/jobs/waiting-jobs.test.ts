// Which jobs wait because no worker takes them, and when the workers are asked for.
import { expect, test } from 'vitest'
import { placeOn, sharedRootOf, withWaiting } from './waiting-jobs.ts'

const PLACE = { workspace: null, labels: [], host: 'a', sharedRoot: '/srv' }
const DUE = {
  ...{ ...PLACE, status: 'waiting', nextAttemptAt: 100, dueAt: 0, sharedRoot: null },
  ...{ id: 'job_due', concurrencyKey: null },
}

async function waiting(jobs: readonly object[], reach: 'hosts' | 'one-host' = 'hosts') {
  let asked = 0
  const worker = {
    host: 'b',
    sharedRoots: [],
    labels: [],
    state: 'working',
    active: 0,
    concurrency: 1,
  }
  const workers = async () => {
    asked += 1
    return [{ ...worker, startTime: '0', beatAt: 50 }]
  }
  const listJobs = async () => [{ id: 'job_first', status: 'running', concurrencyKey: 'deploy' }]
  const dependencies = {
    store: { reach, workers, listJobs },
    clock: { now: () => 100 },
    isAlive: () => null,
  }
  const found = await withWaiting(dependencies as never, jobs as never)
  return { codes: found.map(({ waitingFor }) => waitingFor?.code ?? null), found, asked }
}

test('J-8 a job that is due says that no worker of its host is there, since when, and what to do', async () => {
  const { found } = await waiting([DUE])
  expect(found).toMatchObject([
    {
      ...DUE,
      waitingFor: {
        ...{ code: 'no-worker-for-host', host: 'a', since: 100 },
        ...{ words: expect.stringMatching(/./), hint: expect.stringMatching(/./) },
      },
    },
  ])
})

test.each<[string, object]>([
  ['is over', { status: 'completed' }],
  ['runs', { status: 'running' }],
  ['waits for its next attempt', { nextAttemptAt: 101 }],
])('J-8 a job that %s waits for nobody, and the workers are not asked for', async (_, change) => {
  expect(await waiting([{ ...DUE, ...change }])).toMatchObject({ codes: [null], asked: 0 })
})

test('J-8 the workers are asked for once, as soon as one job may wait for them', async () => {
  const over = { ...DUE, status: 'completed' }
  const new_ = { ...DUE, status: 'queued', nextAttemptAt: null }
  const { codes, asked } = await waiting([over, DUE, new_])
  expect([codes, asked]).toEqual([[null, 'no-worker-for-host', 'no-worker-for-host'], 1])
})

test('J-7 a job whose concurrency key is in use says which job has it', async () => {
  const keyed = { ...DUE, concurrencyKey: 'deploy' }
  const others = [
    { ...keyed, concurrencyKey: 'tests' },
    { ...keyed, nextAttemptAt: 101 },
    { ...keyed, id: 'job_first', status: 'running' },
  ]
  const { found, codes } = await waiting([keyed, ...others], 'one-host')
  expect(codes).toEqual(['key-busy', null, null, null])
  expect(found[0]?.waitingFor).toMatchObject({
    ...{ jobId: 'job_first', since: 100 },
    words: 'job_first with the same concurrency key runs',
    hint: 'It begins when that one pauses or ends: `reprise jobs show job_first`.',
  })
})

test('J-8 in a store of one host any worker takes any job', async () => {
  expect((await waiting([DUE], 'one-host')).codes).toEqual([null])
  expect(placeOn({ reach: 'one-host' } as never, PLACE as never)).toEqual({
    ...{ workspace: null, labels: [], host: null, sharedRoot: null },
  })
  expect(placeOn({ reach: 'hosts' } as never, PLACE as never)).toBe(PLACE)
})

test('J-8 the innermost root that hosts share holds a directory, also by its real path', async () => {
  const root = (workDir: string) => {
    const files = { realpath: async (path: string) => (path === '/link' ? '/real' : null) }
    const offer = { sharedRoots: ['/srv', '/srv/deep', '/link'] }
    return sharedRootOf({ files, offer } as never, workDir)
  }
  expect(await root('/srv/x')).toBe('/srv')
  expect(await root('/srv/deep/x')).toBe('/srv/deep')
  expect(await root('/real/x')).toBe('/link')
  expect(await root('/srvx')).toBeNull()
})
