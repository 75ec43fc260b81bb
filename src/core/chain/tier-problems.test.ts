// What a tier cannot be held to by its agent, in words. The refusals of chains are in tiers-of-agents.test.ts.
import { expect, test } from 'vitest'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import { NO_BUDGET } from '../money/budget.ts'
import type { Policy, Tier } from './policy.ts'
import { problemOfPolicy, type TierAgent, warningsOfAgents } from './tier-problems.ts'

const agent = (name: string, change: Partial<TierAgent['adapter']> = {}): TierAgent => ({
  name,
  adapter: {
    name: `adapter of ${name}`,
    fence: { kind: 'rules', modes: ['dontAsk'] },
    words: { takesModel: model => !model.startsWith('-') },
    money: {},
    ...change,
  },
})
const CONFIGURED = [
  agent('ruled'),
  agent('boxed', {
    fence: { kind: 'sandbox', modes: ['dontAsk'], trusts: ['project'] },
    money: { reportsCost: false },
  }),
  agent('free', { fence: undefined as never }),
  agent('told', { fence: undefined as never, unfenced: 'it asks nobody' }),
  agent('kinds', {
    fence: {
      ...{ kind: 'rules', modes: ['ask'], kinds: ['read', 'execute'], trusts: ['project'] },
    },
    money: { reportsTokens: false },
  }),
]
const HERE = { configured: CONFIGURED, defaultAgent: 'ruled' }
const policyOf = (change: Partial<Policy>, ...tiers: Partial<Tier>[]): Policy => {
  const { policy } = sampleMandate()
  return {
    ...policy,
    ...change,
    tiers: policy.tiers.map((tier, at) => ({ ...tier, ...tiers[at] })),
  }
}
const BOXED: Partial<Tier> = { agent: 'boxed', trust: 'project' }
const KINDS: Partial<Tier> = { agent: 'kinds', trust: 'project', permissionMode: 'ask' }

test.each<[string, Policy]>([
  ['no agent in any tier', policyOf({})],
  ['tool rules and less trust for an agent with rules', policyOf({}, { allowedTools: ['Read'] })],
  ['another agent with a mode and trust', policyOf({}, {}, BOXED)],
  ['kinds of calls', policyOf({}, {}, { ...KINDS, allowedTools: ['read', 'execute'] })],
  ['a trust of the whole policy', policyOf({ trust: 'project' }, {}, { agent: 'boxed' })],
  ['a bad tier above its own ceiling', policyOf({ maxTier: 2 }, {}, {}, { agent: 'none' })],
  ['dollars of which one agent tells', policyOf({ budget: { ...NO_BUDGET, usd: 1 } }, {}, BOXED)],
])('E-16 a policy with %s is in order', (_, policy) => {
  expect(problemOfPolicy(policy, HERE)).toBeNull()
})

test('E-16 the agent of the policy, else the default one, is that of the tiers that name none', () => {
  expect(problemOfPolicy(policyOf({ agent: 'free' }), HERE)).toMatchObject({
    code: 'agent-unusable',
    message:
      'policy sample: tier 1 (agent free) cannot be held to a policy: its adapter adapter of free knows no rules, no sandbox and no modes for tiers',
  })
  expect(problemOfPolicy(policyOf({}), { ...HERE, defaultAgent: 'gone' })).toEqual({
    code: 'not-found',
    message: 'policy sample: tier 1: there is no agent named "gone"',
    hint: 'Known agents: ruled, boxed, free, told, kinds. Add others under "agents" in config.yaml.',
  })
})

test.each<[Partial<Tier>, string, string]>([
  [{ ...BOXED, permissionMode: 'plan' }, 'has the permission mode plan', 'Use one of dontAsk'],
  [{ ...BOXED, model: '-x' }, 'has the model "-x"', 'leave `model` out'],
  [{ ...BOXED, disallowedTools: ['Write'] }, 'the tool rule "Write"', '`allowedTools: []`'],
  [{ ...KINDS, allowedTools: ['read', 'Bash'] }, 'the tool rule "Bash"', 'Use read, execute as'],
  [{ ...KINDS, disallowedTools: ['read(/etc/*)'] }, '"read(/etc/*)"', 'without brackets'],
  [{ ...KINDS, allowedTools: ['execute(git status)'] }, 'whole kinds', 'without brackets'],
  [{ ...KINDS, trust: 'none' }, 'to trust none', '`trust: project`'],
  [{ ...KINDS, budget: { ...NO_BUDGET, tokens: 1 } }, 'to a budget in tokens', 'wallClockMs'],
  [{ ...KINDS, dryRun: true }, 'cannot be a dry run', 'without `--dry-run`'],
  [{ agent: 'told' }, 'cannot be held to a policy: it asks nobody', 'Name another agent'],
  [{ agent: 'boxed', trust: 'user' }, 'to trust user', '`trust: project`'],
  [{ ...BOXED, dryRun: true }, 'cannot be a dry run', 'without `--dry-run`'],
  [{ ...BOXED, budget: { ...NO_BUDGET, usd: 1 } }, 'to a budget in dollars', 'tokens'],
])('E-16 the tier %j is refused: %s', (tier, message, hint) => {
  expect(problemOfPolicy(policyOf({}, {}, tier), HERE)).toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  })
})

test('E-16 warns of tokens that no budget counts', () => {
  const policy = policyOf({ budget: { ...NO_BUDGET, tokens: 1 } }, {}, KINDS)
  expect(warningsOfAgents(policy, HERE)).toEqual([
    expect.stringMatching(/^tier 2 uses tokens .*: kinds does not say how many/),
  ])
})

test('E-16 E-10 warns of calls that no tier of another agent can take over, and of dollars that no agent tells', () => {
  const budget = { ...NO_BUDGET, usd: 1 }
  const mixed = policyOf({ whenForbidden: 'defer', budget }, {}, BOXED)
  expect(warningsOfAgents(mixed, HERE)).toEqual([
    expect.stringMatching(/^tier 1 parks no calls for tier 2,/),
    expect.stringMatching(/^tier 2 spends dollars .*: boxed does not say what it costs$/),
    expect.stringMatching(/^tier 2 parks no calls for tier 3,/),
  ])
  expect(warningsOfAgents(policyOf({ whenForbidden: 'defer', budget }), HERE)).toEqual([])
  expect(warningsOfAgents(policyOf({}, {}, BOXED), HERE)).toEqual([])
})
