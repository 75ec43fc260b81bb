// Jobs with clock, agent and files in our hands: what waits for a time (J-4, J-7, E-9), and sessions that cannot be resumed (J-3).
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JobDetails, LocalReprise, RepriseOptions } from '../../index.ts'
import { claudeCode, createReprise, sqlite } from '../../index.ts'
import { systemClock } from '../../runner/real-world.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, type FakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { type MemoryFiles, memoryFiles } from '../../testing/memory-files.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.parse('2026-11-16T02:00:00Z')

let directory: string
let now: number
let files: MemoryFiles
let runner: FakeRunner
let reprise: LocalReprise
let script: FakeScript

/** Nobody sleeps for long: the clock decides what is due, and only the test moves it. */
const clock = {
  now: () => now,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 5), signal),
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-times-'))
  now = START
  files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  script = []
})
afterEach(async () => {
  await reprise.close()
  rmSync(directory, { recursive: true, force: true })
})

/** As a daemon: it keeps the queue and works on jobs. Called again, it is the next daemon on the same store. */
function start(more: Partial<RepriseOptions> = {}): void {
  runner = createFakeRunner({ files, script })
  const keepText = async (text: string) => {
    const path = `/kept/${createHash('sha256').update(text).digest('hex')}`
    await files.write(path, text)
    return path
  }
  reprise = createReprise({
    store: sqlite(join(directory, 'reprise.db')),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    keepQueue: true,
    workers: 2,
    dependencies: { runner, files, keepText, clock },
    ...more,
  })
}

const submit = (more: Partial<Parameters<LocalReprise['jobs']['submit']>[0]> = {}) =>
  reprise.jobs.submit({ prompt: 'work', workDir: '/project', checkpoints: 'off', ...more })

async function becomes(id: string, status: JobDetails['status']): Promise<JobDetails> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const job = await reprise.jobs.get(id)
    if (job.status === status) return job
    await systemClock.sleep(5)
  }
  throw new Error(`it is ${(await reprise.jobs.get(id)).status}, not ${status}`)
}

/** Long enough for the engine to look for work several times. */
const aWhile = () => systemClock.sleep(100)

/** The jobs of a row, oldest first. */
const row = async () => (await reprise.jobs.list()).toReversed()

describe('J-4 a job that meets a usage limit', () => {
  const limited: FakeScript = [
    { when: 'new', once: true, do: [{ type: 'usageLimit', resetsAt: (START + 5 * HOUR) / 1_000 }] },
  ]

  test.each(['the same daemon', 'the next daemon'])(
    'is parked until it ends, then goes on, in the hands of %s',
    async who => {
      script = limited
      start()
      const { id } = await submit()
      const parked = await becomes(id, 'parked')
      expect(parked.words).toBe('the usage limit of the account ends at 2026-11-16T07:00:00.000Z')
      expect(parked.nextAttemptAt).toBeGreaterThanOrEqual(START + 5 * HOUR)
      expect(parked.nextAttemptAt).toBeLessThanOrEqual(START + 5 * HOUR + MINUTE)
      if (who === 'the next daemon') {
        await reprise.close()
        now = START + 3 * HOUR
        start()
        // The process that opens it works on the jobs that wait.
        await reprise.agents()
      }
      now = START + 5 * HOUR - 1
      await aWhile()
      expect(await reprise.jobs.get(id)).toMatchObject({ status: 'parked', words: parked.words })
      const started = runner.journal.length
      now = START + 5 * HOUR + MINUTE
      const done = await becomes(id, 'completed')
      expect(runner.journal.length).toBe(started + 1)
      expect(done.attempts.map(run => run.failure?.class)).toEqual(['usage-limit', undefined])
    },
  )

  test('without a reset time waits for a quarter of an hour and more, not for seconds', async () => {
    script = [{ when: 'new', do: [{ type: 'usageLimit', resetsAt: 0 }] }]
    start()
    const { id } = await submit()
    const parked = await becomes(id, 'parked')
    expect(parked.nextAttemptAt).toBe(START + 15 * MINUTE)
    expect(parked.words).toBe('the usage limit of the account was reached')
  })
})

