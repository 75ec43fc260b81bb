// What a store must do for jobs, for work that is handed out, and for the life of sessions.
import assert from 'node:assert/strict'
import { DEFAULT_JOB_POLICY } from '../../core/job/job-policy.ts'
import type { JobStep } from '../../core/job/retry.ts'
import type { NewJob } from '../../store/contract/jobs.ts'
import type { StoreWithWork } from '../../store/contract/store.ts'
import type { Enlistment, NewWork } from '../../store/contract/work.ts'
import { refusesWith, storeCase } from './case.ts'
import { sampleEnd, sampleSessionChange, sampleTurn, started } from './samples.ts'

const NOW = 1_000
const OWNER = { host: 'here', pid: 1, startTime: 'a' }
const OTHER = { host: 'here', pid: 2, startTime: 'b' }
let count = 0

export function sampleJob(more: Partial<NewJob> = {}): NewJob {
  count += 1
  return {
    id: `job_${String(count).padStart(16, '0')}`,
    threadId: `thr_${String(count).padStart(16, '0')}`,
    prompt: 'work',
    agent: 'claude-code',
    model: null,
    workDir: '/work',
    host: 'here',
    workspace: null,
    permissionMode: 'acceptEdits',
    allowedTools: ['Read'],
    disallowedTools: [],
    trust: 'user',
    sandbox: 'auto',
    instructions: null,
    policy: DEFAULT_JOB_POLICY,
    checkpointing: 'auto',
    sharedRoot: null,
    labels: [],
    concurrencyKey: null,
    priority: 0,
    schedule: null,
    dueAt: NOW,
    rootId: null,
    nextAttemptAt: NOW,
    createdAt: NOW,
    ...more,
  }
}

export const sampleWork = (
  { id }: { readonly id: string },
  more: Partial<NewWork> = {},
): NewWork => ({
  queue: 'jobs',
  id,
  key: null,
  lane: '',
  perKey: 1,
  priority: 0,
  notBefore: NOW,
  retryLimit: 1,
  ...more,
})

/** As the engine of one machine enlists its work. */
export const enlistOf =
  (job: { readonly id: string }, more: Partial<NewWork> = {}): Enlistment =>
  transaction =>
    transaction.enqueueWork(sampleWork(job, more), NOW)

/** As the engine of one machine cancels its work. */
const cancelOf =
  ({ id }: { readonly id: string }): Enlistment =>
  transaction =>
    transaction.cancelWork('jobs', id)

async function submitted(store: StoreWithWork, more: Partial<NewJob> = {}): Promise<NewJob> {
  const job = sampleJob(more)
  await store.submitJob(job, enlistOf(job))
  return job
}

export const taking = { queue: 'jobs', owner: OWNER, beatMs: 60_000, now: NOW }
const RETRY: JobStep = {
  do: 'retry',
  while: 'parked',
  at: 9_000,
  how: 'fresh',
  reason: { code: 'limit-resets', resetsAt: 9_000 },
}

