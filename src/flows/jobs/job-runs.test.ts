// The attempts of a job as its next step sees them, and where jobs may run.
import { expect, test } from 'vitest'
import { attemptsOf, runsOf } from './job-runs.ts'
import { placeOn, sharedRootOf } from './waiting-jobs.ts'

const RUN = {
  ...{ id: 'run_1', status: 'completed', endedAt: 9, continuedBy: null, answerMessageId: null },
  ...{ failure: null, costUsd: 1, decision: { action: 'start' } },
}

const attempts = (runs: readonly object[], job: object = {}) => {
  const store = {
    sessions: async () => [{ seen: [{ hash: 'held' }] }, { seen: [] }],
    message: async (id: string) => ({ hash: id }),
  }
  const given = { threadId: 'thr_1', attemptsFrom: 0, ...job }
  const all = runs.map(run => ({ ...RUN, ...run }))
  return attemptsOf({ store } as never, given as never, all as never)
}

test('J-4 an attempt has how it ended, when a limit resets, what its tools did and what it cost', async () => {
  expect(await attempts([{}])).toEqual([
    {
      ...{ outcome: 'completed', endedAt: 9, resetsAt: null, resumed: false, progressed: false },
      ...{ toolsRan: 0, costUsd: 1 },
    },
  ])
  const failure = { class: 'usage-limit', resetsAt: 99, toolsRan: 2 }
  const failed = { status: 'failed', failure, endedAt: null, costUsd: null }
  expect(await attempts([failed])).toMatchObject([
    { outcome: 'usage-limit', endedAt: 0, resetsAt: 99, toolsRan: 2, costUsd: 0 },
  ])
  expect(await attempts([{ status: 'failed' }])).toMatchObject([{ outcome: 'unknown' }])
})

test.each([
  ['start', false],
  ['replay', false],
  ['resume', true],
  ['fork', true],
])('J-3 an attempt by %s was resumed: %s', async (action, resumed) => {
  expect(await attempts([{ decision: { action } }])).toMatchObject([{ resumed }])
  expect(await attempts([{ decision: null }])).toMatchObject([{ resumed: false }])
})

test('J-3 an attempt has progressed when a session holds its answer', async () => {
  const answers = ['held', 'lost', null]
  const found = await attempts(answers.map(answerMessageId => ({ answerMessageId })))
  expect(found.map(({ progressed }) => progressed)).toEqual([true, false, false])
})

test('M-2 F-2 a refused run and the one that took over are one attempt, with the costs of both', async () => {
  const refused = { continuedBy: 'run_2', costUsd: 2 }
  const found = await attempts([refused, { ...refused, costUsd: null }, { costUsd: 4 }, {}])
  expect(found.map(({ costUsd }) => costUsd)).toEqual([6, 1])
})

test('J-2 attempts before a retry of the user do not count', async () => {
  const found = await attempts([{ costUsd: 2 }, { costUsd: 4 }], { attemptsFrom: 1 })
  expect(found.map(({ costUsd }) => costUsd)).toEqual([4])
})

test('J-1 the runs of a job are read page by page, and given oldest first', async () => {
  const newest = Array.from({ length: 401 }, (_, index) => ({ id: `run_${401 - index}` }))
  const asked: object[] = []
  const listRuns = async (query: { cursor?: string; limit: number }) => {
    asked.push(query)
    const from = newest.findIndex(({ id }) => id === query.cursor) + 1
    return newest.slice(from, from + query.limit)
  }
  const runs = await runsOf({ store: { listRuns } } as never, 'job_1')
  expect([runs.length, runs[0]?.id, runs.at(-1)?.id]).toEqual([401, 'run_1', 'run_401'])
  expect(asked).toEqual([
    { jobId: 'job_1', limit: 200 },
    { jobId: 'job_1', limit: 200, cursor: 'run_202' },
    { jobId: 'job_1', limit: 200, cursor: 'run_2' },
  ])
})

test('J-8 the shared root of a work dir is the longest that holds it, by its own name or by its real path', async () => {
  const real: Readonly<Record<string, string>> = { '/link': '/disk/shared' }
  const offer = { sharedRoots: ['/srv', '/srv/deep', '/link'] }
  const files = { realpath: async (path: string) => real[path] ?? null }
  const root = (workDir: string) => sharedRootOf({ files, offer } as never, workDir)
  expect(await root('/srv/deep/a')).toBe('/srv/deep')
  expect(await root('/srv/a')).toBe('/srv')
  expect(await root('/disk/shared/a')).toBe('/link')
  expect(await root('/elsewhere')).toBeNull()
})

test('J-1 a store of one host binds no job to its host', () => {
  const job = { workspace: null, labels: ['gpu'], host: 'h', sharedRoot: '/srv' }
  const on = (reach: string) => placeOn({ reach } as never, job as never)
  expect(on('hosts')).toEqual(job)
  expect(on('one-host')).toEqual({ ...job, host: null, sharedRoot: null })
})
