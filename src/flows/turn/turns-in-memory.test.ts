// Whole turns against the fake agent in this process: what must hold when something goes wrong in the middle.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { claudeCode } from '../../agents/claude-code.ts'
import { createReprise } from '../../reprise.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, memoryExecutable } from '../../testing/fake-runner.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { storedEvent } from './event-log.ts'

async function world(
  script: FakeScript = [],
  agentEnv: Record<string, string> = {},
  environment: Record<string, string> = {},
) {
  const files = memoryFiles()
  await files.write('/bin/agent', memoryExecutable())
  await files.makeDirectory('/project')
  const runner = createFakeRunner({ files, script })
  const env = { CLAUDE_CONFIG_DIR: '/config', ...agentEnv }
  const agents = [claudeCode({ executable: '/bin/agent', env })]
  const keepText = async (text: string) => {
    const path = `/kept/${createHash('sha256').update(text).digest('hex')}`
    await files.write(path, text)
    return path
  }
  const reprise = createReprise({
    store: sqlite(':memory:'),
    agents,
    environment,
    dependencies: { runner, files, keepText },
  })
  const thread = await reprise.threads.create({ workDir: '/project' })
  return { files, runner, reprise, thread }
}

test.each([
  { permissionMode: 'nonsense' },
  { model: '--help' },
  { allowedTools: ['not a rule\n'] },
])('U-4 a retry with %j is refused and takes nothing off the branch', async options => {
  const { thread, reprise } = await world()
  await thread.send('one').result
  await thread.send('two').result
  const before = (await thread.show()).messages
  const retry = thread.retry(before[2]?.id ?? '', options)
  await expect(retry.result).rejects.toMatchObject({ code: 'bad-input' })
  expect((await thread.show()).messages).toEqual(before)
  await reprise.close()
})

test('T-8 a fork that ignores the flag gets the instructions again in its prompt: it may be cut before the session got them', async () => {
  const { thread, reprise, runner } = await world([], { FAKE_AGENT_HELP: 'no-snapshot' })
  await thread.send('one', { instructions: 'In French.' }).result
  await thread.send('two', { instructions: 'In Latin.' }).result
  const { messages } = await thread.show()
  const { run } = await thread.retry(messages[2]?.id ?? '', { instructions: 'In Latin.' }).result
  expect(run.decision?.action).toBe('fork')
  expect(runner.journal.at(-1)?.prompt).toContain('In Latin.')
  await reprise.close()
})

test('T-10 a turn that is cancelled before its prompt is stored leaves nothing in the thread', async () => {
  const { thread, reprise, runner } = await world()
  await thread.send('one').result
  const cancelled = {
    code: 'cancelled',
    message: 'the turn was cancelled before its prompt was stored',
  }
  const aborted = thread.send('two', { signal: AbortSignal.abort() })
  await expect(aborted.result).rejects.toMatchObject(cancelled)
  await expect(aborted.submitted).rejects.toMatchObject(cancelled)
  const turn = thread.send('three')
  turn.result.catch(() => {})
  await turn.cancel()
  await expect(turn.result).rejects.toMatchObject(cancelled)
  const { messages, runs } = await thread.show()
  expect([messages.map(({ text }) => text), runs.length]).toEqual([['one', 'echo: one'], 1])
  expect(runner.journal).toHaveLength(1)
  await reprise.close()
})

test('T-8 F-2 the run that takes over after a refused resume has the instructions of its turn', async () => {
  const { thread, reprise, runner } = await world([
    { when: 'resume', do: [{ type: 'refuseResume' }] },
  ])
  await thread.send('one').result
  const { run } = await thread.send('two', { instructions: 'In French.' }).result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'replay' } })
  const haveInstructions = runner.journal
    .slice(-2)
    .map(entry => JSON.stringify(entry).includes('In French.'))
  expect(haveInstructions).toEqual([true, true])
  await reprise.close()
})

