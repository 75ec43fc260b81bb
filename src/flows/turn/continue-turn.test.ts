// The one step with an agent that does not do what was expected, on the fake agent in this process.
import { expect, onTestFinished, test } from 'vitest'
import { openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
import { eventually } from '../../../test/simulated/processes.ts'
import { openThreads } from '../../../test/simulated/thread-world.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import { RepriseError } from '../../errors.ts'
import { createReprise } from '../../reprise.ts'
import type { RepriseOptions } from '../../reprise-options.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { createFakeRunner, type FakeRunner } from '../../testing/fake-runner.ts'
import { smallWorld } from '../../testing/in-process-agent.ts'

type Start = FakeRunner['start']

async function world(script: FakeScript = [], options: Partial<RepriseOptions> = {}) {
  const files = await smallWorld()
  const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const agent = claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })
  const reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [agent],
    timing: { queuePollMs: 5, eventBatchMs: 2, renewMs: 20, followPollMs: 5 },
    dependencies: { runner, files, keepText: async () => '/kept' },
    ...options,
  })
  onTestFinished(() => reprise.close())
  const thread = await reprise.threads.create({ workDir: '/project' })
  /** What happens between the decision and the start of the agent. */
  const beforeStart = (act: (...started: Parameters<Start>) => Promise<Parameters<Start>>) => {
    const start = runner.start.bind(runner)
    Object.assign(runner, {
      start: async (...started: Parameters<Start>) => start(...(await act(...started))),
    })
  }
  return { files, runner, reprise, thread, beforeStart }
}

test('C-1 an agent that works in a session of its own choice is resumed in that one', async () => {
  const { thread, runner } = await world([{ when: 'one', do: [{ type: 'wrongId' }] }])
  const first = await thread.send('one').result
  const asked = runner.journal[0]?.args ?? []
  expect(first.run.sessionId).not.toBeNull()
  expect(asked).not.toContain(first.run.sessionId)
  const { sessions } = await thread.show()
  expect(sessions.find(({ sessionId }) => sessionId === first.run.sessionId)).toMatchObject({
    pointer: 'confirmed',
    workDir: '/project',
    agent: 'claude-code',
  })
  const { run } = await thread.send('two').result
  expect(run).toMatchObject({ decision: { action: 'resume' }, sessionId: first.run.sessionId })
  expect((await thread.show()).sessions).toHaveLength(sessions.length)
})

test('C-1 T-8 a session of the agent’s own choice has an id of ours, and the instructions of its turn', async () => {
  const { reprise, thread } = await world([{ when: 'one', do: [{ type: 'wrongId' }] }])
  const { run } = await thread.send('one', { instructions: 'In French.' }).result
  const usual = await reprise.threads.create({ workDir: '/project' })
  await usual.send('two', { instructions: 'In French.' }).result
  const [expected] = (await usual.show()).sessions
  const chosen = (await thread.show()).sessions.find(({ sessionId }) => sessionId === run.sessionId)
  expect(chosen?.id).toMatch(/^ses_/)
  expect(chosen?.instructionsHash).not.toBeNull()
  expect(chosen?.instructionsHash).toBe(expected?.instructionsHash)
})

test('C-3 F-2 a session that the agent began instead of a resume is no session of the thread', async () => {
  const { thread, reprise } = await world([{ when: 'resume', do: [{ type: 'wrongId' }] }])
  await thread.send('one').result
  await thread.send('two').result
  const runs = await reprise.runs.list({ threadId: thread.id })
  expect(runs.map(({ failure }) => failure?.class ?? null)).toContain('resume-refused')
  const { sessions } = await thread.show()
  const decided = runs.filter(({ decision }) => decision?.action !== 'resume')
  expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(
    decided.map(({ sessionId }) => sessionId).toSorted(),
  )
})

test('U-3 the agent is started with the limits of Reprise, and those of a job go over them', async () => {
  const seen: Parameters<Start>[2][] = []
  const { thread, beforeStart } = await world([], { limits: { silenceMs: 1_234, drainMs: 77 } })
  beforeStart(async (...started) => {
    seen.push(started[2])
    return started
  })
  await thread.send('one').result
  expect(seen).toMatchObject([{ silenceMs: 1_234, drainMs: 77 }])
  expect(seen[0]?.totalMs).toBeGreaterThan(0)
})

test('U-4 a program that is gone when it shall start fails the run, which says so; the next turn works', async () => {
  const { thread, files, beforeStart } = await world()
  const program = await files.read('/bin/agent')
  let starts = 0
  beforeStart(async (...started) => {
    starts += 1
    if (starts === 1) await files.remove('/bin/agent')
    return started
  })
  const { run, text } = await thread.send('one').result
  expect(run).toMatchObject({ status: 'failed', failure: { class: 'spawn-failed', toolsRan: 0 } })
  expect(run.failure?.message).toContain('/bin/agent')
  expect(run.failure?.hint).not.toBe('')
  expect(text).toBe('')
  await files.write('/bin/agent', program ?? '')
  expect((await thread.send('two').result).run.status).toBe('completed')
})

test('F-1 a fault of our own is no failure of the agent: the caller gets it, and the run blocks nobody', async () => {
  const { thread, reprise, beforeStart } = await world()
  let starts = 0
  beforeStart(async (...started) => {
    starts += 1
    if (starts === 1) throw new Error('a fault of our own')
    return started
  })
  await expect(thread.send('one').result).rejects.toThrow('a fault of our own')
  const [run] = await reprise.runs.list()
  expect(run?.status).toBe('interrupted')
  expect(run?.failure?.class).not.toBe('spawn-failed')
  expect((await thread.send('two').result).run.status).toBe('completed')
})

