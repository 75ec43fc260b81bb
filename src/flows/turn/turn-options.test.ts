// What a turn is sent with, what its agent gets of it and what is stored of it, on the fake agent in this process.
import { expect, test } from 'vitest'
import { type ProcessOptions, processes, START } from '../../../test/simulated/processes.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import type { TurnOptions } from '../../api.ts'
import type { SandboxMode } from '../../core/run/sandbox.ts'
import type { Trust } from '../../core/run/trust.ts'
import { RepriseError } from '../../errors.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'

const env = { CLAUDE_CONFIG_DIR: '/config' }

/** Who says what about a turn. */
type Said<Value> = { readonly turn?: Value; readonly thread?: Value; readonly agent?: Value }

async function open(script: FakeScript = [], options: ProcessOptions = {}) {
  const world = await processes(script)
  const { reprise, ...process } = world.open(options)
  const thread = await reprise.threads.create({ workDir: '/project' })
  const lastStart = () => world.runner.journal.at(-1)
  return { world, reprise, thread, lastStart, ...process }
}

test('C-7 H-2 a run stores what its turn was sent with, and its agent is started so', async () => {
  const { world, thread, lastStart } = await open()
  await world.files.makeDirectory('/elsewhere')
  const options: TurnOptions = {
    model: 'sonnet',
    permissionMode: 'plan',
    allowedTools: ['Read'],
    disallowedTools: ['Bash'],
    workDir: '/elsewhere',
    trust: 'user',
    maxTurns: 7,
  }
  const { run, threadId, messageId, text } = await thread.send('hello', options).result
  const { maxTurns: _, ...stored } = options
  expect(run).toMatchObject({
    ...stored,
    agent: 'claude-code',
    threadId: thread.id,
    promptMessageId: messageId,
    sandboxWanted: 'none',
    freshSession: false,
    questions: 'none',
    queuedAt: START,
    startedAt: START,
    endedAt: START,
    chainId: null,
    jobId: null,
    parentRunId: null,
  })
  expect([threadId, text]).toEqual([thread.id, 'echo: hello'])
  const args = lastStart()?.args.join(' ') ?? ''
  for (const part of ['--model sonnet', '--permission-mode plan', '--max-turns 7', 'Read', 'Bash'])
    expect(args).toContain(part)
  expect(lastStart()?.cwd).toBe('/elsewhere')
  expect((await thread.show()).workDir).toBe('/elsewhere')
})

test('H-2 a turn without options has those of its agent', async () => {
  const agent = claudeCode({
    executable: '/bin/agent',
    env,
    model: 'opus',
    permissionMode: 'acceptEdits',
  })
  const { thread } = await open([], { agents: [agent] })
  const { run } = await thread.send('hello').result
  expect(run).toMatchObject({
    model: expect.stringContaining('opus'),
    permissionMode: 'acceptEdits',
    allowedTools: [],
    disallowedTools: [],
    trust: 'project',
  })
})

test.each([
  ['the turn', { turn: 'none', thread: 'user', agent: 'project' }, 'none'],
  ['the thread', { thread: 'user', agent: 'none' }, 'user'],
  ['the agent', { agent: 'none' }, 'none'],
  ['nobody', {}, 'project'],
] as const)('S16 trust is what %s says', async (_, says, trust) => {
  const of: Said<Trust> = says
  const config = claudeCode({ executable: '/bin/agent', env, ...(of.agent && { trust: of.agent }) })
  const { reprise } = await open([], { agents: [config] })
  const thread = await reprise.threads.create({ workDir: '/project', trust: of.thread })
  const { run } = await thread.send('hello', { trust: of.turn }).result
  expect(run.trust).toBe(trust)
})

test.each([
  ['the turn', { turn: 'none', thread: 'auto', agent: 'auto' }, 'none'],
  ['the thread', { thread: 'none', agent: 'auto' }, 'none'],
  ['the agent', { agent: 'auto' }, 'auto'],
] as const)('E-13 the sandbox is what %s says', async (_, says, wanted) => {
  const of: Said<SandboxMode> = says
  const config = claudeCode({
    executable: '/bin/agent',
    env,
    ...(of.agent && { sandbox: of.agent }),
  })
  const { reprise } = await open([], { agents: [config] })
  const thread = await reprise.threads.create({ workDir: '/project', sandbox: of.thread })
  const { run } = await thread.send('hello', { sandbox: of.turn }).result
  expect(run.sandboxWanted).toBe(wanted)
})

test.each([
  [{ budgetUsd: 0 }, 'a budget of 0 dollars lets nothing run'],
  [{ budgetUsd: Number.NaN }, 'a budget of NaN dollars lets nothing run'],
  [{ instructions: 'a\0b' }, 'there is a NUL character at position 1 of the instructions'],
  [{ maxTurns: 0.5 }, expect.stringContaining('0.5')],
])('U-4 a turn with %j is refused, and nothing is stored', async (options, message) => {
  const { world, reprise, thread } = await open()
  const refused = thread.send('hello', options)
  await expect(refused.result).rejects.toMatchObject({ code: 'bad-input', message })
  expect(await reprise.runs.list()).toEqual([])
  expect(world.runner.journal).toEqual([])
})