test('F-4 forks that leave nothing speak against the session they are cut from', async () => {
  const { thread, reprise } = await world([
    {
      when: 'again',
      do: [{ type: 'noPersistence' }, { type: 'exit', code: 1, withoutResult: true }],
    },
  ])
  await thread.send('one').result
  await thread.send('two').result
  for (const _ of [1, 2]) {
    const { messages } = await thread.show()
    const { run } = await thread.retry(messages[2]?.id ?? '', { text: 'again' }).result
    expect(run.decision?.action).toBe('fork')
  }
  const [source] = (await thread.show()).sessions
  expect(source).toMatchObject({ pointer: 'retired', retiredBecause: { code: 'failed-twice' } })
  await reprise.close()
})

test('D-3 a network that is down for a while does not use a session up', async () => {
  const { thread, reprise } = await world([
    { when: 'offline', do: [{ type: 'apiError', status: null }] },
  ])
  await thread.send('one').result
  for (const _ of [1, 2, 3, 4]) await thread.send('offline').result
  const { run } = await thread.send('back again').result
  expect(run.decision?.action).toBe('resume')
  await reprise.close()
})

test('I10 a turn that is cancelled in the queue ends its log with `ended` too', async () => {
  const { thread, reprise } = await world([{ when: 'hang', do: [{ type: 'hang' }] }])
  const turn = thread.send('one')
  await turn.result
  const cancelled = new AbortController()
  cancelled.abort()
  const late = thread.send('two', { signal: cancelled.signal })
  const ended = await late.result.catch(error => error)
  const runs = await reprise.runs.list({ limit: 1 })
  const events = await reprise.runs.events(runs[0]?.id ?? '')
  expect([ended.code ?? ended.run?.status, events.at(-1)?.type]).toEqual(['cancelled', 'ended'])
  await reprise.close()
})

test.each([
  '"API_KEY=abcdefgh1234" ok',
  '-----BEGIN RSA PRIVATE KEY-----\nabc',
  'curl -H "Authorization: Bearer abcdef0123456789"',
  '{"password": "hunter2hunter2"}',
])('F-6 an event whose secret was removed is still an event: %s', text => {
  const event = { type: 'tool-result', id: 't', isError: false, denied: false, text } as const
  const { json } = storedEvent(1, event)
  expect(JSON.parse(json)).toMatchObject({ type: 'tool-result', id: 't' })
  expect(json).not.toMatch(/abcdefgh1234|nabc|abcdef0123456789|hunter2/)
})

test('S21 secrets in what a tool was given and gave are neither stored nor streamed, nor those of the environment', async () => {
  const key = ['sk-', 'ant-api03-', 'a1B2c3D4'.repeat(8)].join('')
  const ours = 'a value without a shape'
  const input = { command: `curl -H "x-api-key: ${key}" x` }
  const result = `${ours}\nTHING=${key}\n${'word '.repeat(800)}`
  const { thread, reprise } = await world(
    [{ when: 'look', do: [{ type: 'tool', name: 'Bash', input, result }] }],
    { GH_TOKEN: ours },
  )
  const turn = thread.send('look')
  const streamed: unknown[] = []
  for await (const event of turn) streamed.push(event)
  const { run } = await turn.result
  const stored = await reprise.runs.events(run.id)
  const { messages } = await thread.show()
  const types = streamed.map(event => (event as { type: string }).type)
  expect(types).toEqual(expect.arrayContaining(['tool', 'tool-result']))
  for (const kept of [streamed, stored, messages]) {
    expect(JSON.stringify(kept)).toContain('[redacted]')
    expect(JSON.stringify(kept)).not.toMatch(/a1B2c3D4|without a shape/)
  }
  await reprise.close()
})

test('S21 a secret of the user’s environment is in no record of a failure of a trusted run', async () => {
  const { thread, reprise } = await world(
    [{ when: 'fail', do: [{ type: 'apiError', status: 400, message: 'no hunter2horse here' }] }],
    {},
    { DB_PASSWORD: 'hunter2horse' },
  )
  const { run } = await thread.send('fail').result
  expect(run.failure?.message).toContain('[redacted]')
  const kept = [run, await reprise.runs.events(run.id), await thread.show()]
  expect(JSON.stringify(kept)).not.toContain('hunter2horse')
  await reprise.close()
})