export const JOB_CASES = [
  storeCase(
    'J-1 keeps a job as it was submitted, with a thread of its own and its work',
    async store => {
      const job = await submitted(store)
      const kept = await store.job(job.id)
      assert.deepEqual(
        { ...kept, step: null },
        {
          ...job,
          status: 'queued',
          nextHow: 'resume',
          step: null,
          settledRunId: null,
          attemptsFrom: 0,
          cancelRequested: false,
          startedAt: null,
          endedAt: null,
        },
      )
      assert.equal((await store.thread(job.threadId))?.kind, 'job')
      assert.deepEqual(await store.listThreads({ limit: 10 }), [])
      assert.equal((await store.dequeueWork(taking))?.id, job.id)
      assert.equal(await store.job('job_none'), null)
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase('J-5 submits once for a key, and refuses the key for another request', async store => {
    const key = { key: 'k', request: 'r', note: '' }
    const [one, two] = [sampleJob(), sampleJob()]
    assert.equal(await store.submitJob(one, enlistOf(one), key), one.id)
    assert.equal(await store.submitJob(two, enlistOf(two), key), one.id)
    await refusesWith('conflict', () =>
      store.submitJob(two, enlistOf(two), { ...key, request: 'other' }),
    )
    assert.equal((await store.listJobs({ limit: 10 })).length, 1)
    assert.equal((await store.listJobs({ limit: 10, since: one.createdAt })).length, 1)
    assert.deepEqual(await store.listJobs({ limit: 10, since: one.createdAt + 1 }), [])
  }),

  storeCase(
    'J-5 stores neither a job nor its work when the engine fails to enlist it',
    async store => {
      const job = sampleJob()
      const refuses: Enlistment = async transaction => {
        await transaction.enqueueWork(sampleWork(job), NOW)
        throw new Error('no room')
      }
      await assert.rejects(store.submitJob(job, refuses), /no room/)
      assert.equal(await store.job(job.id), null)
      assert.equal(await store.thread(job.threadId), null)
      assert.equal(await store.dequeueWork(taking), null)
      await store.submitJob(job, enlistOf(job))
      await store.settleJob(job.id, { runId: null, step: { do: 'cancel' }, now: 2_000 })
      const again = { how: 'resume', attemptsFrom: 0, settledRunId: null, now: 3_000 } as const
      await assert.rejects(store.requeueJob(job.id, again, refuses), /no room/)
      assert.equal((await store.job(job.id))?.status, 'cancelled')
    },
  ),

  storeCase('J-4 settles a run once, and a job that is over stays so', async store => {
    const { id } = await submitted(store)
    assert.equal(await store.startAttempt(id, 2_000), true)
    const parked = { runId: 'run_1', step: RETRY, now: 3_000 }
    assert.equal(await store.settleJob(id, parked), true)
    assert.equal(await store.settleJob(id, { ...parked, step: { do: 'finish' } }), false)
    const job = await store.job(id)
    assert.equal(job?.status, 'parked')
    assert.equal(job?.nextAttemptAt, 9_000)
    assert.equal(job?.nextHow, 'fresh')
    assert.deepEqual(job?.step, RETRY)
    assert.equal(job?.startedAt, 2_000)
    await store.startAttempt(id, 9_500)
    assert.equal(
      await store.settleJob(id, { runId: 'run_2', step: { do: 'finish' }, now: 9_600 }),
      true,
    )
    assert.equal((await store.job(id))?.endedAt, 9_600)
    assert.equal(await store.settleJob(id, { runId: 'run_3', step: RETRY, now: 9_700 }), false)
    assert.equal(await store.startAttempt(id, 9_800), false)
    assert.equal((await store.job(id))?.startedAt, 2_000)
  }),

  storeCase(
    'V-6 removes a job with its thread and its work, but not while it runs',
    async store => {
      const job = await submitted(store)
      await store.startAttempt(job.id, 2_000)
      assert.equal((await store.jobOfThread(job.threadId))?.id, job.id)
      await refusesWith('busy', () => store.removeThread(job.threadId, cancelOf(job)))
      assert.deepEqual(await store.liveWork('jobs', [job.id]), [job.id])
      await store.settleJob(job.id, { runId: null, step: RETRY, now: 3_000 })
      assert.equal(await store.removeThread(job.threadId, cancelOf(job)), true)
      assert.equal(await store.job(job.id), null)
      assert.equal(await store.jobOfThread(job.threadId), null)
      assert.equal(await store.dequeueWork(taking), null)
      assert.deepEqual(await store.verify(), [])
    },
  ),

  storeCase(
    'V-6 removes neither a thread nor the work of its job when the engine fails to cancel it',
    async store => {
      const job = await submitted(store)
      const refuses: Enlistment = async transaction => {
        assert.equal(await cancelOf(job)(transaction), 'gone')
        throw new Error('no')
      }
      await assert.rejects(store.removeThread(job.threadId, refuses), /no/)
      assert.equal((await store.thread(job.threadId))?.id, job.threadId)
      assert.equal((await store.job(job.id))?.status, 'queued')
      assert.equal((await store.dequeueWork(taking))?.id, job.id)
    },
  ),

  storeCase(
    'V-6 leaves the work of a removed job to the worker that has it, and asks that one to stop',
    async store => {
      const job = await submitted(store)
      const work = await store.dequeueWork(taking)
      assert.ok(work)
      assert.equal(await store.removeThread(job.threadId, cancelOf(job)), true)
      assert.deepEqual(await store.beatWork(work, 1_000), { cancelRequested: true })
      assert.equal(await store.endWork(work, { next: 'done' }), true)
      assert.deepEqual(await store.liveWork('jobs', [job.id]), [])
    },
  ),

  storeCase('V-6 knows where checkpoints are, also when their job is gone', async store => {
    const [open, ended] = [await submitted(store), await submitted(store)]
    const place = (jobId: string) => ({ jobId, gitDir: '/project/.git', host: 'here' })
    for (const { id } of [open, ended, open]) await store.keepCheckpointPlace(place(id))
    await store.requestJobCancel(ended.id, 2_000)
    assert.deepEqual(await store.checkpointPlaces(), [
      { ...place(open.id), job: 'open' },
      { ...place(ended.id), job: { endedAt: 2_000 } },
    ])
    await store.removeThread(open.threadId)
    assert.deepEqual(await store.checkpointPlaces({ jobId: open.id }), [
      { ...place(open.id), job: 'gone' },
    ])
    await store.forgetCheckpointPlace(place(open.id))
    assert.deepEqual(
      (await store.checkpointPlaces()).map(({ jobId }) => jobId),
      [ended.id],
    )
  }),

  storeCase('V-6 knows the work dirs of started jobs without a place', async store => {
    const [placed, unplaced] = [await submitted(store), await submitted(store)]
    assert.deepEqual(await store.workDirsWithoutPlace(), [])
    for (const { id } of [placed, unplaced]) await store.startAttempt(id, 2_000)
    assert.deepEqual(await store.workDirsWithoutPlace(), [unplaced.workDir])
    for (const { id } of [placed, unplaced])
      await store.keepCheckpointPlace({ jobId: id, gitDir: '/project/.git', host: null })
    assert.deepEqual(await store.workDirsWithoutPlace(), [])
  }),

  storeCase(
    'J-7 cancels a job at once when it does not run, and otherwise says who runs it',
    async store => {
      const waiting = await submitted(store)
      assert.equal(await store.requestJobCancel(waiting.id, 2_000), 'queued')
      const over = await store.job(waiting.id)
      assert.deepEqual([over?.status, over?.nextAttemptAt], ['cancelled', null])
      const running = await submitted(store)
      await store.startAttempt(running.id, 2_000)
      assert.equal(await store.requestJobCancel(running.id, 3_000), 'running')
      const asked = await store.job(running.id)
      assert.deepEqual([asked?.status, asked?.cancelRequested], ['running', true])
      assert.equal(await store.startAttempt(running.id, 4_000), false)
      assert.equal(await store.requestJobCancel('job_none', 1), null)
    },
  ),

  storeCase('J-2 brings a job back by hand, but not while it runs', async store => {
    const { id } = await submitted(store)
    const again = { how: 'fresh', attemptsFrom: 2, settledRunId: 'run_2', now: 5_000 } as const
    await store.startAttempt(id, 2_000)
    assert.equal(await store.requeueJob(id, again, enlistOf({ id })), false)
    assert.equal(await store.requestJobCancel(id, 2_500), 'running')
    await store.settleJob(id, { runId: 'run_2', step: { do: 'cancel' }, now: 3_000 })
    assert.equal(await store.requeueJob(id, again, enlistOf({ id })), true)
    const job = await store.job(id)
    assert.deepEqual(
      [job?.status, job?.nextHow, job?.attemptsFrom, job?.endedAt, job?.cancelRequested],
      ['queued', 'fresh', 2, null, false],
    )
    assert.equal(await store.startAttempt(id, 6_000), true)
  }),

  storeCase('J-8 finds open jobs, the oldest first, whatever the engine knows', async store => {
    const [first, over, last] = [
      await submitted(store, { priority: 1 }),
      await submitted(store),
      await submitted(store, { priority: 9 }),
    ]
    await store.cancelWork('jobs', first.id)
    await store.requestJobCancel(over.id, 2_000)
    assert.deepEqual(await store.openJobIds(), [first.id, last.id])
    const counts = await store.countJobs()
    assert.deepEqual(
      counts.toSorted((a, b) => a.status.localeCompare(b.status)),
      [
        { status: 'cancelled', jobs: 1 },
        { status: 'queued', jobs: 2 },
      ],
    )
  }),

  storeCase('J-8 counts a job as open while it runs, waits and is parked', async store => {
    const { id } = await submitted(store)
    await store.startAttempt(id, 2_000)
    assert.deepEqual(await store.openJobIds(), [id])
    for (const way of ['parked', 'waiting'] as const) {
      const step = { ...RETRY, while: way }
      await store.settleJob(id, { runId: `run_${way}`, step, now: 3_000 })
      assert.equal((await store.job(id))?.status, way)
      assert.deepEqual(await store.openJobIds(), [id])
    }
    await store.settleJob(id, { runId: 'run_last', step: { do: 'finish' }, now: 4_000 })
    assert.deepEqual(await store.openJobIds(), [])
  }),

  storeCase('J-8 has one run for an attempt of a job', async store => {
    const job = await submitted(store)
    const attempt = { id: job.id, attempt: 1 }
    const turn = { ...sampleTurn(job.threadId), job: attempt }
    await store.submitTurn(turn, NOW)
    const second = { ...sampleTurn(job.threadId), job: attempt }
    await refusesWith('conflict', () => store.submitTurn(second, NOW))
    const runs = await store.listRuns({ jobId: job.id, limit: 10 })
    assert.deepEqual(
      runs.map(run => [run.id, run.attempt, run.jobId]),
      [[turn.run.id, 1, job.id]],
    )
  }),

  storeCase(
    'fences work by its delivery: a worker that lost the work changes nothing',
    async store => {
      await store.enqueueWork(sampleWork({ id: 'w' }), NOW)
      const first = await store.dequeueWork(taking)
      assert.ok(first)
      assert.equal(await store.dequeueWork({ ...taking, owner: OTHER }), null)
      await store.endWork(first, { next: 'failed', error: 'lost', retryAt: NOW })
      const second = await store.dequeueWork({ ...taking, owner: OTHER })
      assert.ok(second)
      assert.equal(second.failures, 1)
      await refusesWith('lease-lost', () => store.beatWork(first, 1_000))
      assert.equal(await store.endWork(first, { next: 'done' }), false)
      assert.deepEqual(await store.beatWork(second, 1_000), { cancelRequested: false })
      await store.endWork(second, { next: 'failed', error: 'again', retryAt: NOW })
      assert.deepEqual(await store.deadWork('jobs', 10), [
        { queue: 'jobs', id: 'w', key: null, error: 'again' },
      ])
      assert.equal(await store.enqueueWork(sampleWork({ id: 'w' }), NOW), 'known')
      assert.equal((await store.dequeueWork(taking))?.failures, 0)
    },
  ),

  storeCase(
    'L-1 pauses and expires what nobody uses, and leaves alone what somebody runs on',
    async store => {
      const { session: begun, run, lease } = await started(store)
      const whileRunning = await store.sweepSessions({ pauseBefore: 9e15, expireBefore: 9e15 })
      assert.deepEqual(whileRunning, { paused: 0, completed: 0, expired: 0 })
      const seen = [{ hash: 'h', anchor: null, isPart: false }]
      const change = sampleSessionChange(begun.id, { evidence: 'file', seen })
      await store.endRun(lease, sampleEnd(run, { session: change }))
      const session = await store.session(begun.id)
      assert.ok(session)
      const at = session.lastMessageAt
      const never = { pauseBefore: at - 1, expireBefore: at - 1 }
      assert.deepEqual(await store.sweepSessions(never), { paused: 0, completed: 0, expired: 0 })
      const paused = await store.sweepSessions({ pauseBefore: at, expireBefore: null })
      assert.equal(paused.paused, 1)
      assert.equal((await store.session(session.id))?.state, 'paused')
      const expired = await store.sweepSessions({ pauseBefore: at, expireBefore: at })
      assert.equal(expired.expired, 1)
      assert.deepEqual(
        (await store.sessionsIn('expired', 10)).map(({ id }) => id),
        [session.id],
      )
      assert.equal(await store.setSessionState(session.id, 'active', 'archived'), false)
      assert.equal(await store.setSessionState(session.id, 'expired', 'archived'), true)
    },
  ),
]
