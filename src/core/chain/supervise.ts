// The supervisor of a chain. The agent asks; this decides: the next tier, the same tier again for its verdict, or the end.
import type { Budget, BudgetUse, Spent } from '../money/budget.ts'
import { checkBudget } from '../money/budget.ts'
import { type Failure, type FailureClass, OUTSIDE_FAULTS } from '../run/failure.ts'
import { ceilingOf, effectiveTier, type Mandate, tierOf } from './policy.ts'
import type { VerdictRead } from './verdict.ts'

export const CHAIN_STATUSES = [
  'running',
  'resolved',
  'exhausted',
  'failed',
  'held',
  'cancelled',
] as const

/** How a chain stands. `held`: a rule or a missing approval keeps it from the next tier. */
export type ChainStatus = (typeof CHAIN_STATUSES)[number]

/** Why a chain continued or ended: a code with the data that proves it. */
export type ChainReason =
  | { readonly code: 'begun'; readonly tier: number }
  | { readonly code: 'agent-resolved'; readonly tier: number }
  | { readonly code: 'agent-failed'; readonly tier: number; readonly reason: string | null }
  | { readonly code: 'agent-asked'; readonly tier: number; readonly reason: string | null }
  | { readonly code: 'approved'; readonly tier: number }
  /** A person ended a chain that was held or broken off. */
  | { readonly code: 'chain-cancelled'; readonly tier: number }
  /** `runId`: the run that was interrupted. */
  | { readonly code: 'continued'; readonly tier: number; readonly runId: string }
  | { readonly code: 'verdict-malformed'; readonly tier: number; readonly problem: string }
  | { readonly code: 'no-higher-tier'; readonly tier: number; readonly ceiling: number }
  | {
      readonly code: 'tier-cooling'
      readonly tier: number
      readonly lastEnteredAt: number
      readonly cooldownMs: number
    }
  | ({
      readonly code: 'budget-spent'
      readonly of: 'chain' | 'tier'
      readonly tier: number
    } & BudgetUse)
  | { readonly code: 'approval-needed'; readonly tier: number }
  /** The tier has an agent of its own, which cannot be started now. */
  | {
      readonly code: 'tier-agent-missing'
      readonly tier: number
      readonly agent: string
      readonly problem: string
    }
  | {
      readonly code: 'run-failed' | 'run-interrupted' | 'run-cancelled'
      readonly tier: number
      readonly class: FailureClass
      readonly message: string
      readonly toolsRan: number
    }

/** The store reads all of these in the transaction that ends the run and creates the next one. */
export type ChainFacts = {
  readonly mandate: Mandate
  /** The tier of the run that ended; 0 before the first. */
  readonly tier: number
  /** How often this tier was asked for its verdict once more. */
  readonly verdictsAsked: number
  readonly spent: { readonly chain: Spent; readonly tier: Spent }
  /** When each tier was last entered by any chain of this policy in this work dir. */
  readonly lastEnteredAt: Readonly<Record<number, number>>
  readonly now: number
}

export type TierEnd = {
  readonly status: 'completed' | 'failed' | 'interrupted' | 'cancelled'
  readonly failure: Failure | null
  /** What the agent of a completed run said. */
  readonly verdict: VerdictRead | null
}

/** What the supervisor decided: enter a tier, ask for the verdict again, continue the tier, or end the chain. */
export type ChainStep =
  | { readonly kind: 'enter'; readonly tier: number; readonly because: ChainReason }
  | { readonly kind: 'ask-verdict'; readonly tier: number; readonly because: ChainReason }
  | { readonly kind: 'continue'; readonly tier: number; readonly because: ChainReason }
  | {
      readonly kind: 'end'
      readonly status: Exclude<ChainStatus, 'running'>
      readonly because: ChainReason
    }

const MOST_VERDICTS_ASKED = 1

export function supervise(facts: ChainFacts, ended: TierEnd): ChainStep {
  const { tier } = facts
  if (ended.status !== 'completed') return afterBrokenRun(facts, ended)
  const read = ended.verdict ?? { read: 'problem' as const, problem: 'there is no verdict' }
  if (read.read === 'problem') return afterNoVerdict(facts, read.problem)
  const { verdict, reason } = read.verdict
  if (verdict === 'resolved') return end('resolved', { code: 'agent-resolved', tier })
  if (verdict === 'failed') return end('failed', { code: 'agent-failed', tier, reason })
  return enter(facts, { code: 'agent-asked', tier, reason })
}

