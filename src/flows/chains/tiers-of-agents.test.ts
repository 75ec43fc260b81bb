// Chains whose tiers have different agents, on two agents in this process: who gets what, who pays, and what is refused.
import { describe, expect, test } from 'vitest'
import { CLIMBS, openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
import { plainAgent } from '../../../test/simulated/plain-agent.ts'
import { eventually } from '../../../test/simulated/processes.ts'
import { acp } from '../../agents/acp.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import type { Chain } from '../../api.ts'
import type { Policy, Tier } from '../../core/chain/policy.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const AGENTS = [
  claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } }),
  plainAgent(),
  acp({ name: 'gemini', command: ['/bin/agent', '--acp'] }),
]
const PLAIN: Partial<Tier> = { agent: 'plain', trust: 'project' }

/** Claude Code, then the plain agent, then Claude Code again, unless a test says otherwise. */
const mixed = (change: Partial<Policy> = {}, ...tiers: Partial<Tier>[]): Policy =>
  policyWith({
    tiers: sampleMandate().policy.tiers.map((tier, at) => ({
      ...tier,
      ...((tiers.length > 0 ? tiers : [{}, PLAIN, {}])[at] ?? {}),
    })),
    ...change,
  })

const open = (script: FakeScript = CLIMBS) => openChains(script, { agents: AGENTS })
const actionsOf = ({ runs }: Chain) => runs.map(run => run.decision?.action)
const found = (word: string): ScriptStep => ({ type: 'text', text: `I found ${word}.` })
const timesIn = (text: string, word: string) => text.split(word).length - 1

