import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { NO_BUDGET, NOTHING_SPENT, type Spent } from '../money/budget.ts'
import type { Failure } from '../run/run.ts'
import { chainReasonWords } from './chain-words.ts'
import { ceilingOf, effectiveTier, type Mandate, type Policy, type Tier } from './policy.ts'
import {
  type ChainFacts,
  continueTier,
  enter,
  isBrokenOff,
  supervise,
  type TierEnd,
} from './supervise.ts'
import type { Verdict } from './verdict.ts'

const tier = (name: string, more: Partial<Tier> = {}): Tier => ({
  name,
  role: 'Act.',
  model: null,
  permissionMode: 'dontAsk',
  allowedTools: [name],
  disallowedTools: [],
  actions: [],
  cooldownMs: 0,
  dryRun: false,
  budget: NO_BUDGET,
  contextThreshold: null,
  approval: 'auto',
  ...more,
})

const policy = (tiers: readonly Tier[], more: Partial<Policy> = {}): Policy => ({
  name: 'test',
  agent: null,
  maxTier: tiers.length,
  contextThreshold: null,
  budget: NO_BUDGET,
  tiers,
  ...more,
})

const oneDollar = { budget: { ...NO_BUDGET, usd: 1 } }
const ONE_DOLLAR_TIERS = policy([tier('a', oneDollar), tier('b', oneDollar)])
const THREE = policy([tier('Read'), tier('Write', { cooldownMs: 60_000 }), tier('Bash')])

const mandate = (more: Partial<Mandate> = {}): Mandate => ({
  policy: THREE,
  maxTier: 3,
  dryRun: false,
  budget: NO_BUDGET,
  ...more,
})

const facts = (more: Partial<ChainFacts> = {}): ChainFacts => ({
  mandate: mandate(),
  tier: 1,
  verdictsAsked: 0,
  spent: { chain: NOTHING_SPENT, tier: NOTHING_SPENT },
  lastEnteredAt: {},
  now: 1_000_000,
  ...more,
})

const said = (verdict: Verdict['verdict']): TierEnd => ({
  status: 'completed',
  failure: null,
  verdict: { read: 'verdict', verdict: { verdict, summary: 's', reason: 'r', findings: [] } },
})

const broken = (
  status: 'failed' | 'interrupted' | 'cancelled',
  class_: Failure['class'],
): TierEnd => ({
  status,
  failure: { class: class_, message: 'm', hint: '', toolsRan: 2, resetsAt: null },
  verdict: null,
})

const malformed: TierEnd = {
  status: 'completed',
  failure: null,
  verdict: { read: 'problem', problem: 'no block' },
}

const usd = (amount: number): Spent => ({ ...NOTHING_SPENT, usd: amount })
const spentChain = (amount: number) => ({ chain: usd(amount), tier: NOTHING_SPENT })

