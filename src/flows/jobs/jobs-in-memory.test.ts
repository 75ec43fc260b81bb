// Jobs on the fake agent in this process: what a user asks of them, and what becomes of them when something is in the way.
import { describe, expect, test } from 'vitest'
import {
  eventually,
  type ProcessOptions,
  processes,
  START,
} from '../../../test/simulated/processes.ts'
import type { JobDetails, JobRequest } from '../../api.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'

const HOUR = 3_600_000
const HOURLY = { cron: '0 * * * *', timezone: 'UTC' }
const KILLED: ScriptStep = { type: 'killSelf', signal: 'SIGKILL' }
const HALF: ScriptStep = { type: 'text', text: 'half of it' }
const GATE: ScriptStep = { type: 'waitForFile', path: '/go', reached: '/waits' }

async function open(script: FakeScript = [], options: ProcessOptions = {}) {
  const world = await processes(script)
  const { reprise, ...process } = world.open({ workers: 1, ...options })
  const submit = (change: Partial<JobRequest> = {}) =>
    reprise.jobs.submit({ prompt: 'work', workDir: '/project', checkpoints: 'off', ...change })
  /** Lets time pass until the job has this status. */
  const becomes = async (id: string, status: JobDetails['status'], stepMs = 1_000) => {
    await eventually(async () => {
      const now = (await reprise.jobs.get(id)).status
      if (now !== status) world.clock.pass(stepMs)
      return now
    }).toBe(status)
    return reprise.jobs.get(id)
  }
  return { world, reprise, submit, becomes, ...process }
}

