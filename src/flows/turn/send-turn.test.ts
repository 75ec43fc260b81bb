// What is stored of a turn before its agent starts, on the fake agent in this process.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Reprise, Thread } from '../../api.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { createFakeRunner, type FakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'
import { titleOf } from './send-turn.ts'

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
