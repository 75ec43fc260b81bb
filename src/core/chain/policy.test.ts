import { expect, test } from 'vitest'
import { NO_BUDGET } from '../money/budget.ts'
import {
  agentOfTier,
  confinesOf,
  effectiveTier,
  type Policy,
  type Tier,
  tierOf,
  withAgents,
  withSandbox,
} from './policy.ts'

const tier = (name: string, more: Partial<Tier> = {}): Tier => ({
  name,
  role: 'Act.',
  model: `model of ${name}`,
  permissionMode: `mode of ${name}`,
  allowedTools: [name],
  disallowedTools: [`not ${name}`],
  actions: [name],
  cooldownMs: 60_000,
  dryRun: false,
  budget: NO_BUDGET,
  contextThreshold: null,
  approval: 'auto',
  ...more,
})

const policy = (...tiers: readonly Tier[]): Policy => ({
  name: 'ops',
  agent: null,
  maxTier: 3,
  contextThreshold: null,
  budget: NO_BUDGET,
  tiers,
})

const two = policy(tier('look'), tier('act', { trust: 'project' }))
const mandate = { policy: two, maxTier: 2, budget: NO_BUDGET }

test('E-13 a dry run keeps its name, model and limits; tools and permissions are those of the first tier, and it trusts nobody', () => {
  expect(effectiveTier({ ...mandate, dryRun: true }, 2)).toEqual({
    ...tier('act'),
    dryRun: true,
    trust: 'none',
    permissionMode: 'mode of look',
    allowedTools: ['look'],
    disallowedTools: ['not look'],
  })
  expect(effectiveTier({ ...mandate, dryRun: false }, 2)).toBe(two.tiers[1])
})

test('E-13 E-16 in a dry run, a tier has the tools of the first tier with the same agent, never those of another agent', () => {
  const own = policy(
    tier('look'),
    tier('read', { agent: 'codex' }),
    tier('act'),
    tier('change', { agent: 'codex' }),
  )
  const dry = [1, 2, 3, 4].map(number => effectiveTier({ policy: own, dryRun: true }, number))
  expect(dry.map(({ allowedTools }) => allowedTools)).toEqual([
    ['look'],
    ['read'],
    ['look'],
    ['read'],
  ])
  expect(dry[3]).toMatchObject({ permissionMode: 'mode of read', disallowedTools: ['not read'] })
})

test('E-16 a tier has its own agent, else the agent of the chain; a chain of an earlier version has one for all', () => {
  const mixed = policy(tier('look'), tier('act', { agent: 'codex' }))
  const named = withAgents(mixed, 'claude-code')
  expect(named.tiers.map(({ agent }) => agent)).toEqual(['claude-code', 'codex'])
  const agents = (of: Policy, agent: string) =>
    [1, 2, 3].map(number => agentOfTier({ agent, mandate: { policy: of } }, number))
  expect(agents(named, 'other')).toEqual(['claude-code', 'codex', 'other'])
  expect(agents(two, 'old')).toEqual(['old', 'old', 'old'])
})

test.each<[Partial<Policy>, Partial<Tier>, object]>([
  [{}, {}, { trust: 'none', sandbox: 'auto' }],
  [{ trust: 'user', sandbox: 'bwrap' }, {}, { trust: 'user', sandbox: 'bwrap' }],
  [
    { trust: 'user', sandbox: 'bwrap' },
    { trust: 'project', sandbox: 'none' },
    { trust: 'project', sandbox: 'none' },
  ],
])('E-12 the policy %j with the tier %j opens %j', (all, own, expected) => {
  expect(confinesOf({ ...two, ...all }, tier('act', own))).toEqual(expected)
})

test('E-12 a sandbox that the caller names holds for every tier, whatever the policy says', () => {
  const own = policy(tier('look'), tier('act', { sandbox: 'none' }))
  const changed = withSandbox(own, 'bwrap')
  expect(changed).toEqual({
    ...own,
    sandbox: 'bwrap',
    tiers: [tier('look', { sandbox: 'bwrap' }), tier('act', { sandbox: 'bwrap' })],
  })
  expect(withSandbox(own, undefined)).toBe(own)
})

test('E-2 a policy has the tiers that it names, and no other one', () => {
  expect(tierOf(two, 2).name).toBe('act')
  expect(() => tierOf(two, 3)).toThrow('policy ops has no tier 3')
  expect(() => tierOf(two, 0)).toThrow('policy ops has no tier 0')
})
