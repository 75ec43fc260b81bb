// The price of the next tier of a held chain, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import { billed, openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import type { FakeScript } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const MODEL = 'claude-sonnet-4-5'

/** Waits before its second tier; the third is entered without asking. */
function approvedPolicy(carry: 'whole' | 'trimmed' | 'note' = 'whole') {
  const tiers = sampleMandate().policy.tiers.map((tier, at) => ({
    ...tier,
    model: MODEL,
    allowedTools: ['Bash'],
    carry,
    approval: at === 1 ? ('ask' as const) : ('auto' as const),
  }))
  return policyWith({ tiers })
}

const SCRIPT = [
  {
    when: 'as tier 2',
    do: [verdict('resolved')],
  },
  {
    do: [
      {
        type: 'tool' as const,
        name: 'Bash',
        input: { command: 'look' },
        result: 'y'.repeat(9_000),
      },
      verdict('escalate'),
    ],
  },
]

const usedSome = billed({ inputTokens: 2_000, outputTokens: 10 })

describe('M-4 E-15 E-9 the preview of the tier that a person may allow', () => {
  test('says what the tier would cost and how the conversation would reach it, as the tier is then decided', async () => {
    const { world, reprise, start } = await openChains(SCRIPT)
    const held = await start({ policy: approvedPolicy() }).result
    expect(held).toMatchObject({ status: 'held', tier: 1 })
    const starts = world.runner.journal.length
    const preview = await reprise.chains.previewNext(held.id)
    expect(preview).toMatchObject({ tier: 2, name: 'two', agent: 'claude-code', model: MODEL })
    expect(preview.ways.map(({ way, isChosen }) => [way, isChosen])).toEqual([
      ['fork', true],
      ['note', false],
    ])
    const { estimate, upToHereUsd } = preview
    expect(estimate?.costUsd).toBeGreaterThan(0)
    expect(upToHereUsd).toBeCloseTo((held.totals.costUsd ?? 0) + (estimate?.costUsd ?? 0), 10)
    // The session of the tier below is known, so that its tokens count.
    const [below] = held.runs
    expect(estimate?.tokens).toBeGreaterThan(below?.contextTokens ?? Number.MAX_VALUE)
    expect(world.runner.journal).toHaveLength(starts)
    expect(await reprise.chains.get(held.id)).toEqual(held)

    const approved = await reprise.chains.approve(held.id).result
    expect(approved.runs.at(-1)?.decision).toMatchObject({ action: 'fork' })
    await expect(reprise.chains.previewNext(held.id)).rejects.toMatchObject({
      code: 'conflict',
      message: `chain ${held.id} is resolved, neither held nor broken off`,
      hint: expect.stringContaining('reprise chains ls --status held'),
    })
  })

  test('follows `carry` of the tier, and rests on earlier runs of the tier once there are some', async () => {
    const { reprise, start } = await openChains(SCRIPT)
    const policy = approvedPolicy('note')
    const first = await start({ policy }).result
    const before = await reprise.chains.previewNext(first.id)
    expect(before.ways[0]).toMatchObject({ way: 'note', isChosen: true })
    expect(before.estimate?.basis.of).not.toBe('tier')
    await reprise.chains.approve(first.id).result
    const second = await start({ policy }).result
    const after = await reprise.chains.previewNext(second.id)
    expect(after.estimate?.basis).toEqual({ runs: 1, of: 'tier' })
  })

  test('says what it would cost to continue a chain that was broken off, as the tier then goes on', async () => {
    const { world, reprise, start } = await openChains([
      { when: 'as tier 2', once: true, do: [usedSome, { type: 'killSelf', signal: 'SIGKILL' }] },
      { when: 'tier 2', do: [verdict('resolved')] },
      { do: [verdict('escalate')] },
    ])
    const broken = await start({ policy: policyWith({}, { model: MODEL }) }).result
    expect(broken).toMatchObject({ tier: 2, because: { code: 'run-interrupted' } })
    const starts = world.runner.journal.length
    const preview = await reprise.chains.previewNext(broken.id)
    expect(preview).toMatchObject({ tier: 2, name: 'two', agent: 'claude-code', model: MODEL })
    expect(preview.estimate?.costUsd).toBeGreaterThan(0)
    expect(world.runner.journal).toHaveLength(starts)
    expect(await reprise.chains.get(broken.id)).toEqual(broken)

    const continued = await reprise.chains.continue(broken.id).result
    const last = continued.runs.at(-1)
    expect(last).toMatchObject({ tier: 2, attempt: 2 })
    const chosen = preview.ways.find(({ isChosen }) => isChosen)
    expect(chosen?.way).toBe(last?.decision?.action)
    const share = (preview.estimate?.costUsd ?? 0) / (last?.estimate?.costUsd ?? 0)
    expect(Math.abs(share - 1)).toBeLessThan(0.05)
  })

  test('has no price when the first run of all was broken off: nothing says how long answers are', async () => {
    const { reprise, start } = await openChains([{ do: [{ type: 'killSelf', signal: 'SIGKILL' }] }])
    const broken = await start({ policy: policyWith({}, { model: MODEL }) }).result
    expect(await reprise.chains.previewNext(broken.id)).toMatchObject({ tier: 1, estimate: null })
  })

  test.each<[string, number, FakeScript]>([
    ['broken off', 1, [{ do: [{ type: 'killSelf', signal: 'SIGKILL' }] }]],
    ['held', 2, SCRIPT],
  ])(
    'M-2 refuses a chain that is %s when its time is over, as the chain itself would be',
    async (_, tier, script) => {
      const { world, reprise, start } = await openChains(script)
      const policy = { ...approvedPolicy(), budget: { ...NO_BUDGET, wallClockMs: 60_000 } }
      const waiting = await start({ policy }).result
      expect(await reprise.chains.previewNext(waiting.id)).toMatchObject({ tier })
      world.clock.pass(120_000)
      await expect(reprise.chains.previewNext(waiting.id)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(`^chain ${waiting.id} cannot go on: .*budget`),
      })
      expect(await reprise.chains.get(waiting.id)).toEqual(waiting)
    },
  )

  test('says that there is no such chain', async () => {
    const { reprise } = await openChains()
    await expect(reprise.chains.previewNext('chn_0000000000000000')).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
