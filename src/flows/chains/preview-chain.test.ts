// The price of a chain before it is started, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import { openChains, policyWith, verdict } from '../../../test/simulated/chain-world.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

const request = (policy = policyWith()) => ({ policy, prompt: 'check', workDir: '/project' })

describe('M-4 E-15 the preview of a chain', () => {
  test('knows nothing in an empty store, says so, and starts and stores nothing', async () => {
    const { world, reprise } = await openChains()
    const preview = await reprise.chains.preview(request())
    expect(preview).toMatchObject({ policy: 'sample', agent: 'claude-code', earlierChains: 0 })
    expect(preview.tiers.map(({ tier, name }) => [tier, name])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ])
    for (const { ways, estimate, upToHereUsd } of preview.tiers) {
      expect([estimate, upToHereUsd]).toEqual([null, null])
      expect(ways.every(way => way.estimate === null)).toBe(true)
    }
    expect(await reprise.chains.list()).toEqual([])
    expect(await reprise.threads.count({ kind: 'chain' })).toBe(0)
    expect(world.runner.journal).toEqual([])
  })

  test('rests on other runs of the agent before the policy has a chain; then nobody knows how long a note is', async () => {
    const { reprise } = await openChains()
    const thread = await reprise.threads.create({ workDir: '/project' })
    await thread.send('hello', { model: 'claude-sonnet-4-5' }).result
    const { tiers } = await reprise.chains.preview(
      request(policyWith({}, { model: 'claude-sonnet-4-5' })),
    )
    expect(tiers.map(({ estimate }) => estimate?.basis.of)).toEqual(['agent', 'agent', 'agent'])
    expect(tiers[1]?.ways).toMatchObject([
      { way: 'fork', isChosen: true, estimate: { costUsd: expect.any(Number) } },
      { way: 'note', estimate: null },
    ])
  })

  test('learns from earlier chains of the policy, tier by tier, and their notes', async () => {
    const { reprise, start } = await openChains([
      { when: 'as tier 3', do: [verdict('resolved')] },
      {
        do: [
          { type: 'tool', name: 'Bash', input: { command: 'look' }, result: 'y'.repeat(9_000) },
          verdict('escalate'),
        ],
      },
    ])
    const tiers = sampleMandate().policy.tiers.map((tier, at) => ({
      ...tier,
      allowedTools: ['Bash'],
      model: at < 2 ? 'claude-sonnet-4-5' : 'claude-haiku-4-5',
      carry: at === 2 ? ('note' as const) : ('whole' as const),
    }))
    const policy = policyWith({ tiers })
    const chain = await start({ policy }).result
    expect(chain.status).toBe('resolved')
    const { tiers: found, earlierChains } = await reprise.chains.preview(request(policy))
    expect(earlierChains).toBe(1)
    expect(found.map(({ estimate }) => estimate?.basis)).toEqual(
      Array(3).fill({ runs: 1, of: 'tier' }),
    )
    expect(found.map(({ ways }) => ways.map(({ way }) => way))).toEqual([
      ['start'],
      ['fork', 'note'],
      ['note', 'fork'],
    ])
    expect(found[1]?.estimate?.cache.state).toBe('warm')
    expect(found[2]?.estimate?.cache).toMatchObject({ state: 'cold', because: 'other-model' })
    expect(found.every(({ estimate }) => (estimate?.costUsd ?? 0) > 0)).toBe(true)
    const total = found.reduce((sum, { estimate }) => sum + (estimate?.costUsd ?? 0), 0)
    expect(found[2]?.upToHereUsd).toBeCloseTo(total, 10)
    // A note is shorter than the conversation, and what it is expected to hold is near what it held.
    const [noted, whole] = found[2]?.ways ?? []
    expect(noted?.estimate?.tokens ?? 0).toBeLessThan(whole?.estimate?.tokens ?? 0)
  })

  test('U-4 refuses what the chain itself would refuse, and goes no higher than it', async () => {
    const { reprise } = await openChains()
    const { preview } = reprise.chains
    await expect(preview({ ...request(), maxTier: 9 })).rejects.toMatchObject({ code: 'bad-input' })
    await expect(preview({ ...request(), prompt: ' ' })).rejects.toMatchObject({
      code: 'bad-input',
    })
    expect((await preview({ ...request(), maxTier: 2 })).tiers).toHaveLength(2)
  })
})
