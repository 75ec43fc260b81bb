// A policy as users see it before they start a chain with it: what each tier may do and cost.
import type { Policy, Tier } from './policy.ts'
import { ceilingOf } from './policy.ts'

/** A policy that has a name here, or the reason why it cannot be used. */
export type FoundPolicy =
  | { readonly name: string; readonly policy: Policy }
  | { readonly name: string; readonly problem: string }

/** What one tier of a policy may do and cost. */
export type TierReport = Pick<
  Tier,
  | 'name'
  | 'role'
  | 'model'
  | 'permissionMode'
  | 'allowedTools'
  | 'disallowedTools'
  | 'cooldownMs'
  | 'dryRun'
  | 'approval'
> & {
  /** `null`: the agent of the chain. */
  readonly agent: string | null
  /** Counts from 1. */
  readonly number: number
  /** Dollars for all runs of the tier together; `null`: no limit. */
  readonly budgetUsd: number | null
}

/** A policy by the name that chains are started with. */
export type PolicyReport = {
  readonly name: string
  /** The agent of the tiers that name none; `null`: the caller that starts the chain names it. */
  readonly agent: string | null
  /** The highest tier that a chain can reach; 0 when the policy cannot be used. */
  readonly maxTier: number
  /** Dollars for a whole chain; `null`: no limit. */
  readonly budgetUsd: number | null
  /** All tiers in order, also those above `maxTier`. */
  readonly tiers: readonly TierReport[]
  /** Why the policy cannot be used; `null` when it can. */
  readonly problem: string | null
}

/** `problemOf` says why the agents here cannot be held to a policy. */
export function reportPolicy(
  found: FoundPolicy,
  problemOf: (policy: Policy) => string | null,
): PolicyReport {
  const { name } = found
  if ('problem' in found) {
    return { name, agent: null, maxTier: 0, budgetUsd: null, tiers: [], problem: found.problem }
  }
  const { policy } = found
  return {
    name,
    agent: policy.agent,
    maxTier: ceilingOf({ policy, maxTier: policy.maxTier }),
    budgetUsd: policy.budget.usd,
    tiers: policy.tiers.map(reportTier),
    problem: problemOf(policy),
  }
}

export function reportTier(tier: Tier, index: number): TierReport {
  return {
    number: index + 1,
    name: tier.name,
    role: tier.role,
    agent: tier.agent ?? null,
    model: tier.model,
    permissionMode: tier.permissionMode,
    allowedTools: tier.allowedTools,
    disallowedTools: tier.disallowedTools,
    cooldownMs: tier.cooldownMs,
    dryRun: tier.dryRun,
    approval: tier.approval,
    budgetUsd: tier.budget.usd,
  }
}
