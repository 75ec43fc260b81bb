// Chains on the fake agent in this process: a policy of three tiers, verdicts, bills, and a Reprise that starts them.
import type { ChainOptions } from '../../src/api.ts'
import type { Policy, Tier } from '../../src/core/chain/policy.ts'
import type { FakeScript, ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { sampleMandate } from '../../src/testing/store-conformance/chain-samples.ts'
import { type ProcessOptions, processes } from './processes.ts'

export const verdict = (word: 'resolved' | 'escalate' | 'failed'): ScriptStep => ({
  type: 'verdict',
  output: { verdict: word, summary: word, reason: 'because', findings: [] },
})
/** Tier by tier up to the third, which is done. */
export const CLIMBS: FakeScript = [
  { when: 'as tier 3', do: [verdict('resolved')] },
  { do: [verdict('escalate')] },
]
export const usage = {
  inputTokens: 1_000,
  cacheReadTokens: 200,
  cacheWriteTokens: 30,
  outputTokens: 4,
}
export const billed = (tokens: Partial<typeof usage>): ScriptStep => ({
  type: 'billed',
  usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, ...tokens },
})

export function policyWith(change: Partial<Policy> = {}, tier: Partial<Tier> = {}): Policy {
  const { policy } = sampleMandate()
  return { ...policy, tiers: policy.tiers.map(one => ({ ...one, ...tier })), ...change }
}

export async function openChains(script: FakeScript = CLIMBS, options: ProcessOptions = {}) {
  const world = await processes(script)
  const { reprise, ...process } = world.open(options)
  const start = (change: Partial<ChainOptions> = {}) =>
    reprise.chains.start({ policy: policyWith(), prompt: 'check', workDir: '/project', ...change })
  return { world, reprise, start, ...process }
}
