// Jobs and sessions over HTTP, as any program would call them.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { httpWorld } from './http-world.ts'

let world: Awaited<ReturnType<typeof httpWorld>>
beforeEach(async () => {
  world = await httpWorld({
    script: [
      { when: 'crash', once: true, do: [{ type: 'killSelf', signal: 'SIGKILL' }] },
      { when: 'hang', do: [{ type: 'text', text: 'I wait' }, { type: 'hang' }] },
    ],
  })
})
afterEach(() => world.reprise.close())

const body = { prompt: 'work', workDir: '/project', checkpoints: 'off' }
const over = async (id: string) => (await world.call('GET', `/api/jobs/${id}/wait?ms=20000`)).body

test('J-1 J-2 a job is submitted with all its options, waited for, listed and shown with its attempts', async () => {
  const options = {
    ...{ agent: 'second', model: 'claude-haiku-4-5', permissionMode: 'plan' },
    ...{ allowedTools: ['Read'], disallowedTools: ['Bash'], instructions: 'Be short.' },
    ...{ timeoutMs: 60_000, idleTimeoutMs: 30_000, queueTimeoutMs: 60_000, totalTimeoutMs: 90_000 },
    ...{ maxAttempts: 2, maxWaits: 5, backoff: { firstMs: 1, jitter: 0 }, resume: 'auto' },
    ...{ concurrencyKey: 'one', priority: 3, budgetUsd: 1, onSideEffects: 'brief' },
  }
  const wanted = { ...body, ...options, prompt: 'crash once' }
  const { status, body: job } = await world.call('POST', '/api/jobs', wanted)
  expect(status).toBe(202)
  const { backoff: _, ...sent } = options
  const { allowedTools, disallowedTools, instructions, agent, model, permissionMode } = sent
  expect(job).toMatchObject({ allowedTools, disallowedTools, instructions, agent, model })
  expect(job).toMatchObject({ permissionMode, concurrencyKey: 'one', priority: 3, schedule: null })
  expect(job.policy).toMatchObject({ maxAttempts: 2, maxWaits: 5, timeoutMs: 60_000, budgetUsd: 1 })
  const done = await over(job.id)
  expect(done).toMatchObject({ status: 'completed', failure: null, nextAttemptAt: null })
  expect(done.text).toContain('echo: ')
  expect(done.attempts).toMatchObject([
    { attempt: 1, jobId: job.id, status: 'interrupted', failure: { class: 'agent-crashed' } },
    { attempt: 2, status: 'completed' },
  ])
  const { body: list } = await world.call('GET', '/api/jobs?status=completed')
  expect(list).toMatchObject({ items: [{ id: job.id }], nextCursor: null })
  const runs = await world.call('GET', `/api/runs?job=${job.id}`)
  expect(runs.body.items).toHaveLength(2)
  expect((await world.call('GET', '/api/jobs/job_nobody')).status).toBe(404)
  const sessions = await world.call('GET', '/api/sessions')
  const session = sessions.body.items.find(
    (found: { sessionId: string }) => found.sessionId === done.attempts[1].sessionId,
  )
  expect(session).toMatchObject({ threadId: job.threadId, pointer: 'confirmed', state: 'active' })
  expect((await world.call('GET', `/api/sessions/${session.id}`)).body).toMatchObject({
    ...{ messageCount: expect.any(Number), turnCount: expect.any(Number) },
    ...{ lastStopReason: 'end_turn', inputTokens: expect.any(Number) },
  })
})

test('J-5 the same key is the same job; with another body it is 409', async () => {
  const headers = { 'idempotency-key': 'nightly' }
  const first = await world.call('POST', '/api/jobs', body, headers)
  const again = await world.call('POST', '/api/jobs', body, headers)
  expect(again.body.id).toBe(first.body.id)
  const other = await world.call('POST', '/api/jobs', { ...body, prompt: 'other' }, headers)
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
})

test('J-2 J-7 a job is cancelled in the middle, and retried with and without its session', async () => {
  const { body: job } = await world.call('POST', '/api/jobs', { ...body, prompt: 'hang' })
  const busy = async () =>
    (await world.call('GET', `/api/jobs/${job.id}`)).body.status === 'running'
  while (!(await busy())) await new Promise(resolve => setTimeout(resolve, 10))
  const retried = await world.call('POST', `/api/jobs/${job.id}/retry`, {})
  expect(retried).toMatchObject({ status: 409, body: { error: { code: 'busy' } } })
  const cancelled = await world.call('POST', `/api/jobs/${job.id}/cancel`, {})
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  const { body: other } = await world.call('POST', '/api/jobs', body)
  await over(other.id)
  expect((await world.call('POST', `/api/jobs/${other.id}/retry?resume=true`, {})).status).toBe(202)
  expect((await over(other.id)).attempts[1]).toMatchObject({ sessionResumed: true })
  await world.call('POST', `/api/jobs/${other.id}/retry?resume=false`, {})
  expect((await over(other.id)).attempts[2]).toMatchObject({ sessionResumed: false })
})