test('S21 nor in the reason why a session is given up, which holds the words of its last failure', async () => {
  const { thread, reprise } = await world(
    [{ when: 'fail', do: [{ type: 'apiError', status: 400, message: 'no hunter2horse here' }] }],
    {},
    { DB_PASSWORD: 'hunter2horse' },
  )
  await thread.send('hello').result
  await thread.send('fail').result
  await thread.send('fail').result
  const [session] = await reprise.sessions.list({ threadId: thread.id })
  expect(session?.retiredBecause?.code).toBe('failed-twice')
  expect(JSON.stringify(session)).toContain('[redacted]')
  expect(JSON.stringify(session)).not.toContain('hunter2horse')
  await reprise.close()
})

test.each([
  [{ type: 'hang', at: 'before-init' }, 'interrupted'],
  [{ type: 'noPersistence' }, 'completed'],
] as const)(
  'T-7a an answer that the session lacks (%j): the next turn goes around the call and tells it',
  async (step, status) => {
    const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]
    const { thread, reprise, runner } = await world([
      { when: 'go on', do: [] },
      { when: 'choose', do: [{ type: 'ask', questions }] },
      { when: 'resume', once: true, do: [step] },
    ])
    const asking = thread.send('choose', { questions: 'ask' })
    for await (const event of asking) if (event.type === 'question') break
    const [question] = await reprise.runs.questions((await reprise.runs.list())[0]?.id ?? '')
    const { runId = '', toolUseId = '' } = question ?? {}
    const { turn } = await reprise.runs.answer(runId, { toolUseId, content: 'the second' })
    expect((await turn?.result)?.run.status).toBe(status)
    const { run } = await thread.send('go on', { questions: 'ask' }).result
    expect(run).toMatchObject({ status: 'completed', decision: { action: 'replay' } })
    expect(runner.journal.at(-1)?.prompt).toContain('the second')
    await reprise.close()
  },
)

test('M-2 the budget of a turn spans the question in its middle: what was spent before the answer counts', async () => {
  const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 40_000 }
  const { thread, reprise } = await world([
    {
      when: 'choose',
      do: [
        { type: 'billed', usage },
        { type: 'ask', questions },
      ],
    },
    { do: [{ type: 'billed', usage }, { type: 'text', text: 'done' }, { type: 'hang' }] },
  ])
  const asking = thread.send('choose', { questions: 'ask', budgetUsd: 1 })
  for await (const event of asking) if (event.type === 'question') break
  const [asked] = await reprise.runs.list()
  expect(asked?.costUsd).toBeGreaterThan(0.5)
  const [question] = await reprise.runs.questions(asked?.id ?? '')
  const { runId = '', toolUseId = '' } = question ?? {}
  const { turn } = await reprise.runs.answer(runId, { toolUseId, content: 'a' })
  expect((await turn?.result)?.run.failure?.class).toBe('budget')
  await reprise.close()
})

test('T-3 a preview while a turn runs says that the session is in use, and not that a stranger wrote in it', async () => {
  const { thread, reprise, files } = await world([
    {
      when: 'resume',
      do: [
        { type: 'tool', name: 'Read', input: {}, result: 'x' },
        { type: 'waitForFile', path: '/go', reached: '/waits' },
      ],
    },
  ])
  await thread.send('one').result
  const turn = thread.send('two')
  await expect.poll(() => files.read('/waits')).not.toBeNull()
  const { decision } = await thread.preview({ prompt: 'three' })
  expect(decision).toMatchObject({ action: 'wait', reason: { code: 'session-busy' } })
  await files.write('/go', '')
  expect((await turn.result).run.status).toBe('completed')
  await reprise.close()
})