test('F-1 nor is an error of Reprise that says nothing about the agent', async () => {
  const { thread, reprise, beforeStart } = await world()
  beforeStart(() => Promise.reject(new RepriseError('conflict', 'somebody was faster', 'Look.')))
  await expect(thread.send('one').result).rejects.toMatchObject({ code: 'conflict' })
  const [run] = await reprise.runs.list()
  expect(run?.status).toBe('interrupted')
  expect(run?.failure?.class).not.toBe('spawn-failed')
})

test('a program that works without naming its version is not probed again', async () => {
  const { thread, runner } = await world([{ when: 'one', do: [{ type: 'noInit' }] }])
  const probes: string[] = []
  const probe = runner.probe.bind(runner)
  await thread.send('zero').result
  Object.assign(runner, {
    probe: (...asked: Parameters<FakeRunner['probe']>) => {
      probes.push(asked[0])
      return probe(...asked)
    },
  })
  await thread.send('one').result
  await thread.send('two').result
  expect(probes).toEqual([])
})

test.each([
  ['says that it is another version', '2.1.326', 'completed'],
  ['does not know a flag', '2.1.197', 'failed'],
])(
  'a wrapper whose program %s is probed again before the next turn',
  async (_, version, status) => {
    const { thread, runner, beforeStart } = await world()
    let probes = 0
    const probe = runner.probe.bind(runner)
    Object.assign(runner, {
      probe: (...asked: Parameters<FakeRunner['probe']>) => {
        probes += 1
        return probe(...asked)
      },
    })
    await thread.send('one').result
    beforeStart(async (command, ...rest) => [
      { ...command, env: { ...command.env, FAKE_AGENT_VERSION: version } },
      ...rest,
    ])
    expect((await thread.send('two').result).run.status).toBe(status)
    expect(probes).toBe(0)
    await thread.send('three').result
    expect(probes).toBeGreaterThan(0)
  },
)

test('E-13 a run that must have a sandbox where none works starts nothing, and says why', async () => {
  const { thread, runner, reprise } = await world()
  const testSandbox = async () => ({ works: false, reason: 'no namespaces', hint: 'Allow them.' })
  Object.assign(runner, { testSandbox })
  const { run } = await thread.send('one', { sandbox: 'bwrap' }).result
  expect(run).toMatchObject({
    ...{ status: 'failed', sandbox: 'none' },
    failure: { class: 'spawn-failed', toolsRan: 0, message: expect.stringContaining('namespaces') },
  })
  expect(run.sandboxNote).toBe(run.failure?.message)
  expect(runner.journal).toEqual([])
  expect((await reprise.runs.events(run.id)).map(({ type }) => type)).toEqual(['started', 'ended'])
})

test('M-2 a turn that has used up its budget is stopped, and its failure says so', async () => {
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 90_000 }
  const { thread } = await world([
    { do: [{ type: 'billed', usage }, { type: 'text', text: 'half' }, { type: 'hang' }] },
  ])
  const { run } = await thread.send('one', { budgetUsd: 0.01 }).result
  expect(run).toMatchObject({
    ...{ status: 'failed', exit: { endedBy: 'budget' } },
    failure: { class: 'budget', toolsRan: 0, resetsAt: null },
  })
  expect(run.failure?.message).toMatch(/budget .* is spent: \$/)
})

test('F-2 U-3 the run that follows a refused resume can be cancelled by its own id', async () => {
  const {
    world: simulated,
    reprise,
    create,
  } = await openThreads([
    { when: 'resume', do: [{ type: 'refuseResume' }] },
    { when: 'two', do: [{ type: 'hang' }] },
  ])
  const thread = await create()
  await thread.send('one').result
  const turn = thread.send('two')
  const { runId: refused } = await turn.submitted
  await eventually(() => simulated.runner.running.some(id => id !== refused)).toBe(true)
  const [second = ''] = simulated.runner.running
  await reprise.runs.cancel(second)
  expect((await turn.result).run).toMatchObject({ id: second, status: 'cancelled' })
})

test('F-1 a run that Reprise stopped says so, also when Reprise dies before it can record the end', async () => {
  const {
    world: simulated,
    create,
    die,
  } = await openThreads([{ do: [{ type: 'hang' }] }], {
    store: store => ({ ...store, endRun: () => new Promise(() => {}) }),
  })
  const turn = (await create()).send('one')
  const { runId } = await turn.submitted
  await eventually(() => simulated.runner.running).toEqual([runId])
  void turn.cancel()
  await eventually(() => simulated.runner.running).toEqual([])
  die()
  const { reprise: other } = simulated.open({ keepQueue: true })
  await eventually(async () => (await other.runs.get(runId)).status).toBe('interrupted')
  expect((await other.runs.get(runId)).exit).toMatchObject({ endedBy: 'cancelled' })
})

test('J-10 a run without its work tree starts nothing, and says why', async () => {
  const { runner, reprise } = await world()
  const thread = await reprise.threads.create({ workspace: { repository: '/no/such/repository' } })
  const { run } = await thread.send('one').result
  expect(run).toMatchObject({
    status: 'failed',
    failure: { class: 'spawn-failed', toolsRan: 0, resetsAt: null },
  })
  expect(run.failure?.message).toContain('/no/such/repository')
  expect(run.failure?.hint).not.toBe('')
  expect(runner.journal).toEqual([])
})

test.each([
  ['fails when no policy names it', [], 'failed'],
  ['is done when its policy names it', ['files'], 'resolved'],
] as const)(
  'E-12 a chain in which an MCP server of somebody’s settings takes part %s',
  async (_, mcpServers, status) => {
    const { start } = await openChains([
      { do: [{ type: 'strangers', servers: ['files'] }, verdict('resolved')] },
    ])
    const chain = await start({ policy: policyWith({ mcpServers }) }).result
    expect(chain.status).toBe(status)
  },
)
