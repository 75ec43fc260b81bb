// A policy: the ordered tiers of a chain, each with its own model, tools and limits. A chain keeps a copy of the one it began with.
import type { Budget } from '../money/budget.ts'
import { DEFAULT_CHAIN_SANDBOX, type SandboxMode } from '../run/sandbox.ts'
import { DEFAULT_CHAIN_TRUST, type Trust } from '../run/trust.ts'

export type Tier = {
  readonly name: string
  /** What it is there for, in a sentence that its agent is told. */
  readonly role: string
  /** `null`: the model of the agent. */
  readonly model: string | null
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** What its agent is told that it may do. */
  readonly actions: readonly string[]
  /** Shortest time between two entries into this tier, over all chains of the policy in one work dir. */
  readonly cooldownMs: number
  /** Its agent looks and says what it would do, with those tools of the first tier that only look. */
  readonly dryRun: boolean
  /** Of all its runs together. */
  readonly budget: Budget
  /** Share of the model's window over which it gets a handover note; `null`: as for the policy. */
  readonly contextThreshold: number | null
  /** `ask`: a person lets a chain into this tier. */
  readonly approval: 'auto' | 'ask'
  /** Unless said otherwise, as for the policy. */
  readonly trust?: Trust
  readonly sandbox?: SandboxMode
}

export type Policy = {
  readonly name: string
  /** `null`: whoever starts the chain says which agent. */
  readonly agent: string | null
  /** No chain goes higher; counts from 1. */
  readonly maxTier: number
  /** `null`: as in the resume settings. */
  readonly contextThreshold: number | null
  /** What becomes of a call above its tier: refused (default), or parked for the next tier, which begins with it. */
  readonly whenForbidden?: 'refuse' | 'defer'
  /** Whose settings take part in its tiers; nobody's unless it says so. */
  readonly trust?: Trust
  /** What holds the processes of its tiers; `auto` unless it says otherwise. */
  readonly sandbox?: SandboxMode
  /** Variables (or `PREFIX_*`) that its agents get besides the adapter's list. */
  readonly passEnv?: readonly string[]
  /** MCP servers and sub-agents that may take part besides the built-in ones. */
  readonly mcpServers?: readonly string[]
  readonly subagents?: readonly string[]
  /** Of a whole chain. */
  readonly budget: Budget
  readonly tiers: readonly Tier[]
}

/** What a chain was started with: the policy as it was then, and how far it may go. None of it ever changes. */
export type Mandate = {
  readonly policy: Policy
  readonly maxTier: number
  /** Every tier is a dry run. */
  readonly dryRun: boolean
  readonly budget: Budget
}

/** The tier as it will really run. A dry run begins with the first tier's tools, and nobody's hooks and servers run in it. */
export function effectiveTier({ policy, dryRun }: Mandate, number: number): Tier {
  const tier = tierOf(policy, number)
  if (!dryRun && !tier.dryRun) return tier
  const first = tierOf(policy, 1)
  return {
    ...tier,
    dryRun: true,
    trust: 'none',
    permissionMode: first.permissionMode,
    allowedTools: first.allowedTools,
    disallowedTools: first.disallowedTools,
  }
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

/** The highest tier a chain can reach, whatever anybody says. */
export function ceilingOf({ policy, maxTier }: Pick<Mandate, 'policy' | 'maxTier'>): number {
  return Math.min(maxTier, policy.maxTier, policy.tiers.length)
}

export function tierOf(policy: Policy, number: number): Tier {
  const tier = policy.tiers[number - 1]
  if (tier) return tier
  throw new RangeError(`policy ${policy.name} has no tier ${number}`)
}
