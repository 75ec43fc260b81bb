// A policy: the ordered tiers of a chain, each with its own model, tools and limits. A chain keeps a copy of the one it began with.

import type { Budget } from '../money/budget.ts'
import { DEFAULT_CHAIN_SANDBOX, type SandboxMode } from '../run/sandbox.ts'
import { DEFAULT_CHAIN_TRUST, type Trust } from '../run/trust.ts'
import type { Carry } from './carry.ts'

/** One tier of a policy: what its agent is for and what it may do. */
export type Tier = {
  readonly name: string
  /** What the tier is for, in a sentence that its agent reads. */
  readonly role: string
  /** The agent that runs the tier; default: the agent of the chain. */
  readonly agent?: string
  /** `null`: the model of the agent. */
  readonly model: string | null
  /** The permission mode, by the agent's own name for it; `null`: the first of those that the agent has for tiers. */
  readonly permissionMode: string | null
  /** Tools that the tier may use, as rules in the words of the agent. A tool that no rule allows is refused. */
  readonly allowedTools: readonly string[]
  /** Tools that the tier may not use. They win over `allowedTools`. */
  readonly disallowedTools: readonly string[]
  /** What the prompt says that the agent is authorised to do. */
  readonly actions: readonly string[]
  /** The shortest time between two entries into this tier, over all chains of the policy in one work dir. */
  readonly cooldownMs: number
  /** The agent changes nothing and says what it would do. It has the reading tools of the first tier that has the same agent. */
  readonly dryRun: boolean
  /** The budget of all runs of the tier together. */
  readonly budget: Budget
  /** Over this share of the model's window, the tier gets a handover note; `null`: as the policy says. */
  readonly contextThreshold: number | null
  /** `ask`: a person must approve before a chain enters this tier. */
  readonly approval: 'auto' | 'ask'
  /** What the tier gets of the conversation below; default: all of it. */
  readonly carry?: Carry
  /** Whose settings take part; default: as the policy says. */
  readonly trust?: Trust
  /** What holds its processes; default: as the policy says. */
  readonly sandbox?: SandboxMode
}

/** The tiers of a chain in order, and what holds for all of them. */
export type Policy = {
  readonly name: string
  /** The agent of the tiers that name none; `null`: the caller that starts the chain names it. */
  readonly agent: string | null
  /** The highest tier that a chain may reach; counts from 1. */
  readonly maxTier: number
  /** Over this share of the model's window, a tier gets a handover note; `null`: as in the resume settings. */
  readonly contextThreshold: number | null
  /** What happens to a call above its tier: it is refused (default), or parked for the next tier, which begins with it. */
  readonly whenForbidden?: 'refuse' | 'defer'
  /** Whose settings take part in its tiers; default: `none`. */
  readonly trust?: Trust
  /** What holds the processes of its tiers; default: `auto`. */
  readonly sandbox?: SandboxMode
  /** Variables (or `PREFIX_*`) that its agents get besides the list of the adapter. */
  readonly passEnv?: readonly string[]
  /** MCP servers that may take part in its tiers. */
  readonly mcpServers?: readonly string[]
  /** Sub-agents that may take part in its tiers, besides the built-in ones. */
  readonly subagents?: readonly string[]
  /** The budget of a whole chain. */
  readonly budget: Budget
  /** The tiers in order; the first one is tier 1. */
  readonly tiers: readonly Tier[]
}

/** What a chain was started with: the policy as it was then, and the highest tier. None of it ever changes. */
export type Mandate = {
  readonly policy: Policy
  readonly maxTier: number
  /** Every tier is a dry run. */
  readonly dryRun: boolean
  readonly budget: Budget
}

/**
 * The tier as it will really run. A dry run gets the tools of the first tier that has the same agent, because the words for tools
 * differ by agent. No hooks or MCP servers of anybody run in it.
 */
export function effectiveTier(
  { policy, dryRun }: Pick<Mandate, 'policy' | 'dryRun'>,
  number: number,
): Tier {
  const tier = tierOf(policy, number)
  if (!dryRun && !tier.dryRun) return tier
  const first = policy.tiers.find(({ agent }) => agent === tier.agent) ?? tier
  return {
    ...tier,
    dryRun: true,
    trust: 'none',
    permissionMode: first.permissionMode,
    allowedTools: first.allowedTools,
    disallowedTools: first.disallowedTools,
  }
}

/** The policy with an agent in every tier: its own, or the one of the chain. */
export function withAgents(policy: Policy, agent: string): Policy {
  return { ...policy, tiers: policy.tiers.map(tier => ({ ...tier, agent: tier.agent ?? agent })) }
}

/** The agent that runs a tier of a chain. A chain of an earlier version has one agent for all tiers. */
export function agentOfTier(
  { agent, mandate }: { readonly agent: string; readonly mandate: Pick<Mandate, 'policy'> },
  number: number,
): string {
  return mandate.policy.tiers[number - 1]?.agent ?? agent
}

/** Whose settings take part in a tier, and what holds its processes. */
export function confinesOf(
  policy: Policy,
  tier: Tier,
): { readonly trust: Trust; readonly sandbox: SandboxMode } {
  return {
    trust: tier.trust ?? policy.trust ?? DEFAULT_CHAIN_TRUST,
    sandbox: tier.sandbox ?? policy.sandbox ?? DEFAULT_CHAIN_SANDBOX,
  }
}

/** The policy with another sandbox for all its tiers. */
export function withSandbox(policy: Policy, sandbox: SandboxMode | undefined): Policy {
  if (sandbox === undefined) return policy
  return { ...policy, sandbox, tiers: policy.tiers.map(tier => ({ ...tier, sandbox })) }
}

/** The highest tier that a chain can reach; no verdict and no approval goes beyond it. */
export function ceilingOf({ policy, maxTier }: Pick<Mandate, 'policy' | 'maxTier'>): number {
  return Math.min(maxTier, policy.maxTier, policy.tiers.length)
}

export function tierOf(policy: Policy, number: number): Tier {
  const tier = policy.tiers[number - 1]
  if (tier) return tier
  throw new RangeError(`policy ${policy.name} has no tier ${number}`)
}
