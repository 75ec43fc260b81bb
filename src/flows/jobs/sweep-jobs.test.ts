// Jobs and the work of the engine are kept together: a job whose work was given up is dead, and one whose work is lost gets new work.
import { expect, test } from 'vitest'
import { sweepJobs, sweepJobsWhileOpen } from './sweep-jobs.ts'

const JOB = {
  ...{ id: 'job_1', threadId: 'thr_1', status: 'queued', schedule: null, nextAttemptAt: 7 },
  ...{
    workspace: null,
    labels: [],
    host: null,
    sharedRoot: null,
    concurrencyKey: 'k',
    priority: 3,
  },
}

type Given = {
  readonly dead?: readonly { readonly id: string; readonly error: string }[]
  readonly jobs?: readonly object[]
  /** Jobs that the engine has work for. */
  readonly having?: readonly string[]
  /** The status of the last run at each look. */
  readonly runs?: readonly string[]
  readonly open?: readonly string[]
}

function world(given: Given = {}) {
  const notes: string[] = []
  const jobs = new Map((given.jobs ?? [JOB]).map(job => [(job as { id: string }).id, job]))
  const statuses = [...(given.runs ?? [])]
  const dispatched: object[] = []
  const store = {
    reach: 'one-host',
    job: async (id: string) => jobs.get(id) ?? null,
    openJobIds: async () => given.open ?? [],
    listRuns: async () => {
      const status = statuses.length > 1 ? statuses.shift() : statuses[0]
      return status === undefined ? [] : [{ id: 'run_1', status }]
    },
    openRuns: async () => [],
    questions: async () => [],
    settleJob: async (id: string, { step, runId }: { step: object; runId: string | null }) =>
      void notes.push(`settle ${id} ${runId} ${JSON.stringify(step)}`),
  }
  const engine = {
    dead: async (queue: string, limit: number) => {
      expect([queue, limit]).toEqual(['jobs', 1_000])
      return given.dead ?? []
    },
    having: async (_: string, ids: readonly string[]) =>
      new Set(ids.filter(id => given.having?.includes(id))),
    cancel: async (queue: string, id: string) => void notes.push(`cancel ${queue} ${id}`),
    dispatch: async (work: object) => void dispatched.push(work),
  }
  const clock = { now: () => 50 }
  return { dependencies: { store, engine, clock, isAlive: () => true } as never, notes, dispatched }
}

const GIVEN_UP = [{ id: 'job_1', error: 'it failed a hundred times' }]

test('J-8 a job whose work was given up is dead, and says why', async () => {
  const { dependencies, notes, dispatched } = world({ dead: GIVEN_UP, open: ['job_1'] })
  await sweepJobs(dependencies)
  const reason = { code: 'given-up', error: 'it failed a hundred times' }
  const step = JSON.stringify({ do: 'stop', as: 'dead', reason })
  expect(notes).toEqual([`settle job_1 null ${step}`])
  // The work that was given up is not handed out again.
  expect(dispatched).toEqual([])
})

test.each<[string, Given, readonly string[]]>([
  ['that is gone', { jobs: [] }, ['cancel jobs job_1']],
  ['that has ended', { jobs: [{ ...JOB, status: 'completed' }] }, ['cancel jobs job_1']],
  ['whose run goes on', { runs: ['running'] }, []],
  ['that somebody has retried', { having: ['job_1'] }, []],
])('J-8 dead work of a job %s does not end a job', async (_, given, expected) => {
  const { dependencies, notes } = world({ dead: GIVEN_UP, ...given })
  await sweepJobs(dependencies)
  expect(notes).toEqual(expected)
})

test('J-8 a run that broke off is ended first', async () => {
  const { dependencies, notes } = world({ dead: GIVEN_UP, runs: ['running', 'interrupted'] })
  await sweepJobs(dependencies)
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('given-up')
})

test('J-8 an open job without work is handed out again, at its time', async () => {
  const jobs = [
    JOB,
    { ...JOB, id: 'job_2', nextAttemptAt: null },
    { ...JOB, id: 'job_3', status: 'completed' },
    { ...JOB, id: 'job_5' },
  ]
  const open = ['job_1', 'job_2', 'job_3', 'job_4', 'job_5']
  const { dependencies, dispatched } = world({ jobs, open, having: ['job_5'] })
  await sweepJobs(dependencies)
  const work = { queue: 'jobs', key: 'k', perKey: 1, priority: 3, retryLimit: 100 }
  expect(dispatched).toMatchObject([
    { ...work, id: 'job_1', notBefore: 7 },
    { ...work, id: 'job_2', notBefore: 50 },
  ])
})

test('J-8 with more dead work than one sweep reads, nothing is handed out: nobody knows what was given up', async () => {
  const dead = Array.from({ length: 1_000 }, (_, index) => ({ id: `gone_${index}`, error: '' }))
  const { dependencies, dispatched } = world({ dead, open: ['job_1'] })
  await sweepJobs(dependencies)
  expect(dispatched).toEqual([])
  const fewer = world({ dead: dead.slice(1), open: ['job_1'] })
  await sweepJobs(fewer.dependencies)
  expect(fewer.dispatched).toHaveLength(1)
})

test('J-8 a process sweeps every minute until it closes, also after a sweep that failed', async () => {
  const closing = new AbortController()
  const slept: number[] = []
  let sweeps = 0
  const clock = {
    sleep: async (ms: number, signal: AbortSignal) => {
      expect(signal).toBe(closing.signal)
      slept.push(ms)
      if (slept.length === 3) closing.abort()
    },
  }
  const engine = {
    dead: async () => {
      sweeps += 1
      throw new Error('the store is away')
    },
  }
  await sweepJobsWhileOpen({ clock, engine, live: { closing: closing.signal } } as never)
  expect([slept, sweeps]).toEqual([[60_000, 60_000, 60_000], 2])
})
