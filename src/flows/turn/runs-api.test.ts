// The verbs for runs, on the fake agent in this process: what users get when they look, ask why, cancel and list.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Reprise, Thread } from '../../api.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, type FakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'
import type { MemoryFiles } from '../../testing/memory-files.ts'

const SCRIPT: FakeScript = [
  { when: 'refused and waits', do: [{ type: 'waitForFile', path: '/go', reached: '/waits' }] },
  { when: 'waits', do: [{ type: 'waitForFile', path: '/go', reached: '/waits' }] },
]

let files: MemoryFiles
let runner: FakeRunner
let reprise: Reprise
let thread: Thread
beforeEach(async () => {
  files = await smallWorld()
  runner = createFakeRunner({ files, script: SCRIPT, hangs: 'until-stopped' })
  const agent = claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })
  const dependencies = { runner, files, keepText: async () => '/kept' }
  const timing = { queuePollMs: 5, eventBatchMs: 2, renewMs: 20, followPollMs: 5 }
  reprise = createReprise({ store: sqlite(':memory:'), agents: [agent], timing, dependencies })
  thread = await reprise.threads.create({ workDir: '/project' })
})
afterEach(() => reprise.close())

/** A turn whose agent waits for the file `/go`, and one that waits behind it. */
async function oneBehindAnother() {
  const first = thread.send('it waits')
  await expect.poll(() => files.read('/waits')).not.toBeNull()
  const second = thread.send('later')
  await expect.poll(async () => (await reprise.runs.list()).length).toBe(2)
  const [queued, running] = await reprise.runs.list()
  if (!queued || !running) throw new Error('there are two runs')
  return { first, second, queued, running }
}

test('U-4 a run that does not exist is not found, whatever is asked about it; the hint names the list', async () => {
  const { runs } = reprise
  const asked = [
    () => runs.get('run_x'),
    () => runs.cancel('run_x'),
    () => runs.questions('run_x'),
    () => runs.prompt('run_x'),
    () => runs.why('run_x'),
    () => runs.answer('run_x', { toolUseId: 't', allow: true }),
  ]
  for (const ask of asked)
    await expect(ask()).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no run run_x',
      hint: 'Run `reprise runs` to see them.',
    })
})

test('T-10 a run in the queue says what it waits for; nothing was decided and nothing was sent yet', async () => {
  const { first, second, queued, running } = await oneBehindAnother()
  const { waitsFor } = await reprise.runs.get(queued.id)
  expect(waitsFor).toMatchObject({ code: 'thread-busy', runId: running.id })
  expect(waitsFor?.words).toContain(running.id)
  expect(await reprise.runs.get(running.id)).not.toHaveProperty('waitsFor')
  await expect(reprise.runs.why(queued.id)).rejects.toMatchObject({
    code: 'conflict',
    message: `run ${queued.id} is queued: nothing has been decided for it`,
    hint: `Run \`reprise runs show ${queued.id}\` to see when it has started, then ask again.`,
  })
  await expect(reprise.runs.prompt(queued.id)).rejects.toMatchObject({
    code: 'not-found',
    message: `run ${queued.id} is queued: there is no record of what its agent was given`,
    hint: `Run \`reprise runs show ${queued.id}\` to see when it has started, then ask again.`,
  })
  await files.write('/go', '')
  expect((await first.result).run.status).toBe('completed')
  expect((await second.result).run.status).toBe('completed')
  expect(await reprise.runs.get(queued.id)).not.toHaveProperty('waitsFor')
  expect((await reprise.runs.prompt(queued.id)).text).toContain('later')
})

test('U-3 a turn is cancelled in the queue and while its agent works, each alone', async () => {
  const { first, second, queued, running } = await oneBehindAnother()
  await reprise.runs.cancel(queued.id)
  expect((await second.result.catch(error => error)).code).toBe('cancelled')
  expect(await reprise.runs.get(queued.id)).toMatchObject({ status: 'cancelled' })
  expect(await reprise.runs.get(running.id)).toMatchObject({ status: 'running' })
  expect(await reprise.runs.cancel(running.id)).toMatchObject({ id: running.id })
  expect((await first.result).run).toMatchObject({ id: running.id, status: 'cancelled' })
  expect(runner.running).toEqual([])
})

