// Tells one chain of the full demo: what each tier does, what it costs, and how the chain ends.
import type { ChainOptions } from '../../../api.ts'
import type { Finding } from '../../../core/chain/verdict.ts'
import type { Usage } from '../../../core/run/events.ts'
import type { FakeScript, ScriptStep } from '../../../testing/fake-agent/script.ts'
import { billed, requestsIn, spread } from './bill.ts'
import type { StoryWorld, WorkDir } from './story-world.ts'

export type ChainStory = {
  readonly title: string
  readonly prompt: string
  readonly policy: 'ops' | 'releases'
  readonly workDir: WorkDir
  /** The highest tier of the policy. */
  readonly tiers: readonly TierStory[]
  readonly options?: Pick<ChainOptions, 'maxTier' | 'dryRun' | 'budgetUsd'>
}

export type TierStory = {
  readonly work: readonly ScriptStep[]
  /** Nothing: the tier ends in the middle of its work. */
  readonly verdict?: VerdictStory
  readonly usage: Usage
  readonly minutes: number
}

export type VerdictStory = {
  readonly verdict: 'escalate' | 'resolved' | 'failed'
  readonly summary: string
  readonly reason?: string
  readonly findings?: readonly Finding[]
}

export function chainOptions(world: StoryWorld, story: ChainStory): ChainOptions {
  const { title, prompt, policy, workDir, options } = story
  return { title, prompt, policy, workDir: world.workDir(workDir), ...options }
}

/** What the agents do in each tier. Each rule matches the text with which a tier's prompt names the tier. */
export function chainScript({ tiers }: ChainStory): FakeScript {
  return tiers
    .map((tier, index) => ({ when: `tier ${index + 1} of 3`, do: tierSteps(tier) }))
    .toReversed()
}

function tierSteps({ work, verdict, usage, minutes }: TierStory): readonly ScriptStep[] {
  const steps = [...work, ...(verdict ? [verdictStep(verdict)] : [])]
  const requests = Math.max(1, requestsIn(steps))
  const seconds = (minutes * 60) / requests
  return billed(steps, { usage: spread(usage, requests), seconds: () => seconds })
}

function verdictStep(verdict: VerdictStory): ScriptStep {
  return { type: 'verdict', output: { ...verdict } }
}

/** Runs a chain to its end, or until it is held. */
export async function playChain(world: StoryWorld, story: ChainStory): Promise<void> {
  await world.script(chainScript(story))
  await world.reprise.chains.start(chainOptions(world, story)).result
}
