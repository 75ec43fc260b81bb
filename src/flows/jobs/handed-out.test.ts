// What becomes of a job that the engine hands out, step by step, when no attempt can be made now.
import { expect, test } from 'vitest'
import type { Job } from '../../core/job/job.ts'
import { DEFAULT_JOB_POLICY } from '../../core/job/job-policy.ts'
import { RepriseError } from '../../errors.ts'
import { cancelledBy, jobHandler } from './run-job.ts'

const NOW = 1_000
const JOB = {
  ...{
    id: 'job_1',
    threadId: 'thr_1',
    status: 'queued',
    agent: 'one',
    prompt: 'work',
    schedule: null,
  },
  ...{ settledRunId: null, cancelRequested: false, dueAt: 0, nextAttemptAt: null, attemptsFrom: 0 },
  ...{ checkpointing: 'off', workspace: null, workDir: '/project', nextHow: 'resume', step: null },
  ...{
    permissionMode: 'plan',
    allowedTools: [],
    disallowedTools: [],
    model: null,
    instructions: null,
  },
  policy: DEFAULT_JOB_POLICY,
}
const RUN = {
  ...{
    id: 'run_1',
    threadId: 'thr_1',
    status: 'failed',
    endedAt: 900,
    startedAt: 800,
    costUsd: null,
  },
  ...{ continuedBy: null, answerMessageId: null, decision: null, attempt: 1 },
  failure: { class: 'network', message: 'm', hint: '', toolsRan: 0, resetsAt: null },
}

type Given = {
  readonly job?: object | null
  readonly runs?: readonly object[]
  readonly isClosing?: boolean
  readonly isAborted?: boolean
  readonly store?: object
  readonly dependencies?: object
}

async function handed(given: Given = {}) {
  const notes: string[] = []
  const steps: { runId: string | null; step: object; now: number }[] = []
  let job = given.job === null ? null : { ...JOB, ...given.job }
  const closing = new AbortController()
  if (given.isClosing) closing.abort()
  const delivery = new AbortController()
  if (given.isAborted) delivery.abort()
  const store = {
    job: async () => job,
    listRuns: async () => (given.runs ?? []).toReversed(),
    sessions: async () => [],
    questions: async () => [],
    openRuns: async () => [],
    holderOf: async () => null,
    run: async () => given.runs?.at(-1) ?? null,
    branch: async () => [],
    thread: async () => ({ id: 'thr_1', kind: 'job', workspace: null, workDir: '/project' }),
    checkpointPlaces: async () => {
      notes.push('looks for checkpoints')
      return []
    },
    startAttempt: async () => notes.push('attempt') > 0,
    settleJob: async (_: string, settled: { runId: string | null; step: object; now: number }) => {
      steps.push(settled)
      const { step, runId } = settled
      const goesOn = 'at' in step
      // As the store does: the next look finds the job as the step left it.
      const status = (goesOn ? 'waiting' : 'failed') as Job['status']
      const nextAttemptAt = goesOn ? Math.max(Number(step.at), NOW + 1) : null
      job = job && {
        ...job,
        status,
        settledRunId: (runId ?? job.settledRunId) as never,
        nextAttemptAt: nextAttemptAt as never,
      }
    },
    ...given.store,
  }
  const dependencies = {
    store,
    agents: new Map(),
    clock: { now: () => NOW },
    random: { uuid: () => '80000000-0000-4000-8000-000000000000', promptMark: () => 'm' },
    owner: { host: 'here' },
    live: {
      during: (work: () => Promise<unknown>) => work(),
      writeEnds: async () => void notes.push('writes ends'),
      closing: closing.signal,
    },
    ...given.dependencies,
  }
  const handler = jobHandler(dependencies as never)
  const handled = await handler({ id: 'job_1', signal: delivery.signal } as never)
  return { handled, steps, notes }
}

test('J-6 a job that is gone is done, and so are its checkpoints', async () => {
  expect(await handed({ job: null })).toEqual({
    ...{ handled: { next: 'done' }, steps: [], notes: ['looks for checkpoints'] },
  })
})

test('J-1 a job that is over is done', async () => {
  const over = await handed({ job: { status: 'completed' } })
  expect(over).toEqual({ handled: { next: 'done' }, steps: [], notes: [] })
})

test('J-7 a job that a user cancelled before any attempt ends so', async () => {
  const { steps, handled } = await handed({ job: { cancelRequested: true } })
  expect(steps).toEqual([{ runId: null, step: { do: 'cancel' }, now: NOW }])
  expect(handled).toEqual({ next: 'done' })
})

test('J-7 a job that waited too long for its first attempt is dead, and one whose time has just come is not', async () => {
  const policy = { ...DEFAULT_JOB_POLICY, queueTimeoutMs: 999 }
  const { steps } = await handed({ job: { policy } })
  const reason = { code: 'waited-too-long', queueTimeoutMs: 999 }
  expect(steps).toEqual([{ runId: null, step: { do: 'stop', as: 'dead', reason }, now: NOW }])
  const patient = { ...DEFAULT_JOB_POLICY, queueTimeoutMs: 1_000 }
  expect((await handed({ job: { policy: patient } })).notes).toEqual(['attempt'])
  const begun = { policy, settledRunId: 'run_1' }
  expect((await handed({ job: begun, runs: [RUN] })).notes).toEqual(['attempt'])
})

test('J-7 a job whose time has not come is handed out again then, and at once while this process closes or has lost it', async () => {
  const later = await handed({ job: { nextAttemptAt: NOW + 5 } })
  expect([later.handled, later.notes]).toEqual([{ next: 'again', at: NOW + 5 }, []])
  for (const given of [{ isClosing: true }, { isAborted: true }]) {
    const left = await handed(given)
    expect([left.handled, left.notes]).toEqual([{ next: 'again', at: NOW }, []])
  }
})

