// The chain of the source: sessions #18, #19 and #20 with $0.03, $0.47 and $2.00, seen from each of them.
import { describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../../src/core/run/events.ts'
import { escalate, opsPolicy } from '../../scenarios/chains/chains.ts'
import { fake, verdict } from '../../scenarios/harness/acts.ts'
import type { Kind } from '../../scenarios/harness/program.ts'
import { useHarness } from '../../scenarios/threads/threads.ts'

/** Haiku at $5, Sonnet 5 at $10 and Opus at $25 per million tokens said. */
const COSTS = [
  { model: 'claude-haiku-4-5', outputTokens: 6_000, usd: 0.03 },
  { model: 'claude-sonnet-5', outputTokens: 47_000, usd: 0.47 },
  { model: 'claude-opus-4-8', outputTokens: 80_000, usd: 2 },
]

describe.each<Kind>(['fake', 'fake 2.1.197'])('E-7 E-8 the example on %s', kind => {
  const world = useHarness(kind)

  test('$0.03 + $0.47 + $2.00 = $2.50, each tier its own, the whole seen from each of the three runs', async () => {
    const policy = opsPolicy()
    const tiers = policy.tiers.map((tier, at) => ({ ...tier, model: COSTS[at]?.model ?? null }))
    for (const [at, { outputTokens }] of COSTS.entries()) {
      const bill = fake({ type: 'billed', usage: { ...NO_USAGE, outputTokens } })
      world().model.plan([bill, at < 2 ? escalate() : verdict('resolved')])
    }
    const done = await world().reprise.chains.start({
      policy: { ...policy, tiers: tiers.map(tier => ({ ...tier, budget: policy.budget })) },
      prompt: 'watch the fleet',
      workDir: world().workDir,
    }).result
    expect(done.status).toBe('resolved')
    const [first, second, third] = done.runs
    expect([first?.parentRunId, second?.parentRunId, third?.parentRunId]).toEqual([
      null,
      first?.id,
      second?.id,
    ])
    for (const run of done.runs) {
      const seen = await world().reprise.chains.ofRun(run.id)
      expect(seen.runs.map(({ id }) => id)).toEqual([first?.id, second?.id, third?.id])
      expect(seen.totals.costUsd).toBeCloseTo(2.5, 9)
      for (const [at, { usd, model }] of COSTS.entries()) {
        expect(seen.byTier[at]).toMatchObject({ tier: at + 1, model, costDisputed: false, runs: 1 })
        expect(seen.byTier[at]?.costUsd).toBeCloseTo(usd, 9)
        expect(seen.runs[at]).toMatchObject({ tier: at + 1, model, status: 'completed' })
        expect(seen.runs[at]?.costUsd).toBeCloseTo(usd, 9)
        expect(seen.runs[at]?.durationMs).toBeGreaterThan(0)
      }
    }
    expect(done.runs.map(run => run.decision?.action)).toEqual(['start', 'fork', 'fork'])
  })
})