test('T-8 instructions hold for the turns after them, until an empty text takes them away', async () => {
  const { world, thread, lastStart } = await open()
  await thread.send('one', { instructions: 'In French.' }).result
  const file = () => {
    const args = lastStart()?.args ?? []
    const at = args.findIndex(arg => arg.startsWith('/kept/'))
    return at < 0 ? null : world.files.text(args[at] ?? '')
  }
  expect(file()).toBe('In French.')
  await thread.send('two').result
  expect(file()).toBe('In French.')
  expect((await thread.show()).instructions).toBe('In French.')
  await thread.send('three', { instructions: '' }).result
  expect(file()).toBeNull()
})

test('T-3 D-3 a fresh session is on the record of its run', async () => {
  const { thread } = await open()
  await thread.send('one').result
  const { run } = await thread.send('two', { freshSession: true }).result
  expect(run).toMatchObject({
    freshSession: true,
    decision: { action: 'replay', reason: { code: 'fresh-asked' } },
  })
})

test('I9 a turn that the store took although it reported an error blocks nobody, and says what to do', async () => {
  let isBroken = true
  const { reprise, thread } = await open([], {
    store: store => ({
      ...store,
      submitAndClaim: async (turn, now, leaseMs) => {
        if (!isBroken) return store.submitAndClaim(turn, now, leaseMs)
        isBroken = false
        await store.submitTurn(turn, now)
        throw new RepriseError('store-unusable', 'the connection broke', 'Try again.')
      },
    }),
  })
  await expect(thread.send('one').result).rejects.toMatchObject({ code: 'store-unusable' })
  const [run] = await reprise.runs.list()
  expect(run).toMatchObject({
    status: 'interrupted',
    failure: {
      class: 'supervisor-died',
      message: 'the connection broke',
      hint: 'Run `reprise doctor` to check the store, then send the prompt again.',
      toolsRan: 0,
    },
  })
  expect((await thread.send('two').result).run.status).toBe('completed')
})

test('C-6 an agent that answers without naming its session is warned about, with the details of the run', async () => {
  const { reprise, thread } = await open([{ do: [{ type: 'noInit' }] }])
  const { run } = await thread.send('hello', { model: 'sonnet' }).result
  const notices = (await reprise.runs.events(run.id)).filter(({ type }) => type === 'notice')
  expect(notices).toMatchObject([
    {
      code: 'no-session-id',
      text: `claude-code answered without naming its session (run ${run.id}, ${run.runtime}, sonnet, /project). If it saved nothing under the id it was given, the next turn begins a new session with the conversation so far.`,
    },
  ])
})

test('S27 a line that is too long is in the log with its size and its beginning, and the turn goes on', async () => {
  const { reprise, thread } = await open(
    [
      {
        do: [
          { type: 'bigLine', bytes: 5_000 },
          { type: 'text', text: 'done' },
        ],
      },
    ],
    { limits: { maxLineBytes: 4_000 } },
  )
  const { run, text } = await thread.send('hello').result
  expect(text).toBe('done')
  const [long] = (await reprise.runs.events(run.id)).filter(({ type }) => type === 'unknown')
  expect(long).toMatchObject({ kind: expect.stringMatching(/^line of 5\d\d\d bytes$/) })
})

test('C-7 a prompt is kept as the agent got it, with its arguments', async () => {
  const { reprise, thread } = await open()
  const first = await thread.send('one').result
  expect(await reprise.runs.prompt(first.run.id)).toMatchObject({ text: 'one', truncated: false })
  const second = await thread.send('two', { freshSession: true }).result
  const kept = await reprise.runs.prompt(second.run.id)
  expect(kept.text).toContain('echo: one')
  expect(kept.arguments.join(' ')).toContain('--session-id')
})

test('V-4 a turn whose session somebody else takes between decision and start decides again', async () => {
  let failures = 1
  const { reprise, thread } = await open([], {
    store: store => ({
      ...store,
      startRun: async (...start) => {
        if (failures-- > 0) throw new RepriseError('busy', 'another run has the session', 'Wait.')
        return store.startRun(...start)
      },
    }),
  })
  const { run } = await thread.send('one').result
  expect(run.status).toBe('completed')
  expect(failures).toBeLessThan(0)
  expect(await reprise.verify()).toEqual([])
})

test('H-2 a session keeps its model when a later turn names none', async () => {
  const { thread, lastStart } = await open()
  await thread.send('one', { model: 'haiku' }).result
  await thread.send('two').result
  const args = lastStart()?.args ?? []
  expect(args[args.indexOf('--model') + 1]).toContain('haiku')
  await thread.send('three', { model: 'opus' }).result
  expect(lastStart()?.args.join(' ')).toContain('--model opus')
})