/** One tier up, or why not. There is no other way to reach a tier. */
export function enter(facts: ChainFacts, because: ChainReason): ChainStep {
  const { mandate, spent, now } = facts
  const tier = facts.tier + 1
  const ceiling = ceilingOf(mandate)
  if (tier > ceiling) return end('exhausted', { code: 'no-higher-tier', tier: facts.tier, ceiling })
  const over = overBudget(mandate.budget, spent.chain)
  if (over) return end('held', { code: 'budget-spent', of: 'chain', tier, ...over })
  const { cooldownMs, approval } = tierOf(mandate.policy, tier)
  const lastEnteredAt = facts.lastEnteredAt[tier]
  if (lastEnteredAt !== undefined && now < lastEnteredAt + cooldownMs) {
    return end('held', { code: 'tier-cooling', tier, lastEnteredAt, cooldownMs })
  }
  if (approval === 'ask' && because.code !== 'approved' && !effectiveTier(mandate, tier).dryRun) {
    return end('held', { code: 'approval-needed', tier })
  }
  return { kind: 'enter', tier, because }
}

/** The chain is held before a tier whose agent is not there. A person can let it in when the agent is back. */
export function withoutAgent(missing: {
  readonly tier: number
  readonly agent: string
  readonly problem: string
}): ChainStep {
  return end('held', { code: 'tier-agent-missing', ...missing })
}

/** The last run of the chain ended in the middle of its work, and not by its own fault, so a person may continue the chain. */
export function isBrokenOff({
  status,
  because,
}: {
  readonly status: ChainStatus
  readonly because: ChainReason
}): boolean {
  if (status !== 'failed') return false
  if (because.code === 'run-failed') return OUTSIDE_FAULTS.includes(because.class)
  return because.code === 'run-interrupted'
}

/** Continues the tier of a run that was broken off. The chain is in that tier already, so only a spent budget prevents it. */
export function continueTier(facts: ChainFacts, runId: string): ChainStep {
  const { tier } = facts
  const spent = budgetOf(facts)
  if (spent) return end('held', spent)
  return { kind: 'continue', tier, because: { code: 'continued', tier, runId } }
}

function afterBrokenRun(facts: ChainFacts, { status, failure }: TierEnd): ChainStep {
  const { tier } = facts
  const class_ = failure?.class ?? 'unknown'
  const common = {
    tier,
    class: class_,
    message: failure?.message ?? '',
    toolsRan: failure?.toolsRan ?? 0,
  }
  if (status === 'cancelled') return end('cancelled', { code: 'run-cancelled', ...common })
  const spent = class_ === 'budget' ? budgetOf(facts) : null
  if (spent) return end('held', spent)
  const code = status === 'interrupted' ? 'run-interrupted' : 'run-failed'
  return end('failed', { code, ...common })
}

function afterNoVerdict(facts: ChainFacts, problem: string): ChainStep {
  const because = { code: 'verdict-malformed', tier: facts.tier, problem } as const
  if (facts.verdictsAsked >= MOST_VERDICTS_ASKED) return end('failed', because)
  const spent = budgetOf(facts)
  if (spent) return end('held', spent)
  return { kind: 'ask-verdict', tier: facts.tier, because }
}

function budgetOf({ mandate, spent, tier }: ChainFacts): ChainReason | null {
  const chain = overBudget(mandate.budget, spent.chain)
  if (chain) return { code: 'budget-spent', of: 'chain', tier, ...chain }
  const own = overBudget(tierOf(mandate.policy, tier).budget, spent.tier)
  return own && { code: 'budget-spent', of: 'tier', tier, ...own }
}

function overBudget(budget: Budget, spent: Spent): BudgetUse | null {
  const checked = checkBudget(budget, spent)
  if (checked.state !== 'spent') return null
  const { kind, spent: amount, limit } = checked
  return { kind, spent: amount, limit }
}

function end(status: Exclude<ChainStatus, 'running'>, because: ChainReason): ChainStep {
  return { kind: 'end', status, because }
}