test.each([
  ['0 3 * * 1-5', { cron: '0 3 * * 1-5', timezone: expect.any(String) }],
  [
    { cron: '@daily', timezone: 'Asia/Tokyo' },
    { cron: '@daily', timezone: 'Asia/Tokyo' },
  ],
  [{ everyMs: 60_000 }, { everyMs: 60_000 }],
])('J-7 schedule %j is stored as %j', async (schedule, stored) => {
  const { status, body: job } = await world.call('POST', '/api/jobs', { ...body, schedule })
  expect(status).toBe(202)
  expect(job.schedule).toEqual(stored)
  await world.call('POST', `/api/jobs/${job.id}/cancel`, {})
})

test.each([
  ['no cron expression', { ...body, schedule: 'now and then' }, 400],
  ['no time zone', { ...body, schedule: { cron: '@daily', timezone: 'Mars/Olympus' } }, 400],
  ['two kinds of a schedule', { ...body, schedule: { cron: '@daily', everyMs: 60_000 } }, 400],
  ['an empty prompt', { ...body, prompt: '' }, 400],
  ['no attempts at all', { ...body, maxAttempts: 0 }, 400],
  ['a work dir that is not there', { ...body, workDir: '/nowhere' }, 400],
  ['a field that nobody knows', { ...body, executable: '/bin/sh' }, 400],
])('U-4 %s is refused with a hint, and nothing is stored', async (_, wanted, status) => {
  const answer = await world.call('POST', '/api/jobs', wanted)
  expect(answer.status).toBe(status)
  expect(answer.body.error.hint).not.toBe('')
  expect((await world.call('GET', '/api/jobs')).body.items).toEqual([])
})

test('J-1 U-6 the workers are listed, and counted in the metrics', async () => {
  const { body: job } = await world.call('POST', '/api/jobs', body)
  await over(job.id)
  const { body: list } = await world.call('GET', '/api/workers')
  expect(list).toMatchObject({
    items: [{ host: expect.any(String), pid: process.pid, state: 'working', labels: [] }],
    nextCursor: null,
  })
  const [{ host, concurrency }] = list.items
  const { body: metrics } = await world.call('GET', '/metrics')
  expect(metrics).toContain(`reprise_workers{host="${host}",state="working"} 1`)
  expect(metrics).toContain(`reprise_worker_capacity{host="${host}"} ${concurrency}`)
})

test('J-10 a thread, a job and a schedule take a repository instead of a directory', async () => {
  const workspace = { repository: '/nowhere/server.git', ref: 'main' }
  const stored = { ...workspace, commit: null }
  const thread = await world.call('POST', '/api/threads', { workspace })
  expect(thread).toMatchObject({ status: 201, body: { workspace: stored, host: null } })
  const { workDir: _, ...task } = body
  const job = await world.call('POST', '/api/jobs', { ...task, workspace })
  expect(job).toMatchObject({ status: 202, body: { workspace: stored, host: null } })
  // Nothing is there to check out, and the job says so.
  const why = async () => (await world.call('GET', `/api/jobs/${job.body.id}`)).body.words
  await expect.poll(why).toContain('there is no repository at /nowhere/server.git')
  await world.call('POST', `/api/jobs/${job.body.id}/cancel`)
  const refused = [
    { workspace: { repository: 'ext::sh -c touch% /tmp/x' } },
    { workspace: { repository: 'https://me:secret@example.org/server.git' } },
    { workspace, workDir: '/project' },
  ]
  for (const place of refused) {
    const answer = await world.call('POST', '/api/threads', place)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'bad-input' } } })
    expect(JSON.stringify(answer.body)).not.toContain('secret')
  }
})

test.each([
  ['/api/threads', { workDir: 'project' }],
  ['/api/jobs', { prompt: 'work', workDir: '.' }],
  ['/api/chains', { policy: 'ops', prompt: 'check', workDir: './project' }],
])(
  'U-4 a relative work dir is refused at %s, since the daemon works elsewhere than its caller',
  async (path, asked) => {
    const { status, body: refused } = await world.call('POST', path, asked)
    expect(status).toBe(400)
    expect(refused.error.message).toContain('workDir: must be an absolute path')
  },
)