test('F-2 the run that takes over after a refused resume can be cancelled', async () => {
  await thread.send('one').result
  await thread.send('two').result
  const [session] = (await thread.show()).sessions
  const file = files.paths().find(path => path.endsWith(`${session?.sessionId}.jsonl`)) ?? ''
  const inner = runner.start.bind(runner)
  let starts = 0
  // The file goes after the decision and before the start, so the agent refuses to go on.
  Object.assign(runner, {
    start: async (...started: Parameters<FakeRunner['start']>) => {
      starts += 1
      if (starts === 1) await files.remove(file)
      return inner(...started)
    },
  })
  const turn = thread.send('refused and waits')
  await expect.poll(() => files.read('/waits')).not.toBeNull()
  const [second, refused] = await reprise.runs.list()
  expect(refused).toMatchObject({ status: 'failed', failure: { class: 'resume-refused' } })
  expect(second).toMatchObject({ parentRunId: refused?.id, status: 'running' })
  await reprise.runs.cancel(second?.id ?? '')
  expect((await turn.result).run).toMatchObject({ id: second?.id, status: 'cancelled' })
})

test('U-4 the list of runs refuses a thread and a place that do not exist, and gives one thread at a time', async () => {
  const { run } = await thread.send('one').result
  const other = await reprise.threads.create({ workDir: '/project' })
  await other.send('two').result
  const of = async (filter: { threadId?: string; limit?: number; cursor?: string }) =>
    (await reprise.runs.list(filter)).map(({ threadId }) => threadId)
  expect(await of({})).toEqual([other.id, thread.id])
  expect(await of({ threadId: thread.id })).toEqual([thread.id])
  expect(await of({ limit: 1 })).toEqual([other.id])
  expect(await of({ cursor: run.id })).toEqual([])
  await expect(of({ threadId: 'thr_x' })).rejects.toMatchObject({ code: 'not-found' })
  await expect(of({ cursor: 'run_x' })).rejects.toMatchObject({ code: 'bad-input' })
})

test('D-7 why decides again with other settings, and estimates the other ways while the thread is as it was', async () => {
  await thread.send('one').result
  const { run } = await thread.send('two').result
  const why = await reprise.runs.why(run.id)
  expect(why.decision).toEqual(run.decision)
  expect(why.decision.action).toBe('resume')
  expect(why.changes.length).toBeGreaterThan(0)
  const estimates = (given: typeof why) => given.changes.map(({ estimate }) => estimate !== null)
  expect(estimates(why)).toContain(true)
  const other = await reprise.runs.why(run.id, { mode: 'never' })
  expect(other.decision.action).toBe('replay')
  expect((await reprise.runs.why(run.id)).decision.action).toBe('resume')
  // Nobody knows any more what the agent would have read.
  const { messages } = await thread.show()
  await thread.truncate(messages[0]?.id ?? '')
  expect(estimates(await reprise.runs.why(run.id))).not.toContain(true)
})

test('M-1 the work of a run names the process that did it and what it has cost', async () => {
  const { run } = await thread.send('one').result
  expect(await reprise.runs.work(run.id)).toEqual({
    worker: { host: expect.any(String), pid: process.pid },
    lease: null,
    usage: run.usage,
    costUsd: run.costUsd,
    costIs: 'booked',
  })
  expect(await reprise.runs.questions(run.id)).toEqual([])
})

test('D-7 why estimates the other ways of a run also after the thread has gone on', async () => {
  await thread.send('one').result
  const { run } = await thread.send('two').result
  const estimated = async (given: Reprise) =>
    (await given.runs.why(run.id)).changes.some(({ estimate }) => estimate !== null)
  expect(await estimated(reprise)).toBe(true)
  await thread.send('three').result
  // The prompt of the run is not the last message any more, but what came before it is the same.
  expect(await estimated(reprise)).toBe(true)
})

test('T-10 a cancelled run is stopped before the answer comes back', async () => {
  const turn = thread.send('it waits')
  await expect.poll(() => files.read('/waits')).not.toBeNull()
  const [running] = await reprise.runs.list()
  const cancelled = await reprise.runs.cancel(running?.id ?? '')
  expect(cancelled).toMatchObject({ id: running?.id, status: 'cancelled' })
  expect(runner.running).toEqual([])
  await turn.result
})

test('D-7 why answers with the settings of the run, changed by those that somebody asks about', async () => {
  await thread.send('one').result
  const { run } = await thread.send('two').result
  const full = await reprise.runs.why(run.id, { contextThreshold: 0.000_001 })
  expect(full.decision).toMatchObject({ action: 'replay', reason: { code: 'context-full' } })
})
