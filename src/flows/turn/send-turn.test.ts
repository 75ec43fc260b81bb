// What is stored of a turn before its agent starts, on the fake agent in this process.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Reprise, Thread } from '../../api.ts'
import { createReprise } from '../../reprise.ts'
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
  const { id } = await reprise.jobs.submit({ prompt: 'work', workDir: '/project' })
  await expect.poll(async () => (await reprise.jobs.get(id)).threadId).not.toBeNull()
  const { threadId } = await reprise.jobs.get(id)
  const owned = await reprise.threads.get(threadId ?? '')
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
  refuse({ model: 'n', permissionMode: 'plan', allowedTools: ['A'], disallowedTools: ['B'], maxTurns: 3 })
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
