// What is special about a run of a chain, as tables: its session, its note, its verdict, its tools and its prompt.
import { describe, expect, test } from 'vitest'
import type { Mandate, Tier } from '../../core/chain/policy.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Run } from '../../core/run/run.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import {
  callFirst,
  deferralOf,
  forbiddenIn,
  noteFor,
  refuseUnguarded,
  type TierContext,
  tierContextOf,
  tierFor,
  turnOf,
  verdictOf,
  withThreshold,
} from './tier-context.ts'

const TASK = 'mend the disk'

const AGENT = {
  name: 'claude-code',
  model: 'of the agent',
  runtime: {},
  adapter: {
    structuredOutput: () => true,
    tools: { aliases: [['Task', 'Agent']], shells: ['Bash'] },
    fence: {
      kind: 'rules',
      modes: ['dontAsk'],
      canGuard: () => true,
      dryRun: { mode: 'plan', tools: ['Read'] },
      unasked: ['Cron', 'Task'],
    },
    park: { stopReason: 'parked', canPark: () => true },
  },
}
const agentWith = (adapter: object = {}) =>
  ({ ...AGENT, adapter: { ...AGENT.adapter, ...adapter } }) as never

const tiersWith = (...changes: Partial<Tier>[]): Mandate => {
  const mandate = sampleMandate()
  const tiers = mandate.policy.tiers.map((tier, at) => ({ ...tier, ...changes[at] }))
  return { ...mandate, policy: { ...mandate.policy, tiers } }
}
const chainOf = (mandate: Mandate) => ({
  id: 'chn_1',
  agent: 'claude-code',
  threadId: 'thr_1',
  workDir: '/project',
  prompt: TASK,
  mandate,
})
const run = (id: string, tier: number, change: object = {}): Run =>
  ({
    id,
    tier,
    chainId: 'chn_1',
    agent: 'claude-code',
    startedAt: 1,
    promptMessageId: `prompt of ${id}`,
    sessionId: `session of ${id}`,
    sessionConfirmedAt: 2,
    verdict: null,
    ...change,
  }) as unknown as Run

type Fenced = { kinds?: readonly string[]; canGuard: () => boolean; guardedVersions?: string }
test.each<[string, Fenced, string | null]>([
  ['a version that asks is held by its questions', { kinds: ['read'], canGuard: () => true }, null],
  [
    'a version that asks nobody is refused',
    { kinds: ['read'], canGuard: () => false, guardedVersions: 'from 2 on, before 3' },
    'measured: from 2 on, before 3 (',
  ],
  ['an agent that obeys rules by itself needs no questions', { canGuard: () => false }, null],
])('E-5 %s', (_, change, problem) => {
  const fence = { ...AGENT.adapter.fence, ...change }
  const refuse = () => refuseUnguarded(agentWith({ fence }))
  if (problem === null) expect(refuse).not.toThrow()
  else
    expect(refuse).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('asks before its calls'),
        hint: expect.stringContaining(problem),
      }),
    )
})

