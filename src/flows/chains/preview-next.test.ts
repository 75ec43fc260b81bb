// The price of the next tier of a held chain, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import { openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
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

describe('M-4 E-15 E-9 the preview of the next tier of a held chain', () => {
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
      message: `chain ${held.id} is resolved, not held`,
      hint: 'A chain that waits for a person has a next tier: reprise chains ls --status held.',
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

  test('says that there is no such chain', async () => {
    const { reprise } = await openChains()
    await expect(reprise.chains.previewNext('chn_0000000000000000')).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
