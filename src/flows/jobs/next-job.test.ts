// The next job of a recurring one, and the work by which the engine hands a job out.
import { expect, test } from 'vitest'
import { ensureNext, workOf } from './submit-job.ts'

const JOB = {
  ...{ id: 'job_1', threadId: 'thr_1', prompt: 'work', agent: 'one', status: 'completed' },
  ...{ schedule: { everyMs: 60_000 }, dueAt: 0, nextAttemptAt: null, createdAt: 0, rootId: null },
  ...{ workspace: null, workDir: '/project', host: 'here', sharedRoot: null, labels: ['gpu'] },
  ...{ concurrencyKey: 'one at a time', priority: 7, trace: 'old' },
}
type Given = {
  readonly job?: object /** What another worker has stored before. */
  readonly stored?: string
}

async function next({ job = {}, stored }: Given = {}) {
  const submitted: { job: object; work: object; key: object }[] = []
  const notes: string[] = []
  let ids = 0
  const dependencies = {
    clock: { now: () => 150_000 },
    random: { id: (kind: string) => `${kind}_${++ids + 1}` },
    store: {
      reach: 'hosts',
      submitJob: async (one: { id: string }, work: object, key: object) => {
        submitted.push({ job: one, work, key })
        return stored ?? one.id
      },
    },
    engine: {
      enlist: (work: object) => work,
      wake: (queue: string) => void notes.push(`wake ${queue}`),
    },
    tracing: {
      submit: (about: object) => ({
        trace: about,
        stored: (id: string) => void notes.push(`traced ${id}`),
      }),
    },
    workspaces: { pathOf: (id: string) => `/trees/${id}` },
  }
  await ensureNext(dependencies as never, { ...JOB, ...job } as never)
  return { submitted, notes }
}

test('J-7 the next job is the same on a thread of its own, at its next time, once however often it is stored', async () => {
  const { submitted, notes } = await next()
  const trace = { kind: 'job', agent: 'one', threadId: 'thr_2', parent: null }
  const at = 180_000
  const times = { dueAt: at, nextAttemptAt: at, createdAt: 150_000 }
  expect(submitted).toEqual([
    {
      job: { ...JOB, ...times, id: 'job_3', threadId: 'thr_2', rootId: 'job_1', trace },
      work: {
        ...{ queue: 'jobs', id: 'job_3', notBefore: at, isFresh: true, retryLimit: 100 },
        ...{ key: 'one at a time', perKey: 1, priority: 7, lane: expect.anything() },
      },
      key: { key: 'after:job_1', request: 'job_1', note: '' },
    },
  ])
  expect(notes).toEqual(['traced job_3', 'wake jobs'])
})

test('J-7 the row keeps its first job, and a repository is looked at anew', async () => {
  const workspace = { repository: 'r', ref: 'main', commit: 'a' }
  const { submitted } = await next({ job: { rootId: 'job_0', workspace, host: null } })
  expect(submitted[0]?.job).toMatchObject({
    ...{ rootId: 'job_0', workDir: '/trees/thr_2' },
    workspace: { repository: 'r', ref: 'main', commit: null },
  })
})

test('J-7 a job that another worker has stored before is not traced as submitted again', async () => {
  expect((await next({ stored: 'job_9' })).notes).toEqual(['wake jobs'])
})

test.each([{ schedule: null }, { status: 'cancelled' }])(
  'J-7 nothing follows a job with %j',
  async job => {
    expect(await next({ job })).toEqual({ submitted: [], notes: [] })
  },
)

test('J-8 the engine hands a job only to workers that may have it', () => {
  const lane = (reach: string, job: object) =>
    workOf({ store: { reach } } as never, { ...JOB, ...job } as never, 0).lane
  expect(lane('hosts', {})).not.toEqual(lane('hosts', { host: 'there' }))
  expect(lane('one-host', {})).toEqual(lane('one-host', { host: 'there' }))
  expect(lane('one-host', {})).not.toEqual(lane('one-host', { labels: [] }))
})
