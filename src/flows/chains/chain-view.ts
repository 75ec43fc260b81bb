// Chains as users see them, with tiers and totals, found by the chain's id or by the id of one of its runs.
import type { Chain, TierSummary } from '../../api.ts'
import type { ChainRecord } from '../../core/chain/chain.ts'
import { chainReasonWords, openingWords } from '../../core/chain/chain-words.ts'
import { agentOfTier, ceilingOf, type Mandate, tierOf } from '../../core/chain/policy.ts'
import { reportTier } from '../../core/chain/policy-report.ts'
import { reportedCost } from '../../core/money/reported-cost.ts'
import { OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import { DEFAULT_CHAIN_TRUST } from '../../core/run/trust.ts'
import { RepriseError } from '../../errors.ts'
import type { Dependencies } from '../dependencies.ts'

export async function existingChain(dependencies: Dependencies, id: string): Promise<Chain> {
  return chainView(await recordOf(dependencies, id), await dependencies.store.runsOfChain(id))
}

export async function recordOf({ store }: Dependencies, id: string): Promise<ChainRecord> {
  const chain = await store.chain(id)
  if (chain) return chain
  throw new RepriseError(
    'not-found',
    `there is no chain ${id}`,
    'Run `reprise chains` to see their ids.',
  )
}

export async function chainOfRun(dependencies: Dependencies, runId: string): Promise<Chain> {
  const run = await dependencies.store.run(runId)
  if (run === null) {
    throw new RepriseError(
      'not-found',
      `there is no run ${runId}`,
      'Run `reprise runs` to see their ids.',
    )
  }
  if (run.chainId !== null) return existingChain(dependencies, run.chainId)
  const what = `run ${runId} belongs to no chain`
  throw new RepriseError('not-found', what, 'Run `reprise chains` to see their ids.')
}

/** The run of the chain that is not over yet; `null` when the chain is over. */
export async function openRunOf({ store }: Dependencies, chainId: string): Promise<Run | null> {
  const runs = await store.runsOfChain(chainId)
  return runs.find(run => OPEN_STATUSES.includes(run.status)) ?? null
}

export function chainView({ mandate, ...chain }: ChainRecord, runs: readonly Run[]): Chain {
  const byTier = tiersOf({ mandate, agent: chain.agent }, runs)
  const sum = (of: (tier: TierSummary) => number) => byTier.reduce((all, tier) => all + of(tier), 0)
  return {
    ...chain,
    policy: mandate.policy.name,
    maxTier: ceilingOf(mandate),
    dryRun: mandate.dryRun,
    budgetUsd: mandate.budget.usd,
    words: `${chainReasonWords(chain.because)}${openingWords(chain.because, mandate)}`,
    runs,
    totals: {
      ...reportedCost(runs),
      durationMs: sum(tier => tier.durationMs),
      tokens: sum(tier => tier.tokens),
    },
    byTier,
    tiers: mandate.policy.tiers.map(reportTier),
  }
}

type TieredChain = { readonly mandate: Mandate; readonly agent: string }

function tiersOf(chain: TieredChain, runs: readonly Run[]): readonly TierSummary[] {
  const grouped = Map.groupBy(runs, run => run.tier ?? 1)
  return [...grouped].map(([tier, own]) => {
    const last = own.at(-1)
    return {
      tier,
      name: tierOf(chain.mandate.policy, tier).name,
      agent: last?.agent ?? agentOfTier(chain, tier),
      model: last?.model ?? null,
      ...reportedCost(own),
      costDisputed: own.some(run => run.costDisputed),
      durationMs: own.reduce((sum, run) => sum + (run.durationMs ?? 0), 0),
      tokens: own.reduce((sum, run) => sum + tokensOf(run), 0),
      runs: own.length,
      status: last?.status ?? 'queued',
      trust: last?.trust ?? DEFAULT_CHAIN_TRUST,
      sandbox: last?.sandbox ?? null,
    }
  })
}

function tokensOf({ usage }: Run): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
}
