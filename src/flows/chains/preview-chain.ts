// What a chain would cost, tier by tier, from what earlier runs reported. Nothing runs and nothing is stored.
import { cutOutput, isLong } from '../../core/chain/carry.ts'
import type { ChainRecord } from '../../core/chain/chain.ts'
import {
  type ChainPreview,
  previewTiers,
  type TierProspect,
} from '../../core/chain/chain-preview.ts'
import { noteText } from '../../core/chain/handover-note.ts'
import type { Mandate } from '../../core/chain/policy.ts'
import { escalationPrompt, firstPrompt } from '../../core/chain/tier-prompt.ts'
import type { Message } from '../../core/conversation/messages.ts'
import { decide } from '../../core/decide/decide.ts'
import { estimateDecision } from '../../core/decide/prospect.ts'
import { learnHabits, type TurnHabits } from '../../core/money/habits.ts'
import { quantile } from '../../core/money/quantile.ts'
import { sameWholeTools } from '../../core/money/same-tools.ts'
import type { Run } from '../../core/run/run.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { canTrim } from '../sessions/can-trim.ts'
import { outputsDir } from '../sessions/tier-outputs.ts'
import { gather } from '../turn/gather.ts'
import { prospectOf } from '../turn/prospect-of.ts'
import { type ChainRequest, checkChain } from './start-chain.ts'
import type { TierAgents } from './tier-agents.ts'
import { forbiddenIn, formFor, noteFor, tierFor } from './tier-context.ts'

/** So many earlier chains of the policy tell what its tiers are like. */
const EARLIER_CHAINS = 8
const RUNS_ASKED = 40

export async function previewChain(
  dependencies: Dependencies,
  request: ChainRequest,
): Promise<ChainPreview> {
  const checked = await checkChain(dependencies, request)
  const { mandate, agents } = checked
  const [first, ...others] = agents
  const { facts, resume, ...begun } = await aboutAgent(dependencies, first, checked)
  const about = [
    begun,
    ...(await Promise.all(others.map(agent => aboutAgent(dependencies, agent, checked)))),
  ]
  const earlier = await earlierChains(dependencies, mandate, first.name)
  const around = { mandate, agents, about, earlier }
  const tiers = agents.map((agent, at) => tierProspect(dependencies, { agent, at }, around))
  const [begins] = tiers
  const habits = begins?.habits ?? null
  const price = begins?.price ?? null
  return {
    policy: mandate.policy.name,
    agent: first.name,
    tiers: previewTiers({
      start: estimateDecision(decide(facts, resume), { ...begun.prospect, habits, price }),
      tiers,
    }),
    earlierChains: earlier.length,
  }
}

type EarlierChain = {
  readonly chain: ChainRecord
  readonly runs: readonly Run[]
  readonly branch: readonly Message[]
}

export async function earlierChains(
  { store }: Dependencies,
  { policy }: Mandate,
  agent: string,
): Promise<readonly EarlierChain[]> {
  const chains = await store.listChains({ policy: policy.name, limit: EARLIER_CHAINS })
  const own = chains.filter(chain => chain.agent === agent)
  return Promise.all(
    own.map(async chain => ({
      chain,
      runs: await store.runsOfChain(chain.id),
      branch: await store.branch(chain.threadId),
    })),
  )
}

type Checked = Awaited<ReturnType<typeof checkChain>>

/** What the store tells of an agent that would begin the chain. */
async function aboutAgent(dependencies: Dependencies, agent: Agent, checked: Checked) {
  const { mandate, threadId } = checked
  const { workDir } = checked.place
  const first = tierFor(mandate, 1, agent)
  const model = first.model ?? agent.model
  const { resume } = await dependencies.settingsFor(workDir)
  // The thread is a new one, so that its view is empty and it has no sessions.
  const situation = { agent, threadId, view: [], workDir, model, freshSession: false, resume }
  const { facts, sessions } = await gather(dependencies, situation)
  const prompt = firstPrompt(mandate, formFor(agent), checked.prompt)
  const prospect = await prospectOf(dependencies, {
    ...{ threadId, facts, view: [], prompt, sessions, model },
    disallowedTools: forbiddenIn(first, agent),
    adapter: agent.adapter,
  })
  return { facts, resume, prospect, latestModel: await latestModel(dependencies, agent) }
}

/** For tiers whose model the agent chooses. */
async function latestModel({ store }: Dependencies, { name }: Agent): Promise<string | null> {
  const runs = await store.listRuns({ limit: RUNS_ASKED })
  return runs.find(run => run.agent === name && run.model !== null)?.model ?? null
}

