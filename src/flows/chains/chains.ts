// Chains: started here, carried on by the one step under everything, told as a whole from any of their runs.

import type { Chain, ChainOptions, TierSummary } from '../../api.ts'
import type { ChainRecord } from '../../core/chain/chain.ts'
import { chainReasonWords, openingWords } from '../../core/chain/chain-words.ts'
import {
  ceilingOf,
  confinesOf,
  type Mandate,
  type Policy,
  tierOf,
} from '../../core/chain/policy.ts'
import { enter } from '../../core/chain/supervise.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { type Budget, NO_BUDGET } from '../../core/money/budget.ts'
import { OPEN_STATUSES, type Run } from '../../core/run/run.ts'
import { DEFAULT_CHAIN_TRUST } from '../../core/run/trust.ts'
import { RepriseError } from '../../errors.ts'
import type { NewChain } from '../../store/contract/chains.ts'
import { findAgent } from '../agents/agents.ts'
import { refuseBadCommand } from '../agents/check-options.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import type { TurnControl } from '../queue/under-way.ts'
import { claimInSlot } from '../queue/wait-for-turn.ts'
import { checkedPrompt, checkedWorkDir, refuseBadBudget } from '../threads/check-input.ts'
import { takeTurn, titleOf } from '../turn/send-turn.ts'
import { forbiddenIn, formFor, tierFor, turnOf } from './tier-context.ts'

export type ChainRequest = Omit<ChainOptions, 'policy' | 'sandbox' | 'signal'> & {
  readonly policy: Policy
  readonly agent: string
  readonly scheduleId?: string
}

export type ChainControl = TurnControl<{ chainId: string; runId: string | null }>

export async function startChain(
  dependencies: Dependencies,
  { request, control }: { readonly request: ChainRequest; readonly control: ChainControl },
): Promise<Chain> {
  const agent = await findAgent(dependencies, request.agent)
  const wanted = await newChain(dependencies, request, agent)
  const { stored, claimed } = await claimInSlot(dependencies, leaseMs =>
    dependencies.store.startChain(wanted, leaseMs),
  )
  const { chain, run } = stored
  control.submitted({ chainId: chain.id, runId: run?.id ?? null })
  if (run) {
    const { thread } = wanted
    const find = async () => agent
    await takeTurn(dependencies, { run, claimed, thread, find, options: {}, control })
  }
  return existingChain(dependencies, chain.id)
}

/** Whatever is wrong with it is told before anything is stored. */
export async function checkChain(dependencies: Dependencies, request: ChainRequest, agent: Agent) {
  const prompt = checkedPrompt(request.prompt)
  const workDir = await checkedWorkDir(dependencies, request.workDir)
  const mandate = mandateOf(request)
  refuseUnguarded(agent)
  refuseBadTiers(mandate, agent, workDir)
  return { prompt, workDir, mandate }
}

/** The Agent SDK answers for hooks itself: nobody would ask us before a call. */
function refuseUnguarded({ name, through }: Agent): void {
  if (through === undefined) return
  throw new RepriseError(
    'agent-unusable',
    `agent "${name}" talks through the Agent SDK, where the calls of a tier cannot be held back`,
    'Use an agent without it for chains: claudeCode() without `sdk`.',
  )
}

export async function recordOf({ store }: Dependencies, id: string): Promise<ChainRecord> {
  const chain = await store.chain(id)
  if (chain) return chain
  throw new RepriseError('not-found', `there is no chain ${id}`, 'List them: reprise chains ls.')
}