describe('E-16 a chain whose tiers have different agents', () => {
  test('D-2 each tier hears all that was found, and nothing twice: a note for another agent, a fork for the same one', async () => {
    const { world, start } = await open([
      { when: 'as tier 3', do: [verdict('resolved')] },
      { when: 'as tier 2', do: [found('CHERRY'), verdict('escalate')] },
      { do: [found('BANANA'), verdict('escalate')] },
    ])
    const chain = await start({ policy: mixed(), prompt: 'look at APPLE' }).result
    expect(chain).toMatchObject({ status: 'resolved', agent: 'claude-code' })
    expect(chain.runs.map(({ agent }) => agent)).toEqual(['claude-code', 'plain', 'claude-code'])
    expect(actionsOf(chain)).toEqual(['start', 'handover', 'fork'])
    expect(chain.runs[1]?.decision).toMatchObject({
      reason: { code: 'tier-agent-changed', tier: 2, was: 'claude-code', now: 'plain' },
    })
    const [one, two, three] = world.runner.journal.map(({ history, prompt }) => ({
      heard: [...history.map(({ text }) => text), prompt].join('\n'),
      prompt,
      history,
    }))
    expect(two?.prompt).toContain('The session of tier 1 (one) belongs to another agent.')
    expect(timesIn(two?.heard ?? '', 'APPLE')).toBe(1)
    expect(two?.history).toEqual([])
    // The third tier goes on in a copy of the session of the first, and hears only of the second.
    for (const word of ['APPLE', 'BANANA', 'CHERRY']) {
      expect(timesIn(three?.heard ?? '', word), word).toBe(1)
    }
    expect(timesIn(three?.prompt ?? '', 'BANANA')).toBe(0)
    expect(one?.history).toEqual([])
    expect(chain.runs[2]?.sessionId).not.toBe(chain.runs[0]?.sessionId)
  })

  test('M-4 the preview says how the conversation would reach the agent of each tier', async () => {
    const { reprise } = await open()
    const preview = await reprise.chains.preview({
      ...{ policy: mixed(), prompt: 'check', workDir: '/project' },
    })
    expect(preview.tiers.map(({ agent, ways }) => [agent, ways[0]?.way])).toEqual([
      ['claude-code', 'start'],
      ['plain', 'note'],
      ['claude-code', 'fork'],
    ])
  })

  test('each agent gets its own mode and gives its verdict in its own form', async () => {
    const { world, start } = await open()
    const tiers = [{}, { ...PLAIN, permissionMode: 'plan' }, {}]
    const chain = await start({ policy: mixed({}, ...tiers) }).result
    expect(chain.runs.map(({ permissionMode }) => permissionMode)).toEqual([
      'dontAsk',
      'plan',
      'dontAsk',
    ])
    expect(world.runner.journal.map(({ args }) => args.includes('--json-schema'))).toEqual([
      true,
      false,
      true,
    ])
    expect(chain.runs[1]?.verdict).toMatchObject({ verdict: 'escalate', reason: 'because' })
  })

  test('E-8 M-1 the cost of a tier is not reported where its agent does not say it, and the total says that it lacks a part', async () => {
    const { reprise, start } = await open()
    const chain = await start({ policy: mixed() }).result
    const [one, two, three] = chain.byTier
    expect(two).toMatchObject({ agent: 'plain', costUsd: null, runsWithoutCost: 1 })
    expect(two?.tokens).toBeGreaterThan(0)
    for (const tier of [one, three]) expect(tier).toMatchObject({ runsWithoutCost: 0 })
    expect(chain.totals).toMatchObject({ runsWithoutCost: 1 })
    expect(chain.totals.costUsd).toBeCloseTo((one?.costUsd ?? 0) + (three?.costUsd ?? 0))
    expect(chain.tiers.map(({ agent }) => agent)).toEqual(['claude-code', 'plain', 'claude-code'])
    expect((await reprise.chains.list())[0]?.totals).toEqual(chain.totals)
  })

  test('the agent of the caller is that of the tiers that name none', async () => {
    const { start } = await open()
    const policy = mixed({ agent: 'plain' }, PLAIN, { agent: 'claude-code' }, PLAIN)
    const tiers = policy.tiers.map(({ agent, ...tier }) =>
      agent === 'plain' ? tier : { ...tier, agent: 'claude-code' },
    )
    const chain = await start({ policy: { ...policy, tiers } }).result
    expect(chain.agent).toBe('plain')
    expect(chain.byTier.map(({ agent }) => agent)).toEqual(['plain', 'claude-code', 'plain'])
    expect(actionsOf(chain)).toEqual(['start', 'handover', 'fork'])
  })

  test('E-2 a person lets it into a tier of another agent', async () => {
    const { reprise, start } = await open()
    const held = await start({ policy: mixed({}, {}, { ...PLAIN, approval: 'ask' }, {}) }).result
    expect(held).toMatchObject({ status: 'held', because: { code: 'approval-needed' } })
    const done = await reprise.chains.approve(held.id).result
    expect(done.runs.map(({ agent }) => agent)).toEqual(['claude-code', 'plain', 'claude-code'])
    expect(done.status).toBe('resolved')
  })

  test('E-2 a tier that broke off goes on with its own agent, in its own session', async () => {
    const { reprise, start } = await open([
      { when: 'now operate as tier 3', do: [verdict('resolved')] },
      { when: 'still operate as tier 2', do: [verdict('escalate')] },
      {
        when: 'now operate as tier 2',
        do: [found('CHERRY'), { type: 'exit', code: 137, withoutResult: true }],
      },
      ...CLIMBS,
    ])
    const broken = await start({ policy: mixed() }).result
    expect(broken).toMatchObject({
      status: 'failed',
      because: { code: 'run-interrupted', tier: 2 },
    })
    const done = await reprise.chains.continue(broken.id).result
    expect(done.status).toBe('resolved')
    expect(done.runs.map(({ agent }) => agent)).toEqual([
      'claude-code',
      'plain',
      'plain',
      'claude-code',
    ])
    expect(actionsOf(done)).toEqual(['start', 'handover', 'resume', 'fork'])
    expect(done.runs[2]?.sessionId).toBe(done.runs[1]?.sessionId)
  })

  test('I1 after its process died in a tier of another agent, another process ends that run and goes on with that agent', async () => {
    const { world, reprise, die, start } = await open([
      { when: 'now operate as tier 3', do: [verdict('resolved')] },
      { when: 'still operate as tier 2', do: [verdict('escalate')] },
      { when: 'now operate as tier 2', do: [found('CHERRY'), { type: 'hang' }] },
      ...CLIMBS,
    ])
    const chain = start({ policy: mixed() })
    chain.result.catch(() => {})
    const { chainId } = await chain.submitted
    const agentOfLast = async () => (await reprise.chains.get(chainId)).runs.at(-1)?.agent
    await eventually(agentOfLast).toBe('plain')
    await eventually(() => world.runner.running.length).toBe(1)
    die()
    const { reprise: other } = world.open({ agents: AGENTS })
    await eventually(async () => (await other.chains.get(chainId)).status).toBe('failed')
    const done = await other.chains.continue(chainId).result
    expect(done.status).toBe('resolved')
    expect(done.runs.map(({ agent }) => agent)).toEqual([
      'claude-code',
      'plain',
      'plain',
      'claude-code',
    ])
  })

  test('is held when the agent of the next tier is gone, and goes on when it is back', async () => {
    const { world } = await open([
      { when: 'as tier 2', do: [verdict('resolved')] },
      { do: [{ type: 'waitForFile', path: '/go' }, verdict('escalate')] },
    ])
    await world.files.write('/bin/plain', (await world.files.read('/bin/agent')) ?? '')
    const agents = AGENTS.map(agent =>
      agent.name === 'plain' ? { ...agent, executable: '/bin/plain' } : agent,
    )
    const second = world.open({ agents }).reprise
    const chain = second.chains.start({ policy: mixed(), prompt: 'check', workDir: '/project' })
    await chain.submitted
    await world.files.remove('/bin/plain')
    await world.files.write('/go', '')
    const held = await chain.result
    expect(held).toMatchObject({
      status: 'held',
      tier: 1,
      because: { code: 'tier-agent-missing', tier: 2, agent: 'plain' },
    })
    expect(held.words).toContain('tier 2 has the agent plain, which cannot be started now')
    await expect(second.chains.approve(held.id).result).rejects.toMatchObject({
      code: 'agent-missing',
    })
    await world.files.write('/bin/plain', (await world.files.read('/bin/agent')) ?? '')
    expect(await second.chains.approve(held.id).result).toMatchObject({ status: 'resolved' })
  })

  test('E-9 a schedule of such a policy is checked when it is made', async () => {
    const { reprise } = await open()
    const wanted = { prompt: 'check', workDir: '/project', recurrence: { everyMs: 60_000 } }
    const bad = reprise.schedules.create({ ...wanted, policy: mixed({}, {}, { agent: 'none' }) })
    await expect(bad).rejects.toMatchObject({ code: 'not-found' })
    await reprise.schedules.create({ ...wanted, policy: mixed() })
    expect(await reprise.schedules.list()).toHaveLength(1)
  })
})

