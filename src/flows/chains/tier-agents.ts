// The agents of a chain's tiers. All of them are found and judged before anything is stored, and each again when its tier begins.
import type { ChainRecord } from '../../core/chain/chain.ts'
import { agentOfTier, ceilingOf, confinesOf, type Mandate } from '../../core/chain/policy.ts'
import { problemOfAgents } from '../../core/chain/tier-problems.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import { refuseBadCommand } from '../agents/check-options.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { type AgentFound, canGuard, forbiddenIn, refuseUnguarded, tierFor } from './tier-context.ts'

/** One agent for each tier that a chain may reach. The first is that of tier 1. */
export type TierAgents = readonly [Agent, ...Agent[]]

/** Throws when the agent of a tier is unknown, is not on this machine, or cannot be held to what the tier says. */
export async function findTierAgents(
  dependencies: Dependencies,
  mandate: Mandate,
  workDir: string,
): Promise<TierAgents> {
  const names = mandate.policy.tiers.slice(0, ceilingOf(mandate)).map(({ agent }) => agent ?? '')
  const problem = problemOfAgents(mandate, [...dependencies.agents.values()])
  if (problem) throw new RepriseError(problem.code, problem.message, problem.hint)
  const found: Agent[] = []
  for (const [at, name] of names.entries()) {
    const agent =
      found.find(other => other.name === name) ??
      (await ofTier(mandate, at + 1, () => findAgent(dependencies, name)))
    await ofTier(mandate, at + 1, async () => {
      refuseUnguarded(agent)
      refuseBadTier(mandate, at + 1, { agent, workDir })
    })
    found.push(agent)
  }
  const [first, ...others] = found
  if (first) return [first, ...others]
  throw new TypeError(`policy ${mandate.policy.name} has no tiers`)
}

/** Gives the agent of the tier above. It is looked for again: the program may be gone since the chain began. */
export async function agentAbove(
  dependencies: Dependencies,
  { chain, tier }: { readonly chain: ChainRecord; readonly tier: number },
  current: Agent,
): Promise<AgentFound> {
  const name = agentOfTier(chain, tier + 1)
  if (name === current.name) return { agent: current }
  try {
    const agent = await findAgent(dependencies, name)
    refuseUnguarded(agent)
    return { agent }
  } catch (error) {
    if (error instanceof RepriseError) return { missing: error }
    throw error
  }
}

/** Throws when the adapter cannot make a command of the tier. */
function refuseBadTier(
  mandate: Mandate,
  number: number,
  { agent, workDir }: { readonly agent: Agent; readonly workDir: string },
): void {
  const tier = tierFor(mandate, number, agent)
  refuseBadCommand(agent, {
    workDir,
    model: tier.model ?? agent.model,
    permissionMode: tier.permissionMode,
    allowedTools: tier.allowedTools,
    disallowedTools: forbiddenIn(tier, agent),
    trust: confinesOf(mandate.policy, tier).trust,
    ...(canGuard(agent) && { isGuarded: true }),
  })
}

/** An error about one tier names the tier. */
async function ofTier<T>({ policy }: Mandate, number: number, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof RepriseError)) throw error
    const what = `policy ${policy.name}: tier ${number}: ${error.message}`
    throw new RepriseError(error.code, what, error.hint)
  }
}