describe('E-3 the run of a tier', () => {
  const contextOf = (asked: Run, runs: readonly Run[], mandate = sampleMandate()) =>
    tierContextOf(
      { store: { chain: async () => chainOf(mandate), runsOfChain: async () => runs } } as never,
      asked,
      agentWith(),
    )

  test('enters it when no run of the tier began before', async () => {
    const asked = run('now', 2)
    const before = [
      run('below', 1),
      run('never began', 2, { startedAt: null }),
      run('the same turn', 2, { promptMessageId: 'prompt of now' }),
    ]
    const context = await contextOf(asked, [...before, asked])
    expect(context?.purpose).toEqual({ kind: 'chain', tier: 2, enters: true, ownSessions: [] })
  })

  test('goes on in it, in the confirmed sessions of the tier, when one did', async () => {
    const asked = run('now', 2)
    const before = [
      run('below', 1),
      run('first', 2),
      run('unsaved', 2, { sessionConfirmedAt: null }),
      run('nameless', 2, { sessionId: null }),
    ]
    const context = await contextOf(asked, [...before, asked])
    expect(context?.purpose).toMatchObject({ enters: false, ownSessions: ['session of first'] })
  })

  test('E-16 knows the agent of the tier below if that is another one, and which sessions lie below that tier', async () => {
    const asked = run('now', 3)
    const before = [run('first', 1), run('nameless', 1, { sessionId: null })]
    const other = run('second', 2, { agent: 'codex' })
    expect((await contextOf(asked, [...before, other, asked]))?.purpose).toMatchObject({
      agentBelow: 'codex',
      handedOver: ['session of first'],
    })
    const same = await contextOf(asked, [...before, run('second', 2), asked])
    expect(same?.purpose).not.toHaveProperty('agentBelow')
    const lowest = await contextOf(run('now', 1), [run('now', 1)])
    expect(lowest?.purpose).not.toHaveProperty('handedOver')
  })

  test.each([
    [0.5, 0.7, 0.5],
    [null, 0.7, 0.7],
    [null, null, null],
  ])(
    'D-6 has the threshold of its tier (%j) before that of its policy (%j)',
    async (own, all, expected) => {
      const mandate = tiersWith({}, { contextThreshold: own })
      const policy = { ...mandate.policy, contextThreshold: all }
      const context = await contextOf(run('now', 2), [], { ...mandate, policy })
      expect(context?.contextThreshold).toBe(expected)
      expect(context?.tier.name).toBe('two')
    },
  )

  test('outside of chains is nothing special', async () => {
    expect(await contextOf(run('now', 1, { chainId: null }), [])).toBeNull()
    const gone = { store: { chain: async () => null } } as never
    expect(await tierContextOf(gone, run('now', 1), agentWith())).toBeNull()
  })
})

test('D-6 the environment goes over the policy, and the policy over the config', () => {
  const settings = (fromEnvironment: object) =>
    ({ resume: { contextThreshold: 0.8, mode: 'auto' }, fromEnvironment }) as never
  const context = (contextThreshold: number | null) => ({ contextThreshold }) as TierContext
  expect(withThreshold(settings({}), context(0.5))).toMatchObject({
    contextThreshold: 0.5,
    mode: 'auto',
  })
  expect(withThreshold(settings({}), context(null)).contextThreshold).toBe(0.8)
  expect(withThreshold(settings({}), null).contextThreshold).toBe(0.8)
  const given = settings({ contextThreshold: 0.9 })
  expect(withThreshold(given, context(0.5)).contextThreshold).toBe(0.9)
})

describe('E-6 a handover note', () => {
  const call = (command: string) => ({
    id: command,
    name: 'Bash',
    input: JSON.stringify({ command }),
    result: `result of ${command}`,
    isError: false,
  })
  const answer = (runId: string | null, command: string, role = 'assistant') =>
    ({ role, text: command, runId, tools: [call(command)], interrupted: false }) as never
  const verdict = (reason: string) => ({
    verdict: 'escalate',
    summary: reason,
    reason,
    findings: [],
  })

  test('holds what the tiers below did and found, and nothing of others', () => {
    const runs = [
      run('a', 1, { verdict: verdict('first look') }),
      run('b', 1, { verdict: verdict('second look') }),
      run('c', 1),
      run('d', 2),
      run('e', 3),
    ]
    const branch = [
      answer('a', 'df'),
      answer('b', 'du'),
      answer('d', 'top'),
      answer('a', 'asked', 'user'),
      answer(null, 'of nobody'),
      answer('elsewhere', 'of another'),
    ]
    const note = noteFor({ chain: chainOf(sampleMandate()), runs } as never, branch)
    expect(note).toMatchObject({
      task: TASK,
      tiers: [
        { tier: 1, name: 'one', summary: 'second look' },
        { tier: 2, name: 'two' },
      ],
    })
    const of = (at: number) => JSON.stringify(note?.tiers[at])
    for (const part of ['df', 'du']) expect(of(0)).toContain(`result of ${part}`)
    expect(of(1)).toContain('result of top')
    for (const part of ['asked', 'of nobody', 'of another', 'first look', 'of top'])
      expect(of(0)).not.toContain(part)
  })
})

