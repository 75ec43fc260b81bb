// A person lets a chain go on, into a tier that needs approval or in a tier that was broken off; or ends it there.
import type { Chain } from '../../api.ts'
import type { ChainRecord } from '../../core/chain/chain.ts'
import { chainReasonWords } from '../../core/chain/chain-words.ts'
import { agentOfTier } from '../../core/chain/policy.ts'
import {
  type ChainFacts,
  type ChainStep,
  continueTier,
  enter,
  isBrokenOff,
} from '../../core/chain/supervise.ts'
import type { Interruption } from '../../core/conversation/interruption.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'
import type { Resumption } from '../../store/contract/chains.ts'
import { findAgent } from '../agents/agents.ts'
import type { Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { openCallsOf } from '../recovery/open-calls.ts'
import { refuseElsewhere } from '../threads/refuse-elsewhere.ts'
import { takeTurn } from '../turn/send-turn.ts'
import { existingChain, recordOf } from './chain-view.ts'
import type { ChainControl } from './start-chain.ts'
import { type TierRequest, turnOf } from './tier-context.ts'

type Asked = { readonly id: string; readonly control: ChainControl }

/** Gives the approval only: every other limit of the chain still applies. */
export async function approveChain(dependencies: Dependencies, asked: Asked): Promise<Chain> {
  refuseSpent(await recordOf(dependencies, asked.id))
  const last = (await dependencies.store.runsOfChain(asked.id)).at(-1)
  return goOn(dependencies, {
    ...asked,
    from: 'held',
    last,
    step: facts => enter(facts, { code: 'approved', tier: facts.tier + 1 }),
  })
}

/** Reprise never does this by itself: a person must judge what the run did before it broke off. */
export async function continueChain(dependencies: Dependencies, asked: Asked): Promise<Chain> {
  const broken = await brokenOffOf(dependencies, asked.id)
  return goOn(dependencies, {
    ...asked,
    ...broken,
    from: 'broken-off',
    step: facts => unlessHeld(asked.id, continueTier(facts, broken.last?.id ?? '')),
  })
}

type BrokenOff = { readonly last: Run | undefined } & Pick<TierRequest, 'attempt' | 'interruption'>

/** The run that was broken off, and what Reprise tells the run that continues it. */
export async function brokenOffOf(dependencies: Dependencies, id: string): Promise<BrokenOff> {
  const runs = await dependencies.store.runsOfChain(id)
  const last = runs.at(-1)
  if (last === undefined) return { last }
  const ofTier = runs.filter(run => run.tier === last.tier)
  const interruption = await interruptionOf(dependencies, ofTier, last)
  return { last, attempt: last.attempt + 1, interruption }
}

/** Ends a chain that waits for a person, held or broken off. A chain that is over otherwise stays as it is. */
export async function cancelWaitingChain(dependencies: Dependencies, id: string): Promise<void> {
  const chain = await recordOf(dependencies, id)
  const from = chain.status === 'held' ? 'held' : isBrokenOff(chain) ? 'broken-off' : null
  if (from === null) return
  const last = (await dependencies.store.runsOfChain(id)).at(-1)
  const because = { code: 'chain-cancelled', tier: chain.because.tier } as const
  await dependencies.store.resumeChain(id, {
    from,
    after: last?.id ?? null,
    supervise: () => ({ step: { kind: 'end', status: 'cancelled', because }, next: null }),
    at: dependencies.clock.now(),
  })
}

type GoingOn = Asked &
  Pick<Resumption, 'from'> &
  Pick<TierRequest, 'attempt' | 'interruption'> & {
    readonly last: Run | undefined
    readonly step: (facts: ChainFacts) => ChainStep
  }

async function goOn(
  dependencies: Dependencies,
  { id, control, from, last, step: decide, ...broken }: GoingOn,
): Promise<Chain> {
  const chain = await recordOf(dependencies, id)
  const tierToRun = from === 'held' ? chain.tier + 1 : chain.tier
  const agent = await findAgent(dependencies, agentOfTier(chain, tierToRun))
  const thread = await mustExist(
    dependencies.store.thread(chain.threadId),
    `thread ${chain.threadId}`,
  )
  await refuseElsewhere(dependencies, thread)
  const runId = dependencies.random.id('run')
  const parentRunId = last?.id ?? null
  const noSlot = dependencies.live.slots.waitReason()
  const { run } = await dependencies.store.resumeChain(id, {
    from,
    after: parentRunId,
    supervise: facts => {
      const step = decide(facts)
      if (step.kind === 'end') return { step, next: null }
      const tier = { chain, agent, step, runId, parentRunId, ...broken }
      return { step, next: turnOf(dependencies, tier) }
    },
    at: dependencies.clock.now(),
    ...(noSlot && { noSlot }),
  })
  control.submitted({ chainId: id, runId: run?.id ?? null })
  if (run) {
    const find = async () => agent
    await takeTurn(dependencies, { run, claimed: null, thread, find, options: {}, control })
  }
  return existingChain(dependencies, id)
}

/** `null`: no agent ever started in this tier. */
async function interruptionOf(
  dependencies: Dependencies,
  ofTier: readonly Run[],
  last: Run,
): Promise<Interruption | null> {
  if (ofTier.every(run => run.startedAt === null)) return null
  const brokenOff = ofTier.filter(run => run.status !== 'completed')
  const openCalls = await Promise.all(brokenOff.map(run => openCallsOf(dependencies, run)))
  return {
    happened: last.failure?.class ?? 'unknown',
    attempt: last.attempt + 1,
    openCalls: openCalls.flat(),
  }
}

/**
 * Throws for a chain that is held because a budget is spent. An approval lifts no budget, and a tier that its budget stopped in the
 * middle has asked for nothing: the tier above it would begin without a verdict.
 */
export function refuseSpent({ id, status, because }: ChainRecord): void {
  if (status === 'held' && because.code === 'budget-spent')
    unlessHeld(id, { kind: 'end', status, because })
}

/** Throws instead of ending the chain: a later approval must not skip the tier that was broken off. */
export function unlessHeld(id: string, step: ChainStep): Exclude<ChainStep, { kind: 'end' }> {
  if (step.kind !== 'end') return step
  const what = `chain ${id} cannot go on: ${chainReasonWords(step.because)}`
  throw new RepriseError(
    'conflict',
    what,
    step.because.code === 'budget-spent' && step.because.of === 'tier'
      ? 'Give the tier a higher budget in the policy, and start another chain: `reprise escalate`.'
      : 'Start another chain with a higher budget: `reprise escalate --budget`.',
  )
}
