import { expect, test } from 'vitest'
import { NO_BUDGET } from '../money/budget.ts'
import { chainReasonWords, chainStepWords, openingWords } from './chain-words.ts'
import type { Mandate, Policy, Tier } from './policy.ts'
import type { ChainReason } from './supervise.ts'

const NOON = Date.UTC(2026, 10, 17, 12)
const broken = { tier: 2, class: 'silent', message: 'it was silent', toolsRan: 3 }

/** Every reason of a chain, as the sentence that a user reads. */
const SENTENCES: Record<ChainReason['code'], readonly (readonly [object, string])[]> = {
  begun: [[{ tier: 1 }, 'the chain began']],
  'agent-resolved': [[{ tier: 2 }, 'tier 2 says that it is resolved']],
  'agent-failed': [
    [{ tier: 2, reason: null }, 'tier 2 gave up'],
    [{ tier: 2, reason: 'no access' }, 'tier 2 gave up: no access'],
  ],
  'agent-asked': [
    [{ tier: 2, reason: null }, 'tier 2 asked for the next one'],
    [
      { tier: 2, reason: 'a restart is needed' },
      'tier 2 asked for the next one: a restart is needed',
    ],
  ],
  approved: [[{ tier: 3 }, 'a person approved tier 3']],
  continued: [[{ tier: 2, runId: 'run_1' }, 'a person continued tier 2 after it was broken off']],
  'verdict-malformed': [
    [{ tier: 1, problem: 'it is not JSON' }, 'tier 1 gave no usable verdict: it is not JSON'],
  ],
  'no-higher-tier': [
    [
      { tier: 2, ceiling: 2 },
      'tier 2 asked for the next one, but this chain may go no higher than tier 2',
    ],
  ],
  'tier-cooling': [
    [
      { tier: 2, lastEnteredAt: NOON, cooldownMs: 60_000 },
      'tier 2 was last entered at 2026-11-17T12:00:00.000Z; it may be entered again from 2026-11-17T12:01:00.000Z on',
    ],
  ],
  'budget-spent': [
    [
      { of: 'chain', tier: 2, kind: 'usd', spent: 1.5, limit: 1 },
      'the budget of the chain is spent: $1.5 of $1',
    ],
    [
      { of: 'tier', tier: 2, kind: 'runs', spent: 3, limit: 3 },
      'the budget of tier 2 is spent: 3 runs of 3 runs',
    ],
  ],
  'approval-needed': [[{ tier: 3 }, 'tier 3 waits for the approval of a person']],
  'tier-agent-missing': [
    [
      { tier: 2, agent: 'codex', problem: 'its program "codex" was not found' },
      'tier 2 has the agent codex, which cannot be started now: its program "codex" was not found',
    ],
  ],
  'run-failed': [[broken, 'the run of tier 2 failed: it was silent']],
  'run-interrupted': [
    [
      broken,
      'the run of tier 2 was interrupted (it was silent); 3 tool calls had run, and Reprise repeats nothing by itself',
    ],
    [
      { ...broken, toolsRan: 1 },
      'the run of tier 2 was interrupted (it was silent); 1 tool call had run, and Reprise repeats nothing by itself',
    ],
  ],
  'chain-cancelled': [[{ tier: 3 }, 'a person cancelled the chain before tier 3 went on']],
  'run-cancelled': [[broken, 'the run of tier 2 was cancelled']],
}

const rows = Object.entries(SENTENCES).flatMap(([code, cases]) =>
  cases.map(([data, sentence]) => [{ code, ...data } as ChainReason, sentence] as const),
)

test.each(rows)('E-7 the reason %j in words', (reason, sentence) => {
  expect(chainReasonWords(reason)).toBe(sentence)
})

const asked = { code: 'agent-asked', tier: 1, reason: 'it is down' } as const

test.each([
  [
    { kind: 'enter', tier: 2, because: asked },
    'tier 1 asked for the next one: it is down → tier 2',
  ],
  [
    { kind: 'continue', tier: 2, because: { code: 'continued', tier: 2, runId: 'run_1' } },
    'a person continued tier 2 after it was broken off → tier 2',
  ],
  [
    { kind: 'ask-verdict', tier: 1, because: { code: 'verdict-malformed', tier: 1, problem: 'x' } },
    'tier 1 gave no usable verdict: x; asked again',
  ],
  [
    { kind: 'end', status: 'resolved', because: { code: 'agent-resolved', tier: 1 } },
    'tier 1 says that it is resolved: resolved',
  ],
] as const)('E-7 what the supervisor decided: %j', (step, words) => {
  expect(chainStepWords(step)).toBe(words)
})

const tier: Tier = {
  name: 'act',
  role: 'Act.',
  model: null,
  permissionMode: 'dontAsk',
  allowedTools: [],
  disallowedTools: [],
  actions: [],
  cooldownMs: 0,
  dryRun: false,
  budget: NO_BUDGET,
  contextThreshold: null,
  approval: 'ask',
}

const mandate = (own: Partial<Tier>, all: Partial<Policy> = {}, dryRun = false): Mandate => ({
  policy: {
    name: 'ops',
    agent: null,
    maxTier: 2,
    contextThreshold: null,
    budget: NO_BUDGET,
    tiers: [tier, { ...tier, ...own }],
    ...all,
  },
  maxTier: 2,
  dryRun,
  budget: NO_BUDGET,
})

const USER =
  '; it trusts user: settings, hooks and servers of the user take part, none of the repository'
const PROJECT =
  '; it trusts project: settings, hooks and servers of the repository and of the user take part'

test.each([
  ['nothing, when the policy opens nothing', mandate({}), ''],
  ['whom the tier trusts', mandate({ trust: 'user' }), USER],
  ['whom the policy trusts', mandate({}, { trust: 'project' }), PROJECT],
  [
    "the tier's own trust, over that of the policy",
    mandate({ trust: 'none' }, { trust: 'user' }),
    '',
  ],
  ['nothing of the trust in a dry run', mandate({ trust: 'user' }, {}, true), ''],
  [
    'that the tier has no sandbox',
    mandate({ sandbox: 'none' }, { sandbox: 'bwrap' }),
    '; it runs without a sandbox',
  ],
  [
    'that the policy has no sandbox',
    mandate({}, { sandbox: 'none' }),
    '; it runs without a sandbox',
  ],
  ['both', mandate({ trust: 'user', sandbox: 'none' }), `${USER}; it runs without a sandbox`],
] as const)('E-12 a person who approves a tier reads %s', (_, opened, words) => {
  expect(openingWords({ code: 'approval-needed', tier: 2 }, opened)).toBe(words)
  const cooling = { code: 'tier-cooling', tier: 2, lastEnteredAt: 0, cooldownMs: 1 } as const
  expect(openingWords(cooling, opened)).toBe(words)
  expect(openingWords({ code: 'agent-resolved', tier: 2 }, opened)).toBe('')
})
