// What is stored of a turn before its agent starts, on the fake agent in this process.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processes } from '../../../test/simulated/processes.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Reprise, Thread } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import { createReprise } from '../../reprise.ts'
import type { NewTurn } from '../../store/contract/queue.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, type FakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'
import { refuseBadOptions, refuseForeign, settingsOfRun, titleOf, workDirFor } from './send-turn.ts'

const requestKey = (key: string) => ({ key, request: 'one', note: '' })

let runner: FakeRunner
let reprise: Reprise
let thread: Thread
beforeEach(async () => {
  const files = await smallWorld()
  runner = createFakeRunner({ files })
  const agent = claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })
  const timing = { queuePollMs: 5, eventBatchMs: 2, renewMs: 20, followPollMs: 5 }
  const dependencies = { runner, files, keepText: async () => '/kept' }
  reprise = createReprise({ store: sqlite(':memory:'), agents: [agent], timing, dependencies })
  thread = await reprise.threads.create({ workDir: '/project' })
})
afterEach(() => reprise.close())

test('I8 a key sends a turn once: the second call gets the answer of the first, with the same run and message', async () => {
  const first = await thread.send('one', { key: requestKey('k-1') }).result
  const again = await thread.send('one', { key: requestKey('k-1') }).result
  expect(again).toEqual(first)
  expect(again.text).toBe('echo: one')
  expect(runner.journal).toHaveLength(1)
})

test('I8 turns without a key, and with another one, are turns of their own', async () => {
  await thread.send('one', { key: requestKey('k-1') }).result
  await thread.send('one').result
  await thread.send('one', { key: requestKey('k-2') }).result
  expect(runner.journal).toHaveLength(3)
})

test('T-10 the first prompt titles its thread, and a title that somebody gave stays', async () => {
  await thread.send('fix the tests\nand more').result
  expect((await thread.show()).title).toBe('fix the tests')
  await thread.send('something else').result
  expect((await thread.show()).title).toBe('fix the tests')
})

test.each([
  ['  one line  ', 'one line'],
  ['\n\nfirst\nsecond', 'first'],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['x'.repeat(61), `${'x'.repeat(59)}…`],
  [`${'x'.repeat(58)}😀${'y'.repeat(9)}`, `${'x'.repeat(58)}\ufffd…`],
])('T-10 the prompt %j gives the title %j', (text, title) => {
  expect(titleOf(text)).toBe(title)
})

test('U-4 nobody but its job talks in the thread of a job; the error names the fork', async () => {
  const { threadId } = await reprise.jobs.submit({ prompt: 'work', workDir: '/project' })
  const owned = await reprise.threads.get(threadId)
  await expect(owned.send('hello').result).rejects.toMatchObject({
    code: 'conflict',
    message: `thread ${threadId} belongs to a job: nobody else talks in it or changes it`,
    hint: `Go on in a copy of it: reprise threads fork ${threadId}.`,
  })
})

test('U-4 only a thread of a user is open for turns; the error names the fork', () => {
  expect(refuseForeign({ id: 'thr_1', kind: 'chat' } as never)).toBeUndefined()
  for (const kind of ['chain', 'job'])
    expect(() => refuseForeign({ id: 'thr_1', kind } as never)).toThrow(
      `thread thr_1 belongs to a ${kind}: nobody else talks in it or changes it`,
    )
})

test('J-10 a thread in a repository works in its work tree on this host, and in no directory', async () => {
  const files = await smallWorld()
  await files.makeDirectory('/other')
  const workspaces = { pathOf: (id: string) => `/trees/${id}` }
  const repository = { repository: 'https://example.org/r.git', ref: null, commit: null }
  const workDir = (workspace: object | null, other?: string) =>
    workDirFor(
      { files, workspaces } as never,
      { id: 'thr_1', workDir: '/project', workspace } as never,
      { workDir: other },
    )
  expect(await workDir(null)).toBe('/project')
  expect(await workDir(null, '/other')).toBe('/other')
  expect(await workDir(repository)).toBe('/trees/thr_1')
  await expect(workDir(repository, '/other')).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringMatching(/^thread thr_1 works in the repository .*r\.git/),
    hint: 'Leave out `workDir` (--cwd), or begin another thread.',
  })
})

const AGENT = { name: 'one', model: 'm', permissionMode: 'default' }
const THREAD = { trust: null, sandbox: null }

test('H-2 a run has what its turn says, else what its thread says, else what its agent says', () => {
  const of = (options: object, thread: object = {}, agent: object = {}) =>
    settingsOfRun({
      ...{ options, workDir: '/project' },
      ...{ thread: { ...THREAD, ...thread }, agent: { ...AGENT, ...agent } },
    } as never)
  expect(of({})).toEqual({
    ...{ agent: 'one', model: 'm', workDir: '/project', permissionMode: 'default' },
    ...{ allowedTools: [], disallowedTools: [], trust: 'project', sandboxWanted: 'none' },
    ...{ freshSession: false, questions: 'none' },
  })
  const said = {
    ...{ model: 'n', permissionMode: 'plan', allowedTools: ['A'], disallowedTools: ['B'] },
    ...{ trust: 'none', freshSession: true, questions: 'ask' },
  }
  expect(of({ ...said, sandbox: 'auto' })).toMatchObject({ ...said, sandboxWanted: 'auto' })
  expect(of({}, { trust: 'user', sandbox: 'auto' }, { trust: 'none' })).toMatchObject({
    ...{ trust: 'user', sandboxWanted: 'auto' },
  })
  expect(of({}, {}, { trust: 'none', sandbox: 'auto' })).toMatchObject({
    ...{ trust: 'none', sandboxWanted: 'auto' },
  })
})