type Around = {
  readonly mandate: Mandate
  readonly agents: TierAgents
  /** In the order of the agents. */
  readonly about: readonly Pick<
    Awaited<ReturnType<typeof aboutAgent>>,
    'prospect' | 'latestModel'
  >[]
  readonly earlier: readonly EarlierChain[]
}

function tierProspect(
  dependencies: Dependencies,
  { agent, at }: { readonly agent: Agent; readonly at: number },
  { mandate, agents, about, earlier }: Around,
): TierProspect {
  const number = at + 1
  const { prospect, latestModel: latest = null } = about[at] ?? {}
  const tier = tierFor(mandate, number, agent)
  const agentBelow = agents[at - 1] ?? agent
  const below = tierFor(mandate, Math.max(1, at), agentBelow)
  const model = tier.model ?? agent.model
  const { money } = agent.adapter
  const told = toldOfTier(earlier, { number, agent })
  const priceOf = (name: string) => money.price(name)
  const done = earlier.map(chain => belowTier(chain, number)).filter(({ runs }) => runs.length > 0)
  const overheads = prospect?.overheads ?? []
  const { abilities } = agent.runtime
  return {
    tier: number,
    name: tier.name,
    agent: agent.name,
    model,
    carry: tier.carry ?? null,
    promptChars: escalationPrompt(mandate, number, formFor(agent)).length,
    habits: habitsOfTier(earlier, { number, agent }) ?? prospect?.habits ?? null,
    price:
      [model, told.find(run => run.model !== null)?.model ?? null, model === null ? latest : null]
        .map(name => (name === null ? null : priceOf(name)))
        .find(found => found !== null) ?? null,
    ownSession: ownSession(agents, at),
    sameModel: model === (below.model ?? agentBelow.model),
    sameTools: sameWholeTools(forbiddenIn(tier, agent), forbiddenIn(below, agentBelow)),
    cutChars: middle(done.map(chain => cutIn(dependencies, chain))),
    noteChars: middle(done.map(noteCharsOf)),
    overheadTokens: overheads.length > 0 ? Math.min(...overheads) : null,
    continues: !abilities.resume ? null : abilities.fork ? 'fork' : 'resume',
    canTrim: canTrim(dependencies, agent),
  }
}

type NumberedTier = { readonly number: number; readonly agent: Agent }

/** Runs of the tier in earlier chains that tell what it is like. */
function toldOfTier(
  earlier: readonly EarlierChain[],
  { number, agent }: NumberedTier,
): readonly Run[] {
  return earlier.flatMap(({ runs }) =>
    runs.filter(
      run => run.tier === number && run.agent === agent.name && run.status === 'completed',
    ),
  )
}

/** `null`: no run of the tier has told. */
export function habitsOfTier(
  earlier: readonly EarlierChain[],
  tier: NumberedTier,
): TurnHabits | null {
  const priceOf = (name: string) => tier.agent.adapter.money.price(name)
  return learnHabits(toldOfTier(earlier, tier), { of: 'tier', priceOf })
}

function ownSession(agents: TierAgents, at: number): TierProspect['ownSession'] {
  const lower = agents.slice(0, at).map(({ name }) => name)
  const own = agents[at]?.name ?? ''
  if (lower.at(-1) === own) return 'below'
  return lower.includes(own) ? 'lower' : 'none'
}

/** What the tiers below this one did in an earlier chain. */
function belowTier({ chain, runs, branch }: EarlierChain, number: number): EarlierChain {
  const before = runs.filter(run => (run.tier ?? 1) < number && run.answerMessageId !== null)
  return { chain, runs: before, branch }
}

function cutIn({ hiddenDir }: Dependencies, { chain, runs, branch }: EarlierChain): number {
  const ids = new Set(runs.map(({ id }) => id))
  const answers = branch.filter(({ runId }) => runId !== null && ids.has(runId))
  const outputs = answers.flatMap(({ tools }) => tools.map(({ result }) => result ?? ''))
  const hash = '0'.repeat(32)
  const path = `${outputsDir(hiddenDir, chain.threadId)}/${hash}.txt`
  return outputs
    .filter(isLong)
    .reduce((sum, output) => sum + output.length - cutOutput(output, { path, hash }).length, 0)
}

function noteCharsOf({ chain, runs, branch }: EarlierChain): number {
  const note = noteFor({ chain, runs }, branch)
  return note === null ? 0 : noteText(note).length
}

function middle(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : quantile(numbers, 0.5)
}
