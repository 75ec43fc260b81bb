// What is stored when a run starts, and what is undone when it does not, on the fake agent in this process.
import { expect, test } from 'vitest'
import {
  eventually,
  type ProcessOptions,
  processes,
  START,
} from '../../../test/simulated/processes.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import { hashOf } from '../../core/conversation/messages.ts'
import { DEFAULT_RESUME } from '../../core/decide/settings.ts'
import { RepriseError } from '../../errors.ts'
import type { RunStart } from '../../store/contract/runs.ts'
import { NO_TRACING } from '../../telemetry/tracing.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { beforePrompt } from './plan.ts'

/** A thread, and every start of a run that reaches the store. */
async function open(script: FakeScript = [], options: ProcessOptions = {}) {
  const world = await processes(script)
  const starts: RunStart[] = []
  const { reprise } = world.open({
    ...options,
    store: store => ({
      ...store,
      startRun: (lease, start) => {
        starts.push(start)
        return store.startRun(lease, start)
      },
    }),
  })
  const thread = await reprise.threads.create({ workDir: '/project' })
  return { world, reprise, thread, starts }
}

const typesOf = ({ events }: RunStart) => events.map(({ type, at }) => [type, at])

test('C-5 C-7 a first turn stores its new session, its decision and its prompt before the agent starts', async () => {
  const { thread, starts, world } = await open()
  const { run } = await thread.send('one', { model: 'sonnet' }).result
  const [start] = starts
  if (!start) throw new Error('no run was started')
  expect(start).toMatchObject({
    ...{ runId: run.id, startedAt: START, workDir: '/project', model: 'sonnet' },
    ...{ runtime: expect.stringContaining('/bin/agent'), resumeSettings: DEFAULT_RESUME },
    decision: { action: 'start', reason: { code: 'first-turn' } },
    facts: { agent: 'claude-code', viewLength: 0, sessions: [], freshSession: false },
    newSession: { sessionId: run.sessionId, workDir: '/project', model: 'sonnet' },
    ...{ handoverNote: null, leftAsking: null, sandbox: 'none', sandboxNote: null },
    ...{ processRunId: run.id, answerTo: null, estimate: null },
    mark: { path: null, sizeBytes: 0, costUsd: 0 },
    prompt: { text: 'one' },
  })
  expect(start.session).toBe(start.newSession?.id)
  expect(typesOf(start)).toEqual([['started', START]])
  expect(JSON.parse(start.events[0]?.json ?? '{}').decision).toEqual(start.decision)
  expect(world.runner.journal[0]?.args).toContain(run.sessionId)
})

test('D-1 M-1 a second turn stores the session that it resumes, where its file ends, and what it is expected to use', async () => {
  const { thread, starts, world } = await open()
  const first = await thread.send('one').result
  await thread.send('two').result
  const [, start] = starts
  const path = world.files.paths().find(name => name.includes(first.run.sessionId ?? '?')) ?? ''
  expect(start).toMatchObject({
    decision: { action: 'resume', session: { sessionId: first.run.sessionId } },
    facts: { viewLength: 2, sessions: [{ sessionId: first.run.sessionId }] },
    newSession: null,
    mark: { path },
    // It keeps the model that has answered.
    model: first.run.model,
  })
  expect(start?.session).toBe(starts[0]?.session)
  expect(start?.mark.sizeBytes).toBeGreaterThan(0)
  expect(start?.estimate?.tokens).toBeGreaterThan(0)
  expect(start?.prompt.text).toMatch(/two$/)
})

test('D-8 settings of a project are those of its runs', async () => {
  const { thread, starts } = await open([], { resume: { mode: 'never', contextThreshold: 0.5 } })
  await thread.send('one').result
  expect(starts[0]?.resumeSettings).toEqual({
    ...DEFAULT_RESUME,
    mode: 'never',
    contextThreshold: 0.5,
  })
})

test('S21 the arguments on record hold no secret of the environment', async () => {
  const env = { CLAUDE_CONFIG_DIR: '/config', API_TOKEN: 'secretly-sonnet' }
  const agent = claudeCode({ executable: '/bin/agent', env })
  const { reprise, thread } = await open([], { agents: [agent] })
  const { run } = await thread.send('one', { model: 'secretly-sonnet' }).result
  const { arguments: args } = await reprise.runs.prompt(run.id)
  expect(args.join(' ')).toContain('--model [redacted]')
})