async function newChain(
  dependencies: Dependencies,
  request: ChainRequest,
  agent: Agent,
): Promise<NewChain> {
  const { prompt, workDir, mandate } = await checkChain(dependencies, request, agent)
  const now = dependencies.clock.now()
  const id = dependencies.random.id('chn')
  const thread: ThreadRecord = {
    id: dependencies.random.id('thr'),
    kind: 'chain',
    title: request.title ?? titleOf(prompt),
    agent: agent.name,
    workDir,
    view: 'all',
    forkedFrom: null,
    instructions: null,
    // A copy of it goes on no wider than the chain began.
    ...confinesOf(mandate.policy, tierOf(mandate.policy, 1)),
    createdAt: now,
    updatedAt: now,
  }
  const runId = dependencies.random.id('run')
  const chain = { id, threadId: thread.id, workDir, prompt, mandate }
  return {
    id,
    agent: agent.name,
    workDir,
    prompt,
    mandate,
    scheduleId: request.scheduleId ?? null,
    createdAt: now,
    thread,
    supervise: facts => {
      const step = enter(facts, { code: 'begun', tier: 1 })
      if (step.kind === 'end') return { step, next: null }
      const tier = { chain, agent, form: formFor(agent), step, runId, parentRunId: null }
      return { step, next: turnOf(dependencies, tier) }
    },
    ...(request.key && { key: request.key }),
  }
}

function mandateOf({ policy, maxTier, dryRun = false, budgetUsd }: ChainRequest): Mandate {
  const ceiling = ceilingOf({ policy, maxTier: policy.maxTier })
  if (maxTier !== undefined && (!Number.isInteger(maxTier) || maxTier < 1 || maxTier > ceiling)) {
    throw new RepriseError(
      'bad-input',
      `a chain of policy ${policy.name} cannot go up to tier ${maxTier}`,
      `Give a whole number from 1 to ${ceiling}.`,
    )
  }
  refuseBadBudget(budgetUsd)
  return {
    policy,
    maxTier: maxTier ?? ceiling,
    dryRun,
    budget: lower(policy.budget, budgetUsd ?? null),
  }
}

function lower(budget: Budget, usd: number | null): Budget {
  if (usd === null || (budget.usd !== null && budget.usd <= usd)) return budget
  return { ...NO_BUDGET, ...budget, usd }
}

/** Every tier is checked before anything is stored. */
function refuseBadTiers(mandate: Mandate, agent: Agent, workDir: string): void {
  for (let number = 1; number <= ceilingOf(mandate); number += 1) {
    const tier = tierFor(mandate, number, agent)
    refuseBadCommand(agent, {
      workDir,
      model: tier.model ?? agent.model,
      permissionMode: tier.permissionMode,
      allowedTools: tier.allowedTools,
      disallowedTools: forbiddenIn(tier, agent),
      trust: confinesOf(mandate.policy, tier).trust,
    })
  }
}

export async function existingChain(dependencies: Dependencies, id: string): Promise<Chain> {
  return chainView(await recordOf(dependencies, id), await dependencies.store.runsOfChain(id))
}

export async function chainOfRun(dependencies: Dependencies, runId: string): Promise<Chain> {
  const run = await dependencies.store.run(runId)
  if (run === null) {
    throw new RepriseError('not-found', `there is no run ${runId}`, 'List them: reprise runs ls.')
  }
  if (run.chainId !== null) return existingChain(dependencies, run.chainId)
  const what = `run ${runId} belongs to no chain`
  throw new RepriseError('not-found', what, 'List the chains: reprise chains ls.')
}

/** The run that is going, or waits to; `null` when the chain is over. */
export async function openRunOf({ store }: Dependencies, chainId: string): Promise<Run | null> {
  const runs = await store.runsOfChain(chainId)
  return runs.find(run => OPEN_STATUSES.includes(run.status)) ?? null
}

export function chainView({ mandate, ...chain }: ChainRecord, runs: readonly Run[]): Chain {
  const byTier = tiersOf(mandate, runs)
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
      costUsd: sum(tier => tier.costUsd),
      durationMs: sum(tier => tier.durationMs),
      tokens: sum(tier => tier.tokens),
    },
    byTier,
  }
}

function tiersOf({ policy }: Mandate, runs: readonly Run[]): readonly TierSummary[] {
  const grouped = Map.groupBy(runs, run => run.tier ?? 1)
  return [...grouped].map(([tier, own]) => {
    const last = own.at(-1)
    return {
      tier,
      name: tierOf(policy, tier).name,
      model: last?.model ?? null,
      costUsd: own.reduce((sum, run) => sum + (run.costUsd ?? 0), 0),
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