describe('E-2 the verdict of a run', () => {
  const context = { form: 'structured' } as TierContext
  const structured = { verdict: 'resolved', summary: 'well', reason: 'r', findings: [] }
  const observed = (change: object) =>
    ({ ...newObservation(), result: { structured, text: null }, ...change }) as never
  const parked = { tool: 'Bash', input: `{"password":"hunter2","x":"${'y'.repeat(400)}"}` }

  test('is what a completed run gave, and that of no other', () => {
    const read = verdictOf(context, { kind: 'completed' } as never, observed({}))
    expect(read).toMatchObject({ read: 'verdict', verdict: { verdict: 'resolved' } })
    expect(verdictOf(context, { kind: 'failed' } as never, observed({}))).toBeNull()
    const silent = observed({ result: null })
    expect(verdictOf(context, { kind: 'completed' } as never, silent)).toBeNull()
  })

  test('E-10 S21 is to go up, when a call above the tier was parked; its words have no secret', () => {
    const read = verdictOf(context, { kind: 'completed' } as never, observed({ parked }))
    expect(read).toMatchObject({
      read: 'verdict',
      verdict: {
        verdict: 'escalate',
        summary: expect.stringMatching(/^The call waits for the next tier: Bash /),
        reason: expect.stringMatching(/^a call is above this tier, and parked: Bash /),
        findings: [],
      },
    })
    const text = JSON.stringify(read)
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain('y'.repeat(301))
  })
})

test('E-10 the next tier begins with the call at which the session below waits', async () => {
  const asked: string[] = []
  const parkedCall = async (id: string) => {
    asked.push(id)
    return { toolUseId: 't' }
  }
  const dependencies = { store: { parkedCall } } as never
  const runs = [run('a', 1), run('b', 1, { sessionId: 'session of a' }), run('c', 1)]
  const source = (lastStopReason: string, sessionId = 'session of a') =>
    ({ lastStopReason, sessionId }) as never
  const first = (from: never) =>
    callFirst(dependencies, { runs } as never, { agent: agentWith(), source: from })
  expect(await first(source('parked'))).toEqual({ toolUseId: 't' })
  expect(asked).toEqual(['b'])
  expect(await first(source('end_turn'))).toBeNull()
  expect(await first(source('parked', 'of nobody'))).toBeNull()
  expect(await first(null as never)).toBeNull()
})

test('E-10 calls for the next tier are parked only where the policy says so and the agent can', () => {
  const mandate = tiersWith({}, { allowedTools: ['Write'] })
  const defers = { ...mandate, policy: { ...mandate.policy, whenForbidden: 'defer' as const } }
  const parks = (given: Mandate, adapter = {}) =>
    deferralOf({ chain: chainOf(given), purpose: { tier: 1 } } as never, agentWith(adapter))
  expect(parks(defers)?.tools).toContain('Write')
  expect(parks(mandate)).toBeNull()
  expect(parks(defers, { park: { canPark: () => false } })).toBeNull()
  expect(parks(defers, { park: undefined })).toBeNull()
})

test('E-10 E-16 no call is parked for a tier that has another agent', () => {
  const parks = (agent: string) => {
    const mandate = tiersWith({}, { allowedTools: ['Write'], agent })
    const policy = { ...mandate.policy, whenForbidden: 'defer' as const }
    const chain = chainOf({ ...mandate, policy })
    return deferralOf({ chain, purpose: { tier: 1 } } as never, agentWith())
  }
  expect(parks('claude-code')).not.toBeNull()
  expect(parks('codex')).toBeNull()
})