test('J-8 an attempt that another process still works on is looked at again a second later', async () => {
  const open = await handed({ runs: [{ ...RUN, status: 'running' }] })
  expect(open.handled).toEqual({ next: 'again', at: NOW + 1_000 })
  expect([open.notes, open.steps]).toEqual([['writes ends'], []])
})

test('J-8 an attempt that has ended meanwhile is settled', async () => {
  let looks = 0
  const listRuns = async () => [looks++ === 0 ? { ...RUN, status: 'running' } : RUN]
  const { steps } = await handed({ store: { listRuns, run: async () => RUN } })
  expect(steps).toMatchObject([{ runId: 'run_1', step: { do: 'retry' } }])
})

test('J-2 an ended attempt is settled once, by what it left; a job that is to be cancelled is not tried again', async () => {
  const { steps, handled } = await handed({ runs: [RUN] })
  expect(steps).toMatchObject([{ runId: 'run_1', step: { do: 'retry' }, now: NOW }])
  expect(handled).toMatchObject({ next: 'again' })
  const cancelled = await handed({ runs: [RUN], job: { cancelRequested: true } })
  expect(cancelled.steps).toMatchObject([{ runId: 'run_1', step: { do: 'cancel' } }])
  const done = { ...RUN, status: 'completed', failure: null }
  const finished = await handed({ runs: [done], job: { cancelRequested: true } })
  expect(finished.steps).toMatchObject([{ runId: 'run_1', step: { do: 'finish' } }])
})

test('J-4 an agent that is not there is tried again, and each time in a row counts', async () => {
  const { steps, notes } = await handed()
  const reason = { code: 'not-started', message: 'there is no agent named "one"' }
  expect(notes).toEqual(['attempt'])
  expect(steps).toMatchObject([
    { runId: null, step: { do: 'retry', reason: { ...reason, inARow: 1 } } },
  ])
  const before = { do: 'retry', reason: { code: 'not-started', inARow: 2 } }
  const again = await handed({ job: { step: before } })
  expect(again.steps).toMatchObject([{ step: { reason: { ...reason, inARow: 3 } } }])
  const other = { do: 'retry', reason: { code: 'outside', inARow: 2 } }
  const first = await handed({ job: { step: other } })
  expect(first.steps).toMatchObject([{ step: { reason: { ...reason, inARow: 1 } } }])
  const stopped = { do: 'stop', reason: { code: 'not-started', inARow: 2 } }
  expect((await handed({ job: { step: stopped } })).steps).toMatchObject([
    { step: { reason: { inARow: 1 } } },
  ])
})

const throwing = (error: Error) => ({ thread: () => Promise.reject(error) })

test('J-8 a fault of the store goes to the engine, and a cancel is looked at again', async () => {
  await expect(handed({ store: throwing(new Error('away')) })).rejects.toThrow('away')
  const locked = new RepriseError('store-full', 'no space', '')
  await expect(handed({ store: throwing(locked) })).rejects.toThrow('no space')
  let tries = 0
  const startAttempt = async () => ++tries < 3
  const cancelled = throwing(new RepriseError('cancelled', 'cancelled', ''))
  let looks = 0
  const job = async () => ({ ...JOB, status: ++looks > 2 ? 'cancelled' : 'queued' })
  const { handled } = await handed({ store: { ...cancelled, startAttempt, job } })
  expect([handled, tries]).toEqual([{ next: 'done' }, 2])
})

test('J-10 a repository that cannot be checked out is a reason to try again, and a cancel is not', async () => {
  const workspace = { repository: 'r', ref: null, commit: 'a' }
  const failing = (error: Error) => ({
    job: { workspace },
    store: { jobOfThread: async () => ({ id: 'job_1' }) },
    dependencies: { workspaces: { alone: () => Promise.reject(error) } },
  })
  const gone = await handed(
    failing(new RepriseError('conflict', 'there is no repository', 'Look.')),
  )
  expect([gone.notes, gone.steps]).toMatchObject([
    [],
    [{ step: { do: 'retry', reason: { code: 'not-started', message: 'there is no repository' } } }],
  ])
  for (const error of [new RepriseError('cancelled', 'stopped', ''), new TypeError('a fault')])
    await expect(handed(failing(error))).rejects.toThrow(error.message)
})

test('J-2 a process that closes before the attempt begins says so, and nobody takes it for a crash', async () => {
  const closing = new AbortController()
  const closes = {
    thread: () => {
      closing.abort()
      return Promise.reject(new Error('closing'))
    },
  }
  const live = {
    during: (work: () => unknown) => work(),
    writeEnds: async () => {},
    closing: closing.signal,
  }
  const { steps, handled } = await handed({ store: closes, dependencies: { live } })
  const reason = { code: 'outside', class: 'shutdown', inARow: 1 }
  expect(steps).toMatchObject([
    { runId: null, step: { do: 'retry', while: 'waiting', at: NOW, how: 'resume', reason } },
  ])
  expect(handled).toMatchObject({ next: 'again' })
})

test('J-7 only a cancel reaches the run; a process that has lost the work goes on while its lease holds', () => {
  const later = new AbortController()
  const signal = cancelledBy(later.signal)
  later.abort('cancelled')
  expect(signal.aborted).toBe(true)
  const lost = new AbortController()
  const kept = cancelledBy(lost.signal)
  lost.abort('lost')
  expect(kept.aborted).toBe(false)
  expect(cancelledBy(AbortSignal.abort('cancelled')).aborted).toBe(true)
  expect(cancelledBy(AbortSignal.abort('lost')).aborted).toBe(false)
})
