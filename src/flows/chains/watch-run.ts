// Watches an agent at work: stops it at a tool outside its tier's fence, or when a budget is spent.

import type { Tier } from '../../core/chain/policy.ts'
import {
  type Fence,
  fenceOf,
  type PolicyViolation,
  type Ruling,
  rule,
  violationWords,
  watchFence,
} from '../../core/fence/fence.ts'
import {
  addSpent,
  type Budget,
  type BudgetState,
  budgetWords,
  checkBudget,
  NO_BUDGET,
  NOTHING_SPENT,
  type Spent,
} from '../../core/money/budget.ts'
import { priceOf } from '../../core/money/ledger.ts'
import type { AgentEvent, AgentSaid, CallAsked } from '../../core/run/events.ts'
import { type Observation, totalUsage } from '../../core/run/observe.ts'
import type { Failure, Run } from '../../core/run/run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { deferralOf, forbiddenIn, type TierContext, tierFor } from './tier-context.ts'

export type Stopped = Pick<Failure, 'class' | 'message' | 'hint'> & {
  readonly class: 'policy-violation' | 'budget'
}

export type RunWatch = {
  /** Gets the events in order. Gives a notice for the user, and sets `stopped` when the run has to stop. */
  see(event: AgentEvent, observation: Observation): { readonly notice: AgentSaid | null }
  /** Decides about a call that waits for our answer; absent in a watch without a fence. */
  rule?(call: CallAsked): Ruling
  /** Why the run had to stop; stays once it is set. */
  readonly stopped: Stopped | null
}

/** Several watches as one; `null` when there is none. */
export function together(watches: readonly (RunWatch | null)[]): RunWatch | null {
  const all = watches.filter(watch => watch !== null)
  if (all.length === 0) return null
  return {
    get stopped() {
      return all.find(watch => watch.stopped)?.stopped ?? null
    },
    see(event, observation) {
      const notices = all.map(watch => watch.see(event, observation).notice)
      return { notice: notices.find(notice => notice !== null) ?? null }
    },
    rule(call) {
      // The run is being stopped, so no further call may begin.
      const stopped = all.find(watch => watch.stopped)?.stopped
      if (stopped) return { kind: 'refuse', why: stopped.message }
      return all.find(watch => watch.rule)?.rule?.(call) ?? { kind: 'pass' }
    },
  }
}

export function watchRun(
  dependencies: Pick<Dependencies, 'clock'>,
  tierContext: TierContext,
  { run, agent }: { readonly run: Run; readonly agent: Agent },
): RunWatch {
  const own = fenceFor(tierContext, tierContext.tier, agent)
  const next = fenceAbove(tierContext, agent)
  // A sandbox of the agent's own knows no rules about tools, so there is nothing to watch.
  const fence = agent.adapter.fence?.kind === 'sandbox' ? null : watchFence(own)
  const money = watchBudgets(dependencies, budgetsOf(tierContext, run), { run, agent })
  let violated: Stopped | null = null
  return {
    get stopped() {
      return violated ?? money.stopped
    },
    rule(call) {
      const ruling = rule(own, call, next)
      if (ruling.kind === 'refuse') fence?.noteRefused(call.id)
      if (ruling.kind === 'pass') fence?.notePassed(call.id)
      return ruling
    },
    see(event, observation) {
      const violation = fence?.see(event)
      if (violation) violated ??= leftFence(violation)
      return money.see(event, observation)
    },
  }
}

function fenceFor({ readShell }: TierContext, tier: Tier, agent: Agent): Fence {
  const { tools, fence } = agent.adapter
  const harmless = fence?.kind === 'rules' ? fence.harmless : []
  const rules = { allowedTools: tier.allowedTools, disallowedTools: forbiddenIn(tier, agent) }
  const { aliases, shells, readsAsUnasked } = tools
  return fenceOf(rules, { harmless, aliases, shells, readsAsUnasked, readShell })
}

/** The fence of the next tier, for which calls are parked; `null`: calls outside this tier's fence are refused. */
function fenceAbove(tierContext: TierContext, agent: Agent): Fence | null {
  const { chain, purpose } = tierContext
  if (deferralOf(tierContext, agent) === null) return null
  return fenceFor(tierContext, tierFor(chain.mandate, purpose.tier + 1, agent), agent)
}

/** What a run outside of chains may cost: the rest of a budget. */
export type DollarsLeft = {
  readonly leftUsd: number
  /** What earlier attempts cost, when the budget is that of a job; `null`: it is that of the turn alone. */
  readonly spentByJobUsd: number | null
}

