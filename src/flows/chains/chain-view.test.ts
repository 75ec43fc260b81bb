// A chain as users see it: what its runs add up to, tier by tier and in total.
import { expect, test } from 'vitest'
import type { ChainRecord } from '../../core/chain/chain.ts'
import type { Run } from '../../core/run/run.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'
import { chainView, openRunOf } from './chain-view.ts'

const usage = (factor: number) => ({
  inputTokens: factor,
  cacheReadTokens: 10 * factor,
  cacheWriteTokens: 100 * factor,
  outputTokens: 1_000 * factor,
})
const run = (tier: number | null, factor: number, change: Partial<Run> = {}): Run =>
  ({
    tier,
    agent: 'codex',
    startedAt: 1,
    endedAt: 2,
    failure: null,
    model: `model ${factor}`,
    costUsd: factor,
    costDisputed: false,
    durationMs: 10 * factor,
    usage: usage(factor),
    status: 'completed',
    trust: 'user',
    sandbox: 'bwrap',
    ...change,
  }) as Run

const CHAIN = {
  id: 'chn_1',
  status: 'running',
  because: { code: 'begun', tier: 1 },
  mandate: sampleMandate(),
} as unknown as ChainRecord

test('E-7 E-8 each tier has what its own runs used, and the state of its last run; the totals are their sum', () => {
  const runs = [
    run(1, 1),
    run(1, 2, { status: 'failed', costDisputed: true }),
    run(2, 4, { costUsd: null, durationMs: null, trust: 'none' }),
  ]
  const { byTier, totals, words } = chainView(CHAIN, runs)
  expect(byTier).toEqual([
    {
      tier: 1,
      name: 'one',
      agent: 'codex',
      model: 'model 2',
      costUsd: 3,
      runsWithoutCost: 0,
      costDisputed: true,
      durationMs: 30,
      tokens: 3_333,
      runs: 2,
      status: 'failed',
      trust: 'user',
      sandbox: 'bwrap',
    },
    {
      tier: 2,
      name: 'two',
      agent: 'codex',
      model: 'model 4',
      costUsd: null,
      runsWithoutCost: 1,
      costDisputed: false,
      durationMs: 0,
      tokens: 4_444,
      runs: 1,
      status: 'completed',
      trust: 'none',
      sandbox: 'bwrap',
    },
  ])
  expect(totals).toEqual({ costUsd: 3, runsWithoutCost: 1, durationMs: 30, tokens: 7_777 })
  expect(words).not.toBe('')
})

test('a run of an early version without a tier is one of the first', () => {
  const { byTier } = chainView(CHAIN, [run(null, 1)])
  expect(byTier).toMatchObject([{ tier: 1, name: 'one', runs: 1 }])
})

test('the run that is not over yet is found among those of a chain', async () => {
  const runs = [run(1, 1), run(2, 2, { status: 'running', id: 'run_2' })]
  const asked = async (all: readonly Run[]) =>
    openRunOf({ store: { runsOfChain: async () => all } } as never, 'chn_1')
  expect(await asked(runs)).toMatchObject({ id: 'run_2' })
  expect(await asked(runs.slice(0, 1))).toBeNull()
})
