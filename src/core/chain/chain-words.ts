// Every word about what the supervisor of a chain decided, for the CLI, the API and the dashboard alike.

import { budgetWords } from '../money/budget.ts'
import { trustWords } from '../run/trust.ts'
import type { Mandate } from './policy.ts'
import { confinesOf, effectiveTier } from './policy.ts'
import type { ChainReason, ChainStep } from './supervise.ts'

/** Says a reason of a chain in words. */
export function chainReasonWords(reason: ChainReason): string {
  return WORDS[reason.code](reason as never)
}

/** What a policy opens in a tier, for the person who must approve the tier; empty when it opens nothing. */
export function openingWords(reason: ChainReason, mandate: Mandate): string {
  if (!ENTERED_BY_APPROVAL.has(reason.code)) return ''
  const { trust, sandbox } = confinesOf(mandate.policy, effectiveTier(mandate, reason.tier))
  const trusts = trust === 'none' ? '' : `; it trusts ${trustWords(trust)}`
  return `${trusts}${sandbox === 'none' ? '; it runs without a sandbox' : ''}`
}

/** A person who approves lets the chain into the tier. */
const ENTERED_BY_APPROVAL: ReadonlySet<ChainReason['code']> = new Set([
  'approval-needed',
  'tier-cooling',
  'tier-agent-missing',
])

/** What the supervisor decided, and why. */
export function chainStepWords(step: ChainStep): string {
  const why = chainReasonWords(step.because)
  if (step.kind === 'end') return `${why}: ${step.status}`
  return step.kind === 'ask-verdict' ? `${why}; asked again` : `${why} → tier ${step.tier}`
}

/** A reason without words does not compile. */
const WORDS: {
  readonly [Code in ChainReason['code']]: (reason: Extract<ChainReason, { code: Code }>) => string
} = {
  begun: () => 'the chain began',
  'agent-resolved': ({ tier }) => `tier ${tier} says that it is resolved`,
  'agent-failed': ({ tier, reason }) => `tier ${tier} gave up${because(reason)}`,
  'agent-asked': ({ tier, reason }) => `tier ${tier} asked for the next one${because(reason)}`,
  approved: ({ tier }) => `a person approved tier ${tier}`,
  'chain-cancelled': ({ tier }) => `a person cancelled the chain before tier ${tier} went on`,
  continued: ({ tier }) => `a person continued tier ${tier} after it was broken off`,
  'verdict-malformed': ({ tier, problem }) => `tier ${tier} gave no usable verdict: ${problem}`,
  'no-higher-tier': ({ tier, ceiling }) =>
    `tier ${tier} asked for the next one, but this chain may go no higher than tier ${ceiling}`,
  'tier-cooling': ({ tier, lastEnteredAt, cooldownMs }) =>
    `tier ${tier} was last entered at ${moment(lastEnteredAt)}; it may be entered again from ${moment(lastEnteredAt + cooldownMs)} on`,
  'budget-spent': ({ of, tier, ...use }) =>
    `the budget of ${of === 'chain' ? 'the chain' : `tier ${tier}`} is spent: ${budgetWords(use)}`,
  'approval-needed': ({ tier }) => `tier ${tier} waits for the approval of a person`,
  'tier-agent-missing': ({ tier, agent, problem }) =>
    `tier ${tier} has the agent ${agent}, which cannot be started now: ${problem}`,
  'run-failed': ({ tier, message }) => `the run of tier ${tier} failed: ${message}`,
  'run-interrupted': ({ tier, message, toolsRan }) =>
    `the run of tier ${tier} was interrupted (${message}); ${calls(toolsRan)} had run, and Reprise repeats nothing by itself`,
  'run-cancelled': ({ tier }) => `the run of tier ${tier} was cancelled`,
}

const calls = (count: number) => (count === 1 ? '1 tool call' : `${count} tool calls`)

const because = (reason: string | null) => (reason ? `: ${reason}` : '')

const moment = (ms: number) => new Date(ms).toISOString()
