// Says whether the agent of a tier can be held to what its policy says, before anything runs. The words name the tier.
import { parseRule } from '../fence/tool-rules.ts'
import type { Trust } from '../run/trust.ts'
import {
  ceilingOf,
  confinesOf,
  effectiveTier,
  type Mandate,
  type Policy,
  type Tier,
  tierOf,
  withAgents,
} from './policy.ts'

/** What must be known of an agent to judge a tier that it runs. */
export type TierAgent = {
  readonly name: string
  readonly adapter: {
    readonly name: string
    readonly fence?: TierFence
    readonly unfenced?: string
    readonly words: { takesModel(model: string): boolean }
    readonly money: { readonly reportsCost?: false; readonly reportsTokens?: false }
  }
}

type TierFence = { readonly modes: readonly string[] } & (
  | {
      readonly kind: 'rules'
      readonly kinds?: readonly string[]
      readonly trusts?: readonly Trust[]
    }
  | { readonly kind: 'sandbox'; readonly trusts: readonly Trust[] }
)

export type TierProblem = {
  readonly code: 'agent-unusable' | 'bad-input' | 'not-found'
  readonly message: string
  readonly hint: string
}

/**
 * The first problem of the tiers that a chain may reach with their agents; `null`: each can be held to its tier. Every tier
 * names its agent.
 */
export function problemOfAgents(
  mandate: Mandate,
  configured: readonly TierAgent[],
): TierProblem | null {
  const reachable = mandate.policy.tiers.slice(0, ceilingOf(mandate))
  const agents: TierAgent[] = []
  for (const [at, { agent: name = '' }] of reachable.entries()) {
    const agent = configured.find(one => one.name === name)
    const problem = agent
      ? problemOfTier(mandate, at + 1, agent)
      : unknownAgent(`policy ${mandate.policy.name}: tier ${at + 1}`, name, configured)
    if (problem) return problem
    if (agent) agents.push(agent)
  }
  return problemOfBudget(mandate, agents)
}

/** The problem of a policy with the agents here, before anybody starts a chain of it. */
export function problemOfPolicy(
  policy: Policy,
  { configured, defaultAgent }: ConfiguredAgents,
): TierProblem | null {
  const { maxTier, budget } = policy
  const named = withAgents(policy, policy.agent ?? defaultAgent)
  return problemOfAgents({ policy: named, maxTier, budget, dryRun: false }, configured)
}

export type ConfiguredAgents = {
  readonly configured: readonly TierAgent[]
  /** Runs the tiers of a policy that names no agent. */
  readonly defaultAgent: string
}

/** What works, but not as far as the author of the policy may think. */
export function warningsOfAgents(
  policy: Policy,
  { configured, defaultAgent }: ConfiguredAgents,
): readonly string[] {
  const { tiers } = withAgents(policy, policy.agent ?? defaultAgent)
  return tiers.flatMap(({ agent: name }, at) => {
    const below = tiers[at - 1]
    const parksNothing =
      policy.whenForbidden === 'defer' && below !== undefined && below.agent !== name
    const agent = configured.find(one => one.name === name)
    const isSilent = agent !== undefined && !reportsCost(agent)
    const isWithoutTokens = agent?.adapter.money.reportsTokens === false
    return [
      ...(parksNothing
        ? [
            `tier ${at} parks no calls for tier ${at + 1}, whatever \`whenForbidden\` says: the next tier has another agent, so the calls are refused`,
          ]
        : []),
      ...(policy.budget.usd !== null && isSilent
        ? [
            `tier ${at + 1} spends dollars that the budget of the chain does not count: ${name} does not say what it costs`,
          ]
        : []),
      ...(policy.budget.tokens !== null && isWithoutTokens
        ? [
            `tier ${at + 1} uses tokens that the budget of the chain does not count: ${name} does not say how many a turn with calls used`,
          ]
        : []),
    ]
  })
}

function unknownAgent(where: string, name: string, configured: readonly TierAgent[]): TierProblem {
  const known = configured.map(agent => agent.name).join(', ')
  return {
    code: 'not-found',
    message: `${where}: there is no agent named "${name}"`,
    hint: `Known agents: ${known}. Add others under "agents" in config.yaml.`,
  }
}

function problemOfTier(
  mandate: Pick<Mandate, 'policy' | 'dryRun'>,
  number: number,
  agent: TierAgent,
): TierProblem | null {
  const { policy } = mandate
  const tier = tierOf(policy, number)
  const { fence } = agent.adapter
  const where = `policy ${policy.name}: tier ${number} (agent ${agent.name})`
  if (fence === undefined) {
    return {
      code: 'agent-unusable',
      message: `${where} cannot be held to a policy: ${agent.adapter.unfenced ?? `its adapter ${agent.adapter.name} knows no rules, no sandbox and no modes for tiers`}`,
      hint: 'Name another agent: `agent:` of the tier or of the policy, or `--agent`.',
    }
  }
  const found =
    modeProblem(tier, agent, fence) ??
    modelProblem(tier, agent) ??
    rulesProblem(tier, agent, fence) ??
    trustProblem(policy, tier, { agent, fence }) ??
    dryRunProblem(mandate, number, { agent, fence }) ??
    budgetProblem(tier, agent)
  return found && { code: 'bad-input', message: `${where} ${found.what}`, hint: found.hint }
}

