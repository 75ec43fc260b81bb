// Checks a chain, stores it with the run of its first tier, and runs that tier as a turn.

import type { Chain, ChainOptions } from '../../api.ts'
import {
  ceilingOf,
  confinesOf,
  type Mandate,
  type Policy,
  tierOf,
  withAgents,
} from '../../core/chain/policy.ts'
import { enter } from '../../core/chain/supervise.ts'
import type { ThreadRecord } from '../../core/conversation/thread.ts'
import { type Budget, NO_BUDGET } from '../../core/money/budget.ts'
import { namedTrace } from '../../core/trace/trace-context.ts'
import { RepriseError } from '../../errors.ts'
import type { NewChain } from '../../store/contract/chains.ts'
import type { Dependencies } from '../dependencies.ts'
import type { TurnControl } from '../queue/under-way.ts'
import { claimInSlot } from '../queue/wait-for-turn.ts'
import { checkedPrompt, checkedTitle, refuseBadBudget } from '../threads/check-input.ts'
import { takeTurn, titleOf } from '../turn/send-turn.ts'
import { checkedPlace } from '../workspaces/checked-place.ts'
import { existingChain } from './chain-view.ts'
import { findTierAgents } from './tier-agents.ts'
import { turnOf } from './tier-context.ts'

export type ChainRequest = Omit<ChainOptions, 'policy' | 'sandbox' | 'signal'> & {
  readonly policy: Policy
  /** Of the tiers that name none. */
  readonly agent: string
  readonly scheduleId?: string
}

export type ChainControl = TurnControl<{ chainId: string; runId: string | null }>

export async function startChain(
  dependencies: Dependencies,
  { request, control }: { readonly request: ChainRequest; readonly control: ChainControl },
): Promise<Chain> {
  const checked = await checkChain(dependencies, request)
  const [agent] = checked.agents
  const chainToStart = newChain(dependencies, request, checked)
  const span = dependencies.tracing.submit({
    ...{ kind: 'chain', agent: agent.name, threadId: chainToStart.thread.id },
    parent: namedTrace(request) ?? (request.scheduleId === undefined ? 'active' : null),
  })
  const wanted = { ...chainToStart, trace: span.trace }
  const { stored, claimed } = await claimInSlot(dependencies, slot =>
    'noSlot' in slot
      ? dependencies.store.startChain(wanted, null, slot.noSlot)
      : dependencies.store.startChain(wanted, slot.leaseMs),
  )
  const { chain, run } = stored
  span.stored(chain.id)
  control.submitted({ chainId: chain.id, runId: run?.id ?? null })
  if (run) {
    const { thread } = wanted
    const find = async () => agent
    await takeTurn(dependencies, { run, claimed, thread, find, options: {}, control })
  }
  return existingChain(dependencies, chain.id)
}

/** Throws for a bad request before anything is stored. */
export async function checkChain(dependencies: Dependencies, request: ChainRequest) {
  const prompt = checkedPrompt(request.prompt)
  const threadId = dependencies.random.id('thr')
  const place = await checkedPlace(dependencies, request, threadId)
  const mandate = mandateOf(request)
  const agents = await findTierAgents(dependencies, mandate, place.workDir)
  return { prompt, place, threadId, mandate, agents }
}

function newChain(
  dependencies: Dependencies,
  request: ChainRequest,
  checked: Awaited<ReturnType<typeof checkChain>>,
): NewChain {
  const { prompt, place, threadId, mandate } = checked
  const [agent] = checked.agents
  const { workDir } = place
  const now = dependencies.clock.now()
  const id = dependencies.random.id('chn')
  const thread: ThreadRecord = {
    id: threadId,
    kind: 'chain',
    title: request.title === undefined ? titleOf(prompt) : checkedTitle(request.title),
    agent: agent.name,
    ...place,
    view: 'all',
    forkedFrom: null,
    instructions: null,
    // A fork of the thread gets no more rights than the chain's first tier.
    ...confinesOf(mandate.policy, tierOf(mandate.policy, 1)),
    createdAt: now,
    updatedAt: now,
  }
  const runId = dependencies.random.id('run')
  const chain = { id, threadId: thread.id, workDir, prompt, mandate }
  return {
    id,
    agent: request.agent,
    workDir,
    prompt,
    mandate,
    scheduleId: request.scheduleId ?? null,
    createdAt: now,
    thread,
    supervise: facts => {
      const step = enter(facts, { code: 'begun', tier: 1 })
      if (step.kind === 'end') return { step, next: null }
      const tier = { chain, agent, step, runId, parentRunId: null }
      return { step, next: turnOf(dependencies, tier) }
    },
    ...(request.key && { key: request.key }),
  }
}

function mandateOf({ policy, agent, maxTier, dryRun = false, budgetUsd }: ChainRequest): Mandate {
  const ceiling = ceilingOf({ policy, maxTier: policy.maxTier })
  if (maxTier !== undefined && (!Number.isInteger(maxTier) || maxTier < 1 || maxTier > ceiling)) {
    throw new RepriseError(
      'bad-input',
      `a chain of policy ${policy.name} cannot go up to tier ${maxTier}`,
      `Give a whole number from 1 to ${ceiling} as --max-tier or \`maxTier\`.`,
    )
  }
  refuseBadBudget(budgetUsd)
  return {
    policy: withAgents(policy, agent),
    maxTier: maxTier ?? ceiling,
    dryRun,
    budget: lower(policy.budget, budgetUsd ?? null),
  }
}

function lower(budget: Budget, usd: number | null): Budget {
  if (usd === null || (budget.usd !== null && budget.usd <= usd)) return budget
  return { ...NO_BUDGET, ...budget, usd }
}