/** Watches the dollar budget of a run outside of chains. */
export function watchDollars(
  dependencies: Pick<Dependencies, 'clock'>,
  { leftUsd, spentByJobUsd }: DollarsLeft,
  watched: { readonly run: Run; readonly agent: Agent },
): RunWatch {
  const spentUsd = spentByJobUsd ?? 0
  const budget = { ...NO_BUDGET, usd: spentUsd + leftUsd }
  const before = { ...NOTHING_SPENT, usd: spentUsd }
  const whose = spentByJobUsd === null ? OF_RUN : OF_JOB
  return watchBudgets(dependencies, [{ ...whose, budget, before }], watched)
}

const OF_RUN = {
  of: 'the run',
  hint: 'Send another message with a higher `budgetUsd`: the thread goes on where it stopped.',
}
const OF_JOB = {
  of: 'the job',
  hint: 'Let it spend as much again with `reprise jobs retry`, or submit another job with a higher `--budget`.',
}
const CHAIN_HINT =
  'Raise the budget in the policy or with `--budget`, then start again: `reprise escalate`.'

function watchBudgets(
  dependencies: Pick<Dependencies, 'clock'>,
  budgets: readonly Watched[],
  { run, agent }: { readonly run: Run; readonly agent: Agent },
): RunWatch {
  const warned = new Set<string>()
  let stopped: Stopped | null = null
  return {
    get stopped() {
      return stopped
    },
    see(_, observation) {
      const own = ownSpent(dependencies, { run, agent, observation })
      for (const { of, hint, budget, before } of budgets) {
        const state = checkBudget(budget, addSpent(before, own))
        if (state.state === 'spent') stopped ??= { ...spentBudget(of, state), hint }
        if (state.state !== 'near' || warned.has(of)) continue
        warned.add(of)
        return { notice: nearBudget(of, state) }
      }
      return { notice: null }
    },
  }
}

type Watched = {
  readonly of: string
  /** What a person can do once it is spent. */
  readonly hint: string
  readonly budget: Budget
  readonly before: Spent
}

/** Gives the budgets of chain and tier, with what they had spent before this run. */
function budgetsOf({ chain, tier, runs, purpose }: TierContext, run: Run): readonly Watched[] {
  const others = runs.filter(other => other.id !== run.id)
  const since = (began: number) => Math.max(0, (run.startedAt ?? run.queuedAt) - began)
  const inTier = runs.filter(other => other.tier === purpose.tier)
  const tierBegan = Math.min(...inTier.map(other => other.queuedAt), run.queuedAt)
  const total = (all: readonly Run[], began: number) =>
    addSpent(all.map(spentBy).reduce(addSpent, NOTHING_SPENT), {
      ...NOTHING_SPENT,
      wallClockMs: since(began),
    })
  const ofTier = others.filter(other => other.tier === purpose.tier)
  return [
    { of: 'the chain', budget: chain.mandate.budget, before: total(others, chain.createdAt) },
    { of: `tier ${purpose.tier}`, budget: tier.budget, before: total(ofTier, tierBegan) },
  ].map(watched => ({ ...watched, hint: CHAIN_HINT, budget: { ...watched.budget, runs: null } }))
}

function spentBy({ costUsd, usage }: Run): Spent {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
  return { usd: costUsd ?? 0, tokens, runs: 1, wallClockMs: 0 }
}

/** Adds up the list prices of the run's requests, including the one that is under way. */
function ownSpent(
  { clock }: Pick<Dependencies, 'clock'>,
  { run, agent, observation }: { run: Run; agent: Agent; observation: Observation },
): Spent {
  const requests = [...observation.requests.values()]
  const usage = totalUsage(requests)
  const tokens =
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
  const usd = priceOf(requests, model => agent.adapter.money.price(model))?.least ?? 0
  return { usd, tokens, runs: 0, wallClockMs: clock.now() - (run.startedAt ?? clock.now()) }
}

function leftFence(violation: PolicyViolation): Stopped {
  return {
    class: 'policy-violation',
    message: violationWords(violation),
    hint: 'Run `reprise chains show` to see what the agent did before anything else runs; nothing was repeated.',
  }
}

function spentBudget(of: string, state: Extract<BudgetState, { kind: unknown }>) {
  return {
    class: 'budget',
    message: `the budget of ${of} is spent: ${budgetWords(state)}`,
  } as const
}

function nearBudget(of: string, state: Extract<BudgetState, { kind: unknown }>): AgentSaid {
  const text = `the budget of ${of} is nearly spent: ${budgetWords(state)}`
  return { type: 'notice', code: 'budget-near', text }
}