/** No tier of the chain could be held to its dollars. */
function problemOfBudget(
  { policy, budget }: Pick<Mandate, 'policy' | 'budget'>,
  agents: readonly TierAgent[],
): TierProblem | null {
  if (budget.usd === null || agents.some(reportsCost)) return null
  return {
    code: 'bad-input',
    message: `policy ${policy.name}: a chain cannot be held to a budget in dollars, because none of its agents says what it costs`,
    hint: 'Set `budget: { tokens: … }` or `budget: { wallClockMs: … }` in the policy instead.',
  }
}

const reportsCost = ({ adapter }: TierAgent) => adapter.money.reportsCost !== false

type Found = { readonly what: string; readonly hint: string } | null

function modeProblem({ permissionMode }: Tier, { adapter }: TierAgent, fence: TierFence): Found {
  if (permissionMode === null || fence.modes.includes(permissionMode)) return null
  return {
    what: `has the permission mode ${permissionMode}, which ${adapter.name} does not have, or in which it does more than the tier allows`,
    hint: `Use one of ${fence.modes.join(', ')} as \`permissionMode\` of the tier.`,
  }
}

function modelProblem({ model }: Tier, { adapter }: TierAgent): Found {
  if (model === null || adapter.words.takesModel(model)) return null
  return {
    what: `has the model ${JSON.stringify(model.slice(0, 100))}, which ${adapter.name} cannot be given`,
    hint: 'Use the name of a model of this agent, or leave `model` out.',
  }
}

function rulesProblem(tier: Tier, { adapter }: TierAgent, fence: TierFence): Found {
  const rules = [...tier.allowedTools, ...tier.disallowedTools]
  if (fence.kind === 'rules') return kindsProblem(rules, adapter, fence.kinds ?? null)
  const [rule] = rules
  if (rule === undefined) return null
  return {
    what: `cannot be held to the tool rule ${quoted(rule)}: ${adapter.name} is held by its permission mode alone`,
    hint: `Set \`allowedTools: []\`, leave \`disallowedTools\` out, and choose what it may do by \`permissionMode\`: ${fence.modes.join(', ')}.`,
  }
}

/** A rule that fits no call would allow or forbid nothing. */
function kindsProblem(
  rules: readonly string[],
  { name }: TierAgent['adapter'],
  kinds: readonly string[] | null,
): Found {
  if (kinds === null) return null
  const fits = (text: string) => {
    const rule = parseRule(text)
    return rule !== null && rule.scope === null && kinds.includes(rule.tool)
  }
  const stranger = rules.find(rule => !fits(rule))
  if (stranger === undefined) return null
  return {
    what: `cannot be held to the tool rule ${quoted(stranger)}: ${name} is held to whole kinds of calls`,
    hint: `Use ${kinds.join(', ')} as rules of the tier, without brackets.`,
  }
}

function quoted(rule: string): string {
  return JSON.stringify(rule.slice(0, 100))
}

type Judged = { readonly agent: TierAgent; readonly fence: TierFence }

function trustProblem(policy: Policy, tier: Tier, { agent, fence }: Judged): Found {
  const { trust } = confinesOf(policy, tier)
  if (fence.trusts?.includes(trust) ?? true) return null
  return {
    what: `cannot be held to trust ${trust}: ${agent.adapter.name} would still read settings that this leaves out`,
    hint: `Set \`trust: ${fence.trusts?.join('` or `trust: ')}\` on the tier where the directory is your own.`,
  }
}

/** In a dry run nobody's servers and hooks may run, so the agent must obey that. */
function dryRunProblem(
  mandate: Pick<Mandate, 'policy' | 'dryRun'>,
  number: number,
  { agent, fence }: Judged,
): Found {
  const { dryRun } = effectiveTier(mandate, number)
  if (!dryRun || (fence.trusts?.includes('none') ?? true)) return null
  return {
    what: `cannot be a dry run: ${agent.adapter.name} would still start servers that the settings of the user or the project name`,
    hint: 'Start the chain without `--dry-run`, or let it end below this tier with `--max-tier`.',
  }
}

function budgetProblem({ budget }: Tier, agent: TierAgent): Found {
  const { name, money } = agent.adapter
  if (budget.usd !== null && !reportsCost(agent))
    return {
      what: `cannot be held to a budget in dollars: ${name} does not say what it costs`,
      hint: 'Set `budget: { tokens: … }` or `budget: { wallClockMs: … }` on the tier instead.',
    }
  if (budget.tokens === null || money.reportsTokens !== false) return null
  return {
    what: `cannot be held to a budget in tokens: ${name} does not say how many a turn with calls used`,
    hint: 'Set `budget: { usd: … }` or `budget: { wallClockMs: … }` on the tier instead.',
  }
}