test.each<[string, Partial<ChainFacts>, TierEnd, object]>([
  ['resolved ends it', {}, said('resolved'), { kind: 'end', status: 'resolved' }],
  ['failed ends it', {}, said('failed'), { kind: 'end', status: 'failed' }],
  ['escalate: one tier up', {}, said('escalate'), { kind: 'enter', tier: 2 }],
  [
    'no tier above the last',
    { tier: 3 },
    said('escalate'),
    { status: 'exhausted', because: { code: 'no-higher-tier', ceiling: 3 } },
  ],
  [
    'no tier above the ceiling of the chain',
    { tier: 2, mandate: mandate({ maxTier: 2 }) },
    said('escalate'),
    { status: 'exhausted', because: { code: 'no-higher-tier', ceiling: 2 } },
  ],
  [
    'a tier that was entered a moment ago rests',
    { lastEnteredAt: { 2: 950_000 } },
    said('escalate'),
    { status: 'held', because: { code: 'tier-cooling', lastEnteredAt: 950_000 } },
  ],
  [
    'a tier that has rested is entered',
    { lastEnteredAt: { 2: 940_000 } },
    said('escalate'),
    { kind: 'enter', tier: 2 },
  ],
  [
    'a spent budget holds it',
    { mandate: mandate({ budget: { ...NO_BUDGET, usd: 1 } }), spent: spentChain(1) },
    said('escalate'),
    { status: 'held', because: { code: 'budget-spent', of: 'chain', spent: 1, limit: 1 } },
  ],
  [
    'a budget that is nearly spent does not',
    { mandate: mandate({ budget: { ...NO_BUDGET, usd: 1 } }), spent: spentChain(0.99) },
    said('escalate'),
    { kind: 'enter', tier: 2 },
  ],
  [
    'a tier that asks for a person waits',
    { mandate: mandate({ policy: policy([tier('a'), tier('b', { approval: 'ask' })]) }) },
    said('escalate'),
    { status: 'held', because: { code: 'approval-needed', tier: 2 } },
  ],
  [
    'E-1 a dry run asks no person: it changes nothing',
    {
      mandate: mandate({
        dryRun: true,
        policy: policy([tier('a'), tier('b', { approval: 'ask' })]),
      }),
    },
    said('escalate'),
    { kind: 'enter', tier: 2 },
  ],
  [
    'M-2 a tier has its budget for itself: what other tiers spent does not count',
    {
      mandate: mandate({ policy: ONE_DOLLAR_TIERS }),
      tier: 2,
      spent: { chain: usd(5), tier: usd(0.5) },
    },
    malformed,
    { kind: 'ask-verdict', tier: 2 },
  ],
  [
    'M-2 a tier that has spent its own budget is not asked again',
    {
      mandate: mandate({ policy: ONE_DOLLAR_TIERS }),
      tier: 2,
      spent: { chain: usd(5), tier: usd(1) },
    },
    malformed,
    { status: 'held', because: { code: 'budget-spent', of: 'tier', spent: 1, limit: 1 } },
  ],
  ['no verdict: asked once more', {}, malformed, { kind: 'ask-verdict', tier: 1 }],
  [
    'no verdict again: failed',
    { verdictsAsked: 1 },
    malformed,
    { status: 'failed', because: { code: 'verdict-malformed', problem: 'no block' } },
  ],
  ['a cancelled run', {}, broken('cancelled', 'cancelled'), { status: 'cancelled' }],
  [
    'F-3 an interrupted run is not repeated',
    {},
    broken('interrupted', 'supervisor-died'),
    { status: 'failed', because: { code: 'run-interrupted', toolsRan: 2 } },
  ],
  [
    'a run without a verdict is asked for one',
    {},
    { ...malformed, verdict: null },
    { kind: 'ask-verdict', because: { problem: 'there is no verdict' } },
  ],
  [
    'a failed run of which nothing is known',
    {},
    { status: 'failed', failure: null, verdict: null },
    {
      status: 'failed',
      because: { code: 'run-failed', class: 'unknown', message: '', toolsRan: 0 },
    },
  ],
  [
    'M-2 a run that failed otherwise, also when the budget is spent',
    { mandate: mandate({ budget: { ...NO_BUDGET, usd: 1 } }), spent: spentChain(2) },
    broken('failed', 'silent'),
    { status: 'failed', because: { code: 'run-failed', class: 'silent', message: 'm' } },
  ],
  [
    'a violation',
    {},
    broken('failed', 'policy-violation'),
    { status: 'failed', because: { code: 'run-failed', class: 'policy-violation' } },
  ],
  [
    'M-2 a run that was stopped by its budget',
    { mandate: mandate({ budget: { ...NO_BUDGET, usd: 1 } }), spent: spentChain(1.01) },
    broken('failed', 'budget'),
    { status: 'held', because: { code: 'budget-spent', of: 'chain' } },
  ],
])('E-2 %s', (_, more, ended, expected) => {
  const step = supervise(facts(more), ended)
  expect(step).toMatchObject(expected)
  expect(chainReasonWords(step.because)).not.toContain('undefined')
})

test('E-2 a chain enters the tier that a person approved, but never past the ceiling, a cooldown or a budget', () => {
  const asking = mandate({
    policy: policy([tier('a'), tier('b', { approval: 'ask', cooldownMs: 9 })]),
  })
  const approved = { code: 'approved', tier: 2 } as const
  expect(enter(facts({ mandate: asking }), approved)).toMatchObject({ kind: 'enter', tier: 2 })
  const cooling = facts({ mandate: asking, lastEnteredAt: { 2: 999_999 } })
  expect(enter(cooling, approved)).toMatchObject({ status: 'held' })
  expect(enter(facts({ mandate: asking, tier: 2 }), approved)).toMatchObject({
    status: 'exhausted',
  })
})

