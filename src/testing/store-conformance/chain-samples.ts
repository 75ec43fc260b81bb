// Chains to test a store with.
import { randomUUID } from 'node:crypto'
import type { Mandate, Tier } from '../../core/chain/policy.ts'
import type { ChainStep } from '../../core/chain/supervise.ts'
import { enter } from '../../core/chain/supervise.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import type { NewChain } from '../../store/contract/chains.ts'
import type { NewTurn } from '../../store/contract/queue.ts'
import { sampleThread, sampleTurn } from './samples.ts'

const tier = (name: string): Tier => ({
  name,
  role: 'Act.',
  model: null,
  permissionMode: 'dontAsk',
  allowedTools: [],
  disallowedTools: [],
  actions: [],
  cooldownMs: 0,
  dryRun: false,
  budget: NO_BUDGET,
  contextThreshold: null,
  approval: 'auto',
})

export function sampleMandate(change: Partial<Mandate> = {}): Mandate {
  const tiers = [tier('one'), tier('two'), tier('three')]
  const base = { agent: null, contextThreshold: null, budget: NO_BUDGET }
  const policy = { name: 'sample', maxTier: 3, tiers, ...base }
  return { policy, maxTier: 3, dryRun: false, budget: NO_BUDGET, ...change }
}

export function sampleChain(change: Partial<NewChain> = {}): NewChain {
  const thread = sampleThread({ kind: 'chain' })
  const id = `chn_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  return {
    id,
    agent: 'claude-code',
    workDir: '/project',
    prompt: 'check',
    mandate: sampleMandate(),
    scheduleId: null,
    createdAt: 1_000,
    thread,
    supervise: facts => {
      const step = enter(facts, { code: 'begun', tier: 1 })
      return { step, next: turnFor(step, { id, threadId: thread.id }) }
    },
    ...change,
  }
}

export function turnFor(
  step: ChainStep,
  { id, threadId }: { readonly id: string; readonly threadId: string },
  more: Partial<NewTurn['run']> = {},
): NewTurn | null {
  if (step.kind === 'end') return null
  return sampleTurn(threadId, { chainId: id, tier: step.tier, ...more })
}