describe('a job that a user submits', () => {
  test('J-1 C-7 is stored as it was asked for, and its agent gets it so', async () => {
    const { world, submit, becomes } = await open([{ do: [{ type: 'text', text: 'done' }] }])
    const job = await submit({
      model: 'sonnet',
      permissionMode: 'plan',
      allowedTools: ['Read'],
      disallowedTools: ['Bash'],
      instructions: 'Be brief.',
      trust: 'user',
      concurrencyKey: 'one at a time',
      priority: 7,
      maxAttempts: 4,
    })
    expect(job).toMatchObject({
      prompt: 'work',
      agent: 'claude-code',
      model: 'sonnet',
      permissionMode: 'plan',
      allowedTools: ['Read'],
      disallowedTools: ['Bash'],
      instructions: 'Be brief.',
      trust: 'user',
      sandbox: null,
      concurrencyKey: 'one at a time',
      priority: 7,
      checkpointing: 'off',
      schedule: null,
      rootId: null,
      dueAt: START,
      createdAt: START,
      policy: { maxAttempts: 4 },
    })
    const done = await becomes(job.id, 'completed')
    expect(done).toMatchObject({ failure: null, text: 'done', words: expect.anything() })
    expect(done.attempts).toMatchObject([
      { model: 'sonnet', permissionMode: 'plan', trust: 'user', attempt: 1, jobId: job.id },
    ])
    const args = world.runner.journal[0]?.args.join(' ')
    expect(args).toContain('--model sonnet')
    expect(args).toContain('--permission-mode plan')
    expect(args).toContain('Bash')
    expect(JSON.stringify(world.runner.journal[0])).toContain('Be brief.')
  })

  test('J-1 without options asks nobody about edits, and has the model of its agent', async () => {
    const { submit } = await open()
    expect(await submit({ instructions: '' })).toMatchObject({
      permissionMode: 'acceptEdits',
      model: null,
      instructions: null,
      allowedTools: [],
      disallowedTools: [],
      trust: null,
      concurrencyKey: null,
      priority: 0,
    })
  })

  test.each([
    ['a prompt without a word', { prompt: ' ' }, 'bad-input'],
    ['a work dir that is not there', { workDir: '/nowhere' }, 'bad-input'],
    ['a model that is a flag', { model: '--help' }, 'bad-input'],
    ['a mode that the agent does not know', { permissionMode: 'nonsense' }, 'bad-input'],
    ['a rule that is none', { allowedTools: ['no\n'] }, 'bad-input'],
    ['a ban that is none', { disallowedTools: ['no\n'] }, 'bad-input'],
    ['no attempts', { maxAttempts: 0 }, 'bad-input'],
    ['half a priority', { priority: 0.5 }, 'bad-input'],
    ['a time that is none', { schedule: 'at noon' }, 'bad-input'],
    ['an agent that is not there', { agent: 'nobody' }, 'not-found'],
  ] as const)('U-4 with %s is refused, and nothing is stored', async (_, change, code) => {
    const { reprise, submit } = await open()
    await expect(submit(change as Partial<JobRequest>)).rejects.toMatchObject({ code })
    expect(await reprise.jobs.list()).toEqual([])
  })

  test('J-5 I8 with the same key is the same job, and runs once', async () => {
    const { world, submit, becomes } = await open()
    const key = { key: 'again', request: 'same', note: '' }
    const [first, second] = [await submit({ key }), await submit({ key })]
    expect(second.id).toBe(first.id)
    await becomes(first.id, 'completed')
    expect(world.runner.journal).toHaveLength(1)
    const other = submit({ key: { ...key, request: 'other' } })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
  })

  test('J-7 jobs are listed newest first, in pages, and by status', async () => {
    const { world, reprise, submit } = await open([], { workers: 0 })
    const ids: string[] = []
    for (const prompt of ['one', 'two', 'three']) {
      world.clock.pass(1_000)
      ids.unshift((await submit({ prompt })).id)
    }
    await reprise.jobs.cancel(ids[1] ?? '')
    const listed = async (query?: Parameters<typeof reprise.jobs.list>[0]) =>
      (await reprise.jobs.list(query)).map(({ id }) => id)
    expect(await listed()).toEqual(ids)
    expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await listed({ cursor: ids[0] ?? '' })).toEqual(ids.slice(1))
    expect(await listed({ status: 'cancelled' })).toEqual([ids[1]])
    await expect(listed({ cursor: 'job_none' })).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('U-4 every verb names the list for a job that is not there', async () => {
    const { reprise } = await open([], { workers: 0 })
    const { get, retry, cancel, wait, remove, diff, restore } = reprise.jobs
    const missing = {
      code: 'not-found',
      message: 'there is no job job_none',
      hint: 'Run `reprise jobs` to see their ids.',
    }
    for (const verb of [get, retry, cancel, wait, remove])
      await expect(verb('job_none')).rejects.toMatchObject(missing)
    await expect(diff('job_none', 1)).rejects.toMatchObject(missing)
    await expect(restore('job_none', 1)).rejects.toMatchObject(missing)
  })
})

describe('a job that runs', () => {
  test('J-7 cannot be brought back or put back, and says how to cancel it', async () => {
    const { world, reprise, submit, becomes } = await open([{ do: [GATE] }])
    const { id } = await submit()
    await becomes(id, 'running')
    const refused = {
      code: 'busy',
      message: `job ${id} is running`,
      hint: `Wait for it, or cancel it first: reprise jobs cancel ${id}.`,
    }
    await expect(reprise.jobs.retry(id)).rejects.toMatchObject(refused)
    await expect(reprise.jobs.restore(id, 1)).rejects.toMatchObject(refused)
    expect((await reprise.jobs.get(id)).words).toBeNull()
    await world.files.write('/go', '')
    await becomes(id, 'completed')
  })

  test('J-7 I5 ends with its agent when somebody cancels it', async () => {
    const { world, reprise, submit } = await open([{ do: [{ type: 'hang' }] }])
    const { id } = await submit()
    await eventually(() => world.runner.running.length).toBe(1)
    const cancelled = await reprise.jobs.cancel(id)
    expect(cancelled).toMatchObject({ status: 'cancelled', attempts: [{ status: 'cancelled' }] })
    expect(world.runner.running).toEqual([])
    expect((await reprise.jobs.cancel(id)).status).toBe('cancelled')
  })

  test('J-7 is cancelled at once while it waits in the queue', async () => {
    const { reprise, submit } = await open([], { workers: 0 })
    const { id } = await submit()
    expect(await reprise.jobs.cancel(id)).toMatchObject({ status: 'cancelled', attempts: [] })
  })

  test('J-7 a caller that waits for a job gets it when it is over, or as it is when the caller gives up', async () => {
    const { world, reprise, submit, becomes } = await open([{ do: [GATE] }])
    const { id } = await submit()
    await becomes(id, 'running')
    const impatient = new AbortController()
    const early = reprise.jobs.wait(id, impatient.signal)
    impatient.abort()
    expect((await early).status).toBe('running')
    const late = reprise.jobs.wait(id)
    await world.files.write('/go', '')
    expect((await late).status).toBe('completed')
    expect((await reprise.jobs.wait(id)).status).toBe('completed')
  })

  test('V-6 a job that is removed is gone, with its thread', async () => {
    const { reprise, submit, becomes } = await open()
    const { id, threadId } = await submit()
    await becomes(id, 'completed')
    expect(await reprise.jobs.remove(id)).toEqual({ id, checkpoints: [] })
    await expect(reprise.jobs.get(id)).rejects.toMatchObject({ code: 'not-found' })
    await expect(reprise.threads.get(threadId)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('the next attempt of a job', () => {
  const backoff = { firstMs: HOUR, jitter: 0 }

  test('J-2 resumes the session and says what happened, and which call may have run', async () => {
    const call: ScriptStep = { type: 'tool', name: 'Read', input: { file_path: 'x' }, result: null }
    const { world, submit, becomes } = await open([
      { when: 'new', once: true, do: [HALF, call, KILLED] },
      { do: [{ type: 'text', text: 'done' }] },
    ])
    const { id } = await submit({ backoff })
    const waiting = await becomes(id, 'waiting', 0)
    expect(waiting).toMatchObject({
      nextAttemptAt: START + HOUR,
      text: 'half of it',
      failure: { class: 'agent-crashed' },
    })
    const done = await becomes(id, 'completed', HOUR)
    expect(done.attempts.map(({ attempt, decision }) => [attempt, decision?.action])).toEqual([
      [1, 'start'],
      [2, 'resume'],
    ])
    const prompt = world.runner.journal.at(-1)?.prompt
    expect(prompt).toContain('attempt 2')
    expect(prompt).toContain('Read')
  })

  test('J-2 of a user begins at once, in the session or in a fresh one', async () => {
    const { world, reprise, submit, becomes } = await open()
    const { id } = await submit()
    await becomes(id, 'completed', 0)
    world.clock.pass(5_000)
    expect(await reprise.jobs.retry(id)).toMatchObject({ nextAttemptAt: START + 5_000 })
    const again = await becomes(id, 'completed', 0)
    expect(again.attempts.at(-1)).toMatchObject({ decision: { action: 'resume' } })
    await reprise.jobs.retry(id, { resume: false })
    await eventually(async () => (await reprise.jobs.get(id)).attempts.length).toBe(3)
    const fresh = await becomes(id, 'completed', 0)
    expect(fresh.attempts.at(-1)?.decision).toMatchObject({ reason: { code: 'fresh-asked' } })
  })

  test('J-3 never resumes where the job says so', async () => {
    const { submit, becomes } = await open([
      { when: 'new', once: true, do: [HALF, KILLED] },
      { do: [{ type: 'text', text: 'done' }] },
    ])
    const { id } = await submit({ resume: 'never', backoff })
    const { attempts } = await becomes(id, 'completed', HOUR)
    expect(attempts.map(run => run.sessionResumed)).toEqual([false, false])
  })

  test.each([
    ['stop', 'dead', 'not-continued'],
    ['brief', 'completed', undefined],
  ] as const)(
    'F-3 I11 with onSideEffects %s, a job whose tools ran and whose session is lost is %s',
    async (onSideEffects, status, failure) => {
      const call: ScriptStep = { type: 'tool', name: 'Read', input: {}, result: 'read' }
      const { world, submit, becomes } = await open([
        { when: 'new', once: true, do: [HALF, call, KILLED] },
        { do: [{ type: 'text', text: 'done' }] },
      ])
      const { id } = await submit({ onSideEffects, backoff })
      await becomes(id, 'waiting', 0)
      for (const path of world.files.paths())
        if (path.endsWith('.jsonl')) await world.files.remove(path)
      const { attempts } = await becomes(id, status, HOUR)
      const last = attempts.at(-1)?.failure
      expect(last?.class).toBe(failure)
      if (last) {
        expect(last.message).toMatch(
          /^there is no session to go on with \(.+\), and tools have run/,
        )
        expect(last.hint).toContain('reprise jobs retry')
        expect(attempts.at(-1)?.status).toBe('failed')
      }
    },
  )

  test('J-2 comes later while the program of the agent is gone, and the job says so', async () => {
    const { world, submit, becomes, reprise } = await open()
    const program = world.files.text('/bin/agent')
    const { id } = await submit({
      schedule: HOURLY,
      backoff: { firstMs: HOUR, jitter: 0 },
    })
    await world.files.remove('/bin/agent')
    world.clock.pass(HOUR)
    const waiting = await becomes(id, 'waiting', 0)
    expect(waiting).toMatchObject({
      attempts: [],
      step: { do: 'retry', reason: { code: 'not-started', inARow: 1 } },
    })
    await eventually(async () => {
      world.clock.pass(HOUR)
      const { step } = await reprise.jobs.get(id)
      return step?.do === 'retry' && step.reason.code === 'not-started' ? step.reason.inARow : 0
    }).toBe(2)
    await world.files.write('/bin/agent', program ?? '')
    expect((await becomes(id, 'completed', HOUR)).attempts).toHaveLength(1)
  })

  test('M-2 costs of a refused resume belong to the attempt that took over', async () => {
    const { submit, becomes } = await open([
      { when: 'new', once: true, do: [HALF, KILLED] },
      { when: 'resume', do: [{ type: 'refuseResume' }] },
      { do: [{ type: 'text', text: 'done' }] },
    ])
    const { id } = await submit({ maxAttempts: 2, backoff })
    const { attempts, costUsd } = await becomes(id, 'completed', HOUR)
    expect(attempts.map(run => run.failure?.class)).toEqual([
      'agent-crashed',
      'resume-refused',
      undefined,
    ])
    expect(costUsd).toBeCloseTo(attempts.reduce((sum, run) => sum + (run.costUsd ?? 0), 0))
  })
})

describe('a job that is repeated', () => {
  test('J-7 is a row of jobs, each after the other, until one is cancelled', async () => {
    const { world, reprise, submit, becomes } = await open()
    const first = await submit({ schedule: HOURLY, priority: 3 })
    expect(first).toMatchObject({ dueAt: START + HOUR, rootId: null })
    world.clock.pass(HOUR)
    await becomes(first.id, 'completed', 0)
    const row = async () => (await reprise.jobs.list()).toReversed()
    await eventually(async () => (await row()).length).toBe(2)
    const [, second] = await row()
    expect(second).toMatchObject({
      rootId: first.id,
      priority: 3,
      prompt: 'work',
      status: 'queued',
    })
    expect(second?.threadId).not.toBe(first.threadId)
    await becomes(second?.id ?? '', 'completed', HOUR / 4)
    await eventually(async () => (await row()).length).toBe(3)
    const [, , third] = await row()
    expect(third).toMatchObject({ rootId: first.id })
    await reprise.jobs.cancel(third?.id ?? '')
    world.clock.pass(24 * HOUR)
    for (let looks = 0; looks < 20; looks += 1) await world.store.openRuns()
    expect(await row()).toHaveLength(3)
  })
})