const anyTier = fc.record({ cooldownMs: fc.nat(100), dryRun: fc.boolean(), ask: fc.boolean() })
const anyEnd = fc.oneof(
  { weight: 6, arbitrary: fc.constant(said('escalate')) },
  fc.constantFrom(said('resolved'), said('failed'), malformed),
  fc.constantFrom(broken('failed', 'unknown'), broken('interrupted', 'silent')),
)
const anyWorld = fc.record({
  tiers: fc.array(anyTier, { minLength: 1, maxLength: 5 }),
  policyMax: fc.integer({ min: 1, max: 7 }),
  chainMax: fc.integer({ min: 1, max: 7 }),
  dryRun: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 50 })),
  ends: fc.array(fc.record({ end: anyEnd, usd: fc.nat(20) }), { minLength: 1, maxLength: 40 }),
})

test('S18 I14 whatever agents say: never beyond the ceiling, never two tiers at once, never past the budget', () => {
  fc.assert(
    fc.property(anyWorld, drawn => {
      const tiers = drawn.tiers.map(({ ask, ...more }, at) =>
        tier(`tool${at}`, { ...more, approval: ask ? 'ask' : 'auto' }),
      )
      const given = mandate({
        policy: policy(tiers, { maxTier: drawn.policyMax }),
        maxTier: drawn.chainMax,
        dryRun: drawn.dryRun,
        budget: { ...NO_BUDGET, usd: drawn.limit },
      })
      let at = 1
      let asked = 0
      let spent = 0
      for (const { end, usd: cost } of drawn.ends) {
        spent += cost
        const known = facts({
          mandate: given,
          tier: at,
          verdictsAsked: asked,
          spent: spentChain(spent),
        })
        const step = supervise(known, end)
        if (step.kind === 'end') break
        // Nothing is entered or asked for once the budget is spent.
        if (drawn.limit !== null) expect(spent).toBeLessThan(drawn.limit)
        expect(step.tier - at).toBe(step.kind === 'enter' ? 1 : 0)
        asked = step.kind === 'enter' ? 0 : asked + 1
        at = step.tier
        expect(at).toBeLessThanOrEqual(Math.min(drawn.policyMax, drawn.chainMax, tiers.length))
        expect(asked).toBeLessThanOrEqual(1)
      }
      expect(at).toBeLessThanOrEqual(ceilingOf(given))
    }),
    { numRuns: 20_000 },
  )
})

test('E-1 S16 a dry run never has wider tools than the first tier', () => {
  const dry = effectiveTier(mandate({ dryRun: true }), 3)
  expect(dry).toMatchObject({ dryRun: true, name: 'Bash', allowedTools: ['Read'] })
  const own = mandate({ policy: policy([tier('Read'), tier('Write', { dryRun: true })]) })
  expect(effectiveTier(own, 2).allowedTools).toEqual(['Read'])
  expect(effectiveTier(mandate(), 2).allowedTools).toEqual(['Write'])
})

test('E-2 an interrupted tier continues as the same tier: its budgets count, but no cooldown and no approval', () => {
  const asking = policy([tier('Read'), tier('Write', { cooldownMs: 60_000, approval: 'ask' })])
  const inSecond = facts({
    tier: 2,
    mandate: mandate({ policy: asking, maxTier: 2 }),
    lastEnteredAt: { 2: 999_999 },
  })
  const because = { code: 'continued', tier: 2, runId: 'run_1' } as const
  expect(continueTier(inSecond, 'run_1')).toEqual({ kind: 'continue', tier: 2, because })
  expect(chainReasonWords(because)).toContain('a person continued tier 2')
  const spent = { chain: { ...NOTHING_SPENT, usd: 1 }, tier: NOTHING_SPENT }
  const poor = mandate({ policy: asking, maxTier: 2, budget: { ...NO_BUDGET, usd: 1 } })
  expect(continueTier({ ...inSecond, mandate: poor, spent }, 'run_1')).toMatchObject({
    kind: 'end',
    status: 'held',
    because: { code: 'budget-spent', of: 'chain' },
  })
})

test('E-2 a chain is broken off by a run that was interrupted, or that failed for a reason outside of its work', () => {
  const ended = (status: 'failed' | 'interrupted' | 'cancelled', why: Failure['class']) => {
    const step = supervise(facts(), broken(status, why))
    return step.kind === 'end' && isBrokenOff(step)
  }
  expect(ended('interrupted', 'supervisor-died')).toBe(true)
  expect(ended('failed', 'overload')).toBe(true)
  expect(ended('failed', 'auth')).toBe(true)
  expect(ended('failed', 'policy-violation')).toBe(false)
  expect(ended('failed', 'refusal')).toBe(false)
  expect(ended('cancelled', 'overload')).toBe(false)
  expect(isBrokenOff({ status: 'running', because: { code: 'begun', tier: 1 } })).toBe(false)
})