describe('J-7 a job on a cron schedule', () => {
  test('begins at its time, not before; the next of its row is stored when it ends', async () => {
    start()
    const first = await submit({ schedule: { cron: '0 3 * * *', timezone: 'UTC' } })
    expect(first).toMatchObject({ status: 'queued', dueAt: START + HOUR })
    now = START + HOUR - 1
    await aWhile()
    expect(runner.journal).toEqual([])
    now = START + HOUR
    await becomes(first.id, 'completed')
    await aWhile()
    expect(await row()).toMatchObject([
      { id: first.id, status: 'completed' },
      { rootId: first.id, status: 'queued', dueAt: START + 25 * HOUR },
    ])
  })

  test('whose times were missed while no daemon was there is run once, then at its next time', async () => {
    start()
    const schedule = { cron: '*/10 * * * *', timezone: 'UTC' }
    const { id } = await submit({ schedule })
    await reprise.close()
    now = START + 3 * 24 * HOUR + 4 * MINUTE
    start()
    await reprise.agents()
    await becomes(id, 'completed')
    await aWhile()
    expect(runner.journal).toHaveLength(1)
    expect((await row()).slice(1)).toMatchObject([
      { status: 'queued', dueAt: START + 3 * 24 * HOUR + 10 * MINUTE },
    ])
  })

  test('is the last of its row when it is cancelled', async () => {
    start()
    const { id } = await submit({ schedule: { cron: '0 3 * * *', timezone: 'UTC' } })
    await reprise.jobs.cancel(id)
    now = START + 100 * HOUR
    await aWhile()
    expect(await row()).toMatchObject([{ id, status: 'cancelled' }])
    expect(runner.journal).toEqual([])
  })

  test('has all of its time for the queue and for the whole from when it is due', async () => {
    start()
    const schedule = { cron: '0 3 * * *', timezone: 'UTC' }
    const { id } = await submit({ schedule, queueTimeoutMs: MINUTE, totalTimeoutMs: MINUTE })
    now = START + HOUR
    expect((await becomes(id, 'completed')).attempts).toHaveLength(1)
  })
})

test('J-7 a job that did not begin in time is given up, and says so', async () => {
  start()
  const { id } = await submit({ queueTimeoutMs: MINUTE, schedule: '@hourly' })
  await reprise.close()
  now = START + HOUR + 2 * MINUTE
  start()
  await reprise.agents()
  const dead = await becomes(id, 'dead')
  expect(dead).toMatchObject({ words: 'it did not start within 60 s', attempts: [] })
})

describe('E-9 a chain on a cron schedule', () => {
  const output = { verdict: 'resolved', summary: 'all is well' }
  const create = () =>
    reprise.schedules.create({
      policy: sampleMandate().policy,
      prompt: 'check',
      workDir: '/project',
      recurrence: { cron: '0 3 * * *', timezone: 'UTC' },
    })
  const chains = () => reprise.chains.list()
  const resolves = async () => {
    for (let tries = 0; tries < 1_000 && (await chains())[0]?.status !== 'resolved'; tries += 1)
      await systemClock.sleep(5)
    await aWhile()
  }
  beforeEach(() => {
    script = [{ do: [{ type: 'verdict', output }] }]
    start()
  })

  test('begins at its time; cycles that were missed are one', async () => {
    const schedule = await create()
    expect(schedule.nextAt).toBe(START + HOUR)
    await reprise.close()
    now = START + 10 * 24 * HOUR
    start()
    await reprise.agents()
    await resolves()
    expect(await chains()).toMatchObject([{ status: 'resolved', scheduleId: schedule.id }])
    const [later] = await reprise.schedules.list()
    expect(later?.nextAt).toBe(START + 10 * 24 * HOUR + HOUR)
  })

  test('begins in the process that stored it, and not after it was removed', async () => {
    const { id } = await create()
    await aWhile()
    expect(await chains()).toEqual([])
    now = START + HOUR
    await resolves()
    expect(await chains()).toHaveLength(1)
    await reprise.schedules.remove(id)
    now = START + 25 * HOUR
    await aWhile()
    expect(await chains()).toHaveLength(1)
  })

  test('begins also when no engine knows of it, as in the store of an earlier version', async () => {
    const schedule = await create()
    await reprise.close()
    const store = await sqlite(join(directory, 'reprise.db'))()
    await store.cancelWork('schedules', schedule.id)
    await store.close()
    now = START + HOUR
    start()
    await reprise.agents()
    await resolves()
    expect(await chains()).toMatchObject([{ status: 'resolved', scheduleId: schedule.id }])
  })
})

describe('M-2 the budget of a job', () => {
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 40_000 }
  const billed = { type: 'billed', usage } as const

  test('is what earlier attempts left of it, and whole again when somebody brings the job back', async () => {
    const crashes = { type: 'killSelf', signal: 'SIGKILL' } as const
    script = [
      { when: 'new', once: true, do: [billed, { type: 'text', text: 'half' }, crashes] },
      { once: true, do: [billed, { type: 'text', text: 'more' }, { type: 'hang' }] },
      { once: true, do: [billed, { type: 'text', text: 'again' }, crashes] },
      { do: [{ type: 'text', text: 'done' }] },
    ]
    start()
    const { id } = await submit({ budgetUsd: 1, backoff: { firstMs: HOUR, jitter: 0 } })
    const waiting = await becomes(id, 'waiting')
    expect(waiting.costUsd).toBeGreaterThan(0.5)
    expect(waiting.costUsd).toBeLessThan(1)
    now = START + HOUR
    const stopped = await becomes(id, 'failed')
    expect(stopped.attempts.map(run => run.failure?.class)).toEqual(['agent-crashed', 'budget'])
    await reprise.jobs.retry(id)
    await becomes(id, 'waiting')
    now = START + 2 * HOUR
    const done = await becomes(id, 'completed')
    expect(done.attempts).toHaveLength(4)
    expect(done.costUsd).toBeGreaterThan(1.5)
  })
})