describe('E-5 the tools of a tier', () => {
  test('are those of the policy; tools that ask nobody are forbidden by name, under all their names', () => {
    const tier = { allowedTools: ['Read', 'Agent(x)'], disallowedTools: ['Write', 'Cron'] } as never
    expect(forbiddenIn(tier, agentWith())).toEqual(['Write', 'Cron'])
    const without = { allowedTools: [], disallowedTools: ['Write'] } as never
    expect(forbiddenIn(without, agentWith())).toEqual(['Write', 'Cron', 'Task'])
  })

  test('E-13 in a dry run are those of the first that only look, in the mode of a dry run', () => {
    const mandate = tiersWith({ allowedTools: ['Read', 'Write', 'Bash(ls:*)'] })
    expect(tierFor(mandate, 2, agentWith()).permissionMode).toBe('dontAsk')
    const dry = tierFor({ ...mandate, dryRun: true }, 2, agentWith())
    expect(dry.permissionMode).toBe('plan')
    expect(dry.allowedTools).toContain('Read')
    expect(dry.allowedTools).not.toContain('Write')
    const fence = { ...AGENT.adapter.fence, canGuard: () => false }
    const unguarded = tierFor({ ...mandate, dryRun: true }, 2, agentWith({ fence }))
    expect(unguarded.allowedTools.some(rule => rule.startsWith('Bash'))).toBe(false)
  })
})

describe('E-3 E-4 the turn of a tier', () => {
  const dependencies = {
    random: { id: (prefix: string) => `${prefix}_1`, promptMark: () => 'MARK' },
    clock: { now: () => 77 },
    owner: { pid: 1 },
  } as never
  const turn = (step: object, more: object = {}) =>
    turnOf(dependencies, {
      chain: chainOf(
        tiersWith(
          {},
          {
            model: 'opus',
            permissionMode: 'plan',
            allowedTools: ['Read'],
            disallowedTools: ['Write'],
            trust: 'user',
            sandbox: 'none',
          },
        ),
      ),
      agent: agentWith(),
      step,
      runId: 'run_1',
      parentRunId: 'run_0',
      ...more,
    } as never)

  test('has model, mode, tools and trust of its own tier', () => {
    expect(turn({ kind: 'enter', tier: 2 })).toMatchObject({
      run: {
        id: 'run_1',
        agent: 'claude-code',
        model: 'opus',
        threadId: 'thr_1',
        workDir: '/project',
        permissionMode: 'plan',
        allowedTools: ['Read'],
        disallowedTools: ['Write', 'Cron', 'Task'],
        trust: 'user',
        sandboxWanted: 'none',
        freshSession: false,
        questions: 'none',
        chainId: 'chn_1',
        tier: 2,
        parentRunId: 'run_0',
      },
      message: {
        id: 'msg_1',
        role: 'user',
        agent: null,
        tools: [],
        interrupted: false,
        runId: 'run_1',
        createdAt: 77,
      },
      owner: { pid: 1 },
    })
    expect(turn({ kind: 'enter', tier: 1 }).run.model).toBe('of the agent')
    expect(turn({ kind: 'enter', tier: 2 }).run).not.toHaveProperty('attempt')
    expect(turn({ kind: 'enter', tier: 2 }, { attempt: 3 }).run.attempt).toBe(3)
  })

  test('E-16 asks for the verdict in the form of its own agent', () => {
    const text = (adapter: object) =>
      turn({ kind: 'enter', tier: 2 }, { agent: agentWith(adapter) }).message.text
    expect(text({})).toContain('as structured output')
    expect(text({ structuredOutput: () => false })).toContain('```json')
  })

  test('says the task in the first tier, only the tier in a higher one, and what happened when it was broken off', () => {
    const textOf = (step: object, more?: object) => turn(step, more).message.text
    expect(textOf({ kind: 'enter', tier: 1 })).toContain(TASK)
    expect(textOf({ kind: 'enter', tier: 2 })).not.toContain(TASK)
    expect(textOf({ kind: 'enter', tier: 2 })).toContain('tier 2')
    const asking = textOf({ kind: 'ask-verdict', tier: 1 })
    expect(asking).not.toContain(TASK)
    expect(asking).not.toBe(textOf({ kind: 'enter', tier: 2 }))
    const interruption = { happened: 'agent-crashed', attempt: 2, openCalls: [] }
    expect(textOf({ kind: 'continue', tier: 1 }, { interruption })).toContain('attempt 2')
    expect(textOf({ kind: 'continue', tier: 1 }, { interruption: null })).toContain(TASK)
  })
})