describe('E-16 U-4 is refused before anything runs, in words that name the tier:', () => {
  test.each<[string, Policy, string, string, object?]>([
    [
      'an agent that nobody configured',
      mixed({}, {}, {}, { agent: 'codx' }),
      'not-found',
      'policy sample: tier 3: there is no agent named "codx"',
    ],
    [
      'an agent over ACP that does not ask before every call',
      mixed({}, {}, { agent: 'gemini' }),
      'agent-unusable',
      'policy sample: tier 2 (agent gemini) cannot be held to a policy: it reads files without a request',
    ],
    [
      'a tool rule for an agent that knows none',
      mixed({}, {}, { ...PLAIN, allowedTools: ['Read'] }),
      'bad-input',
      'policy sample: tier 2 (agent plain) cannot be held to the tool rule "Read": plain is held by its permission mode alone',
    ],
    [
      'a mode that the agent does not have',
      mixed({}, {}, { ...PLAIN, permissionMode: 'read-only' }),
      'bad-input',
      'policy sample: tier 2 (agent plain) has the permission mode read-only',
    ],
    [
      'a model that the agent cannot be given',
      mixed({}, {}, { ...PLAIN, model: '--help' }),
      'bad-input',
      'policy sample: tier 2 (agent plain) has the model "--help"',
    ],
    [
      'less trust than the agent can be held to',
      mixed({}, {}, { agent: 'plain' }),
      'bad-input',
      'policy sample: tier 2 (agent plain) cannot be held to trust none',
    ],
    [
      'a dry run that the agent cannot be held to',
      mixed(),
      'bad-input',
      'policy sample: tier 2 (agent plain) cannot be a dry run',
      { dryRun: true },
    ],
    [
      'dollars for an agent that does not say what it costs',
      mixed({}, {}, { ...PLAIN, budget: { ...NO_BUDGET, usd: 1 } }),
      'bad-input',
      'policy sample: tier 2 (agent plain) cannot be held to a budget in dollars',
    ],
    [
      'dollars for a chain of which no agent says what it costs',
      mixed({}, PLAIN, PLAIN, PLAIN),
      'bad-input',
      'policy sample: a chain cannot be held to a budget in dollars',
      { budgetUsd: 1 },
    ],
  ])('%s', async (_, policy, code, words, change = {}) => {
    const { world, reprise, start } = await open()
    const refused = start({ policy, ...change }).result
    await expect(refused).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
      hint: expect.stringMatching(/\w/),
    })
    expect(await reprise.chains.list()).toEqual([])
    expect(world.runner.journal).toEqual([])
  })

  test('a tier above the ceiling is not looked at', async () => {
    const { start } = await open([{ do: [verdict('resolved')] }])
    const policy = mixed({}, {}, {}, { agent: 'codx' })
    expect(await start({ policy, maxTier: 2 }).result).toMatchObject({ status: 'resolved' })
  })
})
