// Two hosts on one PostgreSQL: each has an id, a data directory and a worker of its own.
import type { ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Worker } from '../../../src/core/job/worker.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { type Ended, ended } from '../cli/cli-world.ts'
import { ServeWorld } from './serve-world.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await newDatabase()
})
afterAll(() => database.drop())

class Host extends ServeWorld {
  readonly #workers: ChildProcess[] = []
  readonly #id: string

  constructor(id: string) {
    super()
    this.#id = id
  }

  override get env(): NodeJS.ProcessEnv {
    return { ...super.env, REPRISE_HOST: this.#id, REPRISE_DATABASE_URL: database.url }
  }

  /** Resolves when the worker is at work. */
  async work(args: readonly string[] = []): Promise<{ child: ChildProcess; end: Promise<Ended> }> {
    const child = this.start(['worker', ...args])
    this.#workers.push(child)
    const end = ended(child)
    await expect
      .poll(async () => (await this.workers()).map(({ pid, state }) => [pid, state]))
      .toContainEqual([child.pid, 'working'])
    return { child, end }
  }

  async workers(): Promise<readonly Worker[]> {
    return this.list(['workers']) as unknown as Promise<readonly Worker[]>
  }

  async submit(prompt: string, args: readonly string[] = []): Promise<string> {
    return (await this.run(['jobs', 'submit', prompt, ...args])).out.trim()
  }

  job(id: string) {
    return this.json(['jobs', 'show', id])
  }

  override async closeAll(): Promise<void> {
    for (const child of this.#workers) child.kill('SIGKILL')
    await super.closeAll()
  }
}

let one: Host
let two: Host
beforeEach(async () => {
  await database.run('drop schema if exists reprise cascade')
  one = await new Host('build-1').open()
  two = await new Host('build-2').open()
})
afterEach(async () => {
  await one.closeAll()
  await two.closeAll()
})

test('J-1 jobs run on the host of their directory; one without a worker says so, from every host', async () => {
  await two.work(['--label', 'gpu'])
  const waiting = await one.submit('on one')
  const done = await two.submit('on two', ['--label', 'gpu'])
  await expect.poll(async () => (await one.job(done)).status).toBe('completed')
  expect((await one.job(done)).attempts).toMatchObject([{ host: 'build-2' }])
  expect(await two.job(waiting)).toMatchObject({
    status: 'queued',
    waitingFor: { code: 'no-worker-for-host', host: 'build-1' },
  })
  expect((await two.run(['jobs', 'show', waiting])).out).toContain('no worker for host build-1')
  await one.work()
  await expect.poll(async () => (await two.job(waiting)).status).toBe('completed')
  expect((await two.job(waiting)).attempts).toMatchObject([{ host: 'build-1' }])
  expect(await one.workers()).toMatchObject([
    { host: 'build-1', labels: [], concurrency: 2 },
    { host: 'build-2', labels: ['gpu'], concurrency: 2 },
  ])
})

test('J-7 a cancel from another host reaches the run, and a worker that stops leaves the list', async () => {
  one.script([{ do: [{ type: 'hang' }] }])
  const { child, end } = await one.work(['--drain', '1m'])
  const id = await one.submit('hangs')
  await expect.poll(async () => (await two.job(id)).attempts[0]?.status).toBe('running')
  expect((await two.run(['jobs', 'cancel', id])).code).toBe(0)
  await expect.poll(async () => (await two.job(id)).status).toBe('cancelled')
  child.kill('SIGTERM')
  expect(await end).toMatchObject({ code: 0, err: expect.stringContaining('stopping') })
  expect(await two.workers()).toEqual([])
})

test('J-2 a worker that is stopped hands its job to the next worker of its host, which resumes it', async () => {
  one.script([{ do: [{ type: 'text', text: 'half of it' }, { type: 'hang' }] }])
  const { child, end } = await one.work()
  const id = await one.submit('work')
  await expect.poll(async () => (await two.job(id)).attempts[0]?.status).toBe('running')
  child.kill('SIGTERM')
  expect((await end).code).toBe(0)
  expect((await two.job(id)).attempts).toMatchObject([
    { status: 'interrupted', failure: { class: 'shutdown' } },
  ])
  one.script([])
  await one.work()
  await expect.poll(async () => (await two.job(id)).status).toBe('completed')
})

test('J-2 J-7 J-8 a worker on SIGTERM lets its run go on for --drain; then a worker on another host resumes it, and a daemon on a third follows and cancels', async () => {
  const front = await new Host('front').open()
  const shared = one.path('shared')
  mkdirSync(shared)
  for (const host of [one, two, front]) {
    const agent = { executable: one.executable, env: host.agentEnv }
    host.config({ agents: { 'claude-code': agent }, worker: { sharedRoots: [shared] } })
  }
  one.script([{ do: [{ type: 'text', text: 'half of it' }, { type: 'hang' }] }])
  try {
    const reprise = front.connect(await front.serve(['--port', '0', '--workers', '0']))
    const task = { prompt: 'work', workDir: shared, checkpoints: 'off' } as const
    const first = await one.work(['--drain', '1s'])
    const { id } = await reprise.jobs.submit(task)
    const seen: string[] = []
    for await (const event of reprise.jobs.follow(id)) {
      if (event.type === 'ended') seen.push(event.status)
      if (event.type !== 'text' || seen.length > 0) continue
      seen.push(event.text)
      await two.work()
      first.child.kill('SIGTERM')
    }
    expect(seen).toEqual(['half of it', 'interrupted', 'completed'])
    expect((await first.end).err).toContain('runs may go on for 1 s')
    expect((await reprise.jobs.get(id)).attempts).toMatchObject([
      { host: 'build-1', status: 'interrupted', failure: { class: 'shutdown' } },
      { host: 'build-2', status: 'completed', sessionResumed: true },
    ])
    two.script([{ do: [{ type: 'text', text: 'I begin' }, { type: 'hang' }] }])
    const next = await reprise.jobs.submit(task)
    for await (const event of reprise.jobs.follow(next.id)) {
      if (event.type === 'text') await reprise.jobs.cancel(next.id)
    }
    expect(await reprise.jobs.get(next.id)).toMatchObject({
      status: 'cancelled',
      attempts: [{ host: 'build-2', status: 'cancelled' }],
    })
    expect(two.agentProcesses()).toEqual([])
    await reprise.close()
  } finally {
    await front.closeAll()
  }
})