test('U-4 the adapter sees everything of a turn that it may have to refuse', () => {
  const opened: object[] = []
  const adapter = { open: (spec: object) => void opened.push(spec) }
  const agent = { ...AGENT, adapter, runtime: {}, fullEnv: {} }
  const refuse = (options: object) =>
    refuseBadOptions({ agent, options, thread: THREAD, workDir: '/project' } as never)
  refuse({})
  refuse({
    model: 'n',
    permissionMode: 'plan',
    allowedTools: ['A'],
    disallowedTools: ['B'],
    maxTurns: 3,
  })
  expect(opened).toMatchObject([
    {
      ...{ model: 'm', permissionMode: 'default', allowedTools: [], disallowedTools: [] },
      ...{ workDir: '/project', trust: 'project' },
    },
    {
      ...{ model: 'n', permissionMode: 'plan', allowedTools: ['A'], disallowedTools: ['B'] },
      ...{ maxTurns: 3 },
    },
  ])
  expect(opened[0]).not.toHaveProperty('maxTurns')
})

/** A process whose turns reach the store through `change`. */
async function noting(change?: (turn: NewTurn) => void) {
  const world = await processes([{ when: 'hang', do: [{ type: 'hang' }] }])
  const turns: NewTurn[] = []
  const opened = world.open({
    maxRunning: 1,
    store: one => ({
      ...one,
      submitAndClaim: async (turn, now, leaseMs) => {
        turns.push(turn)
        change?.(turn)
        return one.submitAndClaim(turn, now, leaseMs)
      },
    }),
  })
  const made = await opened.reprise.threads.create({ workDir: '/project' })
  return { ...opened, world, turns, thread: made }
}

test('C-7 a turn is stored with its limits, its instructions and the place of its thread, and with nothing that nobody said', async () => {
  const { thread: one, turns } = await noting()
  const key = requestKey('k-1')
  await one.send('hello\nyou', { maxTurns: 3, budgetUsd: 2, instructions: 'Be brief.', key }).result
  await one.send('again').result
  const message = turns[0]?.message
  expect(turns[0]).toMatchObject({
    ...{ limits: { maxTurns: 3, budgetUsd: 2 }, instructions: 'Be brief.', key, trace: null },
    thread: { title: 'hello', agent: 'claude-code', workDir: '/project', host: 'here' },
    run: { id: expect.stringMatching(/^run_/), threadId: one.id },
  })
  expect(message).toMatchObject({ id: expect.stringMatching(/^msg_/), runId: turns[0]?.run.id })
  expect(turns[1]).toMatchObject({ limits: {}, thread: { title: 'hello' } })
  for (const part of ['key', 'job', 'branch', 'instructions'])
    expect(turns[1]).not.toHaveProperty(part)
})

test('T-4 a retry goes on from its own branch', async () => {
  const { thread: one, turns } = await noting()
  const { messageId } = await one.send('one').result
  expect((await one.retry(messageId, { text: 'other' }).result).text).toBe('echo: other')
  expect(turns[1]).toHaveProperty('branch')
  const { messages } = await one.show()
  expect(messages.map(({ text }) => text)).toEqual(['other', 'echo: other'])
})

test('T-4 a retry that finds the thread busy is refused, and so is a turn of which the store says so', async () => {
  let calls = 0
  const { thread: one } = await noting(() => {
    calls += 1
    if (calls > 1) throw new RepriseError('busy', 'a run is open', 'Wait.')
  })
  const { messageId } = await one.send('one').result
  for (const late of [one.retry(messageId), one.send('two')])
    await expect(late.result).rejects.toMatchObject({ code: 'busy' })
  expect(calls).toBe(3)
})

test('I9 T-4 a retry ends the run of a dead process that is in its way', async () => {
  const { thread: one, world, die, reprise: first } = await noting()
  const { messageId } = await one.send('one').result
  void one.send('hang').result.catch(() => {})
  await expect.poll(() => world.runner.running.length).toBe(1)
  const open = (await first.runs.list())[0]
  die()
  const { reprise: next } = world.open()
  const same = await next.threads.get(one.id)
  expect((await same.retry(messageId, { text: 'other' }).result).text).toBe('echo: other')
  expect(await next.runs.get(open?.id ?? '')).toMatchObject({ status: 'interrupted' })
})

test('T-10 a turn gives its slot and its place back, also when it fails', async () => {
  let fails = true
  const { thread: one, reprise: here, world } = await noting()
  const start = world.runner.start.bind(world.runner)
  Object.assign(world.runner, {
    start: async (...given: Parameters<typeof start>) => {
      if (fails) throw new Error('a fault')
      return start(...given)
    },
  })
  await expect(one.send('one').result).rejects.toThrow('a fault')
  fails = false
  expect((await one.send('two', { whenBusy: 'fail' }).result).run.status).toBe('completed')
  const other = await here.threads.create({ workDir: '/project' })
  expect((await other.send('three', { whenBusy: 'fail' }).result).run.status).toBe('completed')
})