test('J-7 a job whose cancel comes while its attempt fails is cancelled, not failed', async () => {
  const waits = { type: 'waitForFile', path: '/gate', reached: '/reached' } as const
  script = [{ do: [waits, { type: 'apiError', status: 400 }] }]
  start()
  const { id } = await submit()
  while ((await files.stat('/reached')) === null) await systemClock.sleep(5)
  // As another process asks for it, before this one has heard of it.
  const store = await sqlite(join(directory, 'reprise.db'))()
  expect(await store.requestJobCancel(id, now)).toBe('running')
  await store.close()
  await files.write('/gate', '')
  const { attempts } = await becomes(id, 'cancelled')
  expect(attempts).toMatchObject([{ status: 'failed', failure: { class: 'bad-request' } }])
})

describe('J-3 the edge cases of a resume:', () => {
  const killed = { type: 'killSelf', signal: 'SIGKILL' } as const
  const lastPrompt = () => runner.journal.at(-1)?.prompt ?? ''
  const decisions = ({ attempts }: JobDetails) =>
    attempts.map(({ decision }) => [
      decision?.action,
      decision && 'reason' in decision ? decision.reason?.code : undefined,
    ])

  test('a session that has expired: fresh from the task, with what is done', async () => {
    script = [{ when: 'new', once: true, do: [{ type: 'text', text: 'half of it' }, killed] }]
    start({ resume: { maxSessionAgeMs: HOUR } })
    const { id } = await submit({ backoff: { firstMs: 2 * HOUR, jitter: 0 } })
    await becomes(id, 'waiting')
    now = START + 2 * HOUR
    const done = await becomes(id, 'completed')
    expect(decisions(done)[1]).toEqual(['replay', 'session-too-old'])
    expect(lastPrompt()).toContain('work')
    expect(lastPrompt()).toContain('half of it')
  })

  test('a session within its age is resumed', async () => {
    script = [{ when: 'new', once: true, do: [{ type: 'text', text: 'half of it' }, killed] }]
    start({ resume: { maxSessionAgeMs: 3 * HOUR } })
    const { id } = await submit({ backoff: { firstMs: 2 * HOUR, jitter: 0 } })
    await becomes(id, 'waiting')
    now = START + 2 * HOUR
    expect((await becomes(id, 'completed')).attempts[1]?.sessionResumed).toBe(true)
  })

  test('a session that is corrupted is recognised: fresh from the task, and never resumed blindly', async () => {
    script = [{ when: 'new', once: true, do: [{ type: 'text', text: 'half of it' }, killed] }]
    start()
    const { id } = await submit({ backoff: { firstMs: HOUR, jitter: 0 } })
    const waiting = await becomes(id, 'waiting')
    const file = (await files.list('/config/projects/-project'))?.find(name =>
      name.startsWith(waiting.attempts[0]?.sessionId ?? 'none'),
    )
    const path = `/config/projects/-project/${file}`
    const bytes = (await files.read(path)) ?? new Uint8Array()
    const text = new TextDecoder().decode(bytes)
    await files.write(path, text.replaceAll('"parentUuid":null', '"parentUuid":"gone"'))
    now = START + HOUR
    const done = await becomes(id, 'completed')
    expect(done.attempts[1]?.sessionResumed).toBe(false)
    expect(decisions(done)[1]?.[0]).toBe('replay')
    expect(lastPrompt()).toContain('work')
  })

  test('a session that the agent refuses is left: the same attempt goes on afresh', async () => {
    script = [
      { when: 'new', once: true, do: [{ type: 'text', text: 'half of it' }, killed] },
      { when: 'resume', do: [{ type: 'refuseResume' }] },
    ]
    start()
    const { id } = await submit({ backoff: { firstMs: HOUR, jitter: 0 } })
    await becomes(id, 'waiting')
    now = START + HOUR
    const done = await becomes(id, 'completed')
    expect(done.attempts.map(run => run.failure?.class)).toEqual([
      'agent-crashed',
      'resume-refused',
      undefined,
    ])
    expect(decisions(done)[2]).toEqual(['replay', 'resume-refused'])
  })

  test('I7 J-3 resumes that bring nothing are counted: after three of them fresh, and all attempts are capped', async () => {
    script = [
      { when: 'new', once: true, do: [{ type: 'text', text: 'half of it' }, killed] },
      { when: 'resume', do: [{ type: 'hang' }] },
      { do: [{ type: 'text', text: 'the other half' }] },
    ]
    start()
    const { id } = await submit({ maxAttempts: 10, backoff: { firstMs: 1, maxMs: 1, jitter: 0 } })
    for (let minute = 1; minute < 100; minute += 1) {
      now += MINUTE
      await aWhile()
      if ((await reprise.jobs.get(id)).status === 'completed') break
    }
    const done = await becomes(id, 'completed')
    expect(done.attempts.map(run => run.decision?.action)).toEqual([
      'start',
      'resume',
      'resume',
      'resume',
      'replay',
    ])
  })
})