test('E-13 a run that asked for a sandbox where there is none says so in its record and in its log', async () => {
  const { world, thread, starts } = await open()
  const testSandbox = async () => ({ works: false, reason: 'no namespaces here' })
  Object.assign(world.runner, { testSandbox })
  await thread.send('one', { sandbox: 'auto' }).result
  const [start] = starts
  expect(start?.sandbox).toBe('none')
  expect(start?.sandboxNote).toContain('no namespaces here')
  expect(start && typesOf(start)).toEqual([
    ['started', START],
    ['notice', START],
  ])
})

test('I1 a fault of the store that is no sign of others is not waited out', async () => {
  const world = await processes()
  let starts = 0
  const { reprise } = world.open({
    store: store => ({
      ...store,
      startRun: async () => {
        starts += 1
        throw new RepriseError('store-full', 'no space', 'Make room.')
      },
    }),
  })
  const thread = await reprise.threads.create({ workDir: '/project' })
  await expect(thread.send('one').result).rejects.toMatchObject({ code: 'store-full' })
  expect([starts, world.runner.journal]).toEqual([1, []])
})

test.each(['store', 'trace', 'store, and the disk,'])(
  'W-3 a run that does not start says why, and its written session is removed where that is possible: %s fails',
  async what => {
    const world = await processes()
    let isFull = false
    const failsIn = (where: string) => {
      if (isFull && what.startsWith(where)) throw new RepriseError('store-full', 'no space', '')
      return null
    }
    const remove = async (path: string) => {
      if (what.endsWith('disk,')) throw new Error('EROFS')
      await world.files.remove(path)
    }
    const { reprise } = world.open({
      dependencies: {
        fileWriter: { write: world.files.write, remove },
        tracing: { ...NO_TRACING, begin: async () => failsIn('trace') },
      },
      store: store => ({
        ...store,
        startRun: async (...start) => {
          failsIn('store')
          return store.startRun(...start)
        },
      }),
    })
    const thread = await reprise.threads.create({ workDir: '/project' })
    await thread.send('one', { model: 'sonnet' }).result
    const before = world.files.paths()
    isFull = true
    const late = thread.send('two', { model: 'sonnet', freshSession: true })
    await expect(late.result).rejects.toMatchObject({ code: 'store-full' })
    const left = world.files.paths().length - before.length
    expect(left).toBe(what.endsWith('disk,') ? 1 : 0)
  },
)

test('W-3 F-3 a job that must continue its session writes none when that session is gone', async () => {
  const world = await processes([
    {
      when: 'new',
      do: [
        { type: 'tool', name: 'Bash', input: { command: 'x' }, result: 'done' },
        { type: 'killSelf', signal: 'SIGKILL' },
      ],
    },
  ])
  const { reprise } = world.open({ workers: 1, dependencies: { fileWriter: world.files } })
  const { id } = await reprise.jobs.submit({
    ...{ prompt: 'work', workDir: '/project', model: 'sonnet', checkpoints: 'off' },
    ...{ onSideEffects: 'stop', backoff: { firstMs: 1_000, jitter: 0 } },
  })
  const becomes = (status: string) =>
    eventually(async () => {
      const job = await reprise.jobs.get(id)
      if (job.status !== status) world.clock.pass(status === 'dead' ? 1_000 : 0)
      return job.status
    }).toBe(status)
  await becomes('waiting')
  const sessions = () => world.files.paths().filter(path => path.endsWith('.jsonl'))
  for (const path of sessions()) await world.files.remove(path)
  const before = world.files.paths()
  await becomes('dead')
  const [, last] = (await reprise.jobs.get(id)).attempts
  expect(last).toMatchObject({ failure: { class: 'not-continued' } })
  expect(world.files.paths()).toEqual(before)
})

test('D-4 what comes before a prompt is the branch up to it, or all of a branch that does not hold it', () => {
  const message = (id: string) => ({ id, hash: hashOf({ role: 'user', agent: null, text: id }) })
  const branch = ['a', 'b', 'c'].map(message) as never
  const before = (id: string) => beforePrompt(branch, message(id) as never).map(one => one.id)
  expect([before('a'), before('c'), before('x')]).toEqual([[], ['a', 'b'], ['a', 'b', 'c']])
})
