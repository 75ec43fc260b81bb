// What the tier costs that a person lets a chain into, or lets it continue, and how the conversation would reach it.
import type { ChainRecord } from '../../core/chain/chain.ts'
import type { TierPreview } from '../../core/chain/chain-preview.ts'
import { noteText } from '../../core/chain/handover-note.ts'
import { agentOfTier, ceilingOf } from '../../core/chain/policy.ts'
import { continueTier, enter, isBrokenOff } from '../../core/chain/supervise.ts'
import { viewOf } from '../../core/conversation/messages.ts'
import { decide } from '../../core/decide/decide.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { estimateDecision, type Prospect } from '../../core/decide/prospect.ts'
import { waysOf } from '../../core/decide/ways.ts'
import { reportedCost } from '../../core/money/reported-cost.ts'
import { RepriseError } from '../../errors.ts'
import { findAgent } from '../agents/agents.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { mustExist } from '../must-exist.ts'
import { weighCarry } from '../sessions/carry-over.ts'
import { carriedWays } from '../threads/preview-turn.ts'
import { gather, type Situation } from '../turn/gather.ts'
import { prospectOf } from '../turn/prospect-of.ts'
import { recordOf } from './chain-view.ts'
import { earlierChains, habitsOfTier } from './preview-chain.ts'
import { brokenOffOf, refuseSpent, unlessHeld } from './resume-chain.ts'
import { noteFor, type TierRequest, tierContextOf, turnOf, withThreshold } from './tier-context.ts'

/** Decides as the tier itself would: from the thread of the chain and its sessions. Nothing runs and nothing is stored. */
export async function previewNext(dependencies: Dependencies, id: string): Promise<TierPreview> {
  const { store, random } = dependencies
  const chain = await recordOf(dependencies, id)
  const { step, ...broken } = await stepOf(dependencies, chain)
  const number = step.tier
  const settings = await dependencies.settingsFor(chain.workDir)
  const agent = await findAgent(dependencies, agentOfTier(chain, number))
  const request = { chain, agent, step, runId: random.id('run'), parentRunId: null, ...broken }
  const { run, message } = turnOf(dependencies, request)
  const wanted = { chainId: id, tier: number, promptMessageId: message.id }
  const context = await mustExist(tierContextOf(dependencies, wanted, agent), `chain ${id}`)
  const thread = await mustExist(store.thread(chain.threadId), `thread ${chain.threadId}`)
  const branch = await store.branch(chain.threadId)
  const view = viewOf(branch, thread.view, agent.name)
  const { model, disallowedTools } = run
  const resume = {
    ...withThreshold(settings, context),
    ...(thread.workspace && { onWorkDirChange: 'relocate' as const }),
  }
  const { workDir, threadId } = chain
  const situation: Situation = {
    ...{ agent, threadId, view, workDir, model, resume },
    ...{ freshSession: false, purpose: context.purpose },
  }
  const { facts, sessions } = await gather(dependencies, situation)
  const note = noteFor(context, branch)
  const prospect = await withHabits(dependencies, {
    ...{ chain, agent, number },
    prospect: await prospectOf(dependencies, {
      ...{ threadId, facts, view, prompt: message.text, sessions, model, disallowedTools },
      ...(note && { note: noteText(note) }),
      adapter: agent.adapter,
    }),
  })
  const weighing = {
    decision: decide(facts, resume),
    ...{ facts, sessions, prospect: async () => prospect },
  }
  const { carry } = context.tier
  const { decision } = await weighCarry(dependencies, situation, { ...weighing, carry })
  const estimate = (other: Decision) => estimateDecision(other, prospect)
  const carried = await carriedWays(dependencies, situation, weighing)
  const expected = estimate(decision)
  const spentUsd = reportedCost(context.runs).costUsd
  const { costUsd = null } = expected ?? {}
  return {
    tier: number,
    name: context.tier.name,
    agent: agent.name,
    model,
    carry: carry ?? null,
    ways: waysOf(decision, { facts, settings: resume, canWrite: false, carried }, estimate),
    estimate: expected,
    upToHereUsd: spentUsd === null || costUsd === null ? null : spentUsd + costUsd,
  }
}

type NextStep = Pick<TierRequest, 'step' | 'attempt' | 'interruption'>

/**
 * The step that a person may allow: into the next tier of a held chain, or on in the tier that was broken off. Throws where the supervisor
 * would refuse it: a chain whose budget or time is spent has no price.
 */
async function stepOf(dependencies: Dependencies, chain: ChainRecord): Promise<NextStep> {
  const { store, clock } = dependencies
  const { id } = chain
  refuseSpent(chain)
  if (!isBrokenOff(chain)) {
    const tier = nextTierOf(chain)
    // A cooldown passes, and the price stays.
    const facts = { ...(await store.chainFacts(id, clock.now())), lastEnteredAt: {} }
    return { step: unlessHeld(id, enter(facts, { code: 'approved', tier })) }
  }
  const { last, ...broken } = await brokenOffOf(dependencies, id)
  const facts = await store.chainFacts(id, clock.now())
  return { step: unlessHeld(id, continueTier(facts, last?.id ?? '')), ...broken }
}

function nextTierOf({ id, status, tier, mandate }: ChainRecord): number {
  if (status === 'held' && tier < ceilingOf(mandate)) return tier + 1
  const what =
    status === 'held'
      ? `chain ${id} may not go higher`
      : `chain ${id} is ${status}, neither held nor broken off`
  const hint =
    'Only a chain that waits for a person has a price. `reprise chains ls --status held` lists those that are held, `--status failed` those that may have been broken off.'
  throw new RepriseError('conflict', what, hint)
}

/** Earlier runs of the same tier tell more than those of the tiers below it. */
async function withHabits(
  dependencies: Dependencies,
  asked: {
    readonly chain: ChainRecord
    readonly agent: Agent
    readonly number: number
    readonly prospect: Prospect
  },
): Promise<Prospect> {
  const { chain, agent, number, prospect } = asked
  const earlier = await earlierChains(dependencies, chain.mandate, chain.agent)
  return { ...prospect, habits: habitsOfTier(earlier, { number, agent }) ?? prospect.habits }
}
