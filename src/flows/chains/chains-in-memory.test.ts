// Chains on the fake agent in this process: what a user asks of them, and how they are listed.
import { describe, expect, test } from 'vitest'
import {
  billed,
  openChains,
  policyWith,
  usage,
  verdict,
} from '../../../test/simulated/chain-world.ts'
import { START } from '../../../test/simulated/processes.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

describe('a chain that a user starts', () => {
  test('E-2 E-7 E-8 has its tiers in order, each with what it used, and totals over all of them', async () => {
    const { start } = await openChains([
      { when: 'as tier 3', do: [billed(usage), verdict('resolved')] },
      { do: [billed(usage), verdict('escalate')] },
    ])
    const chain = await start({ title: 'the nightly check' }).result
    expect(chain).toMatchObject({
      status: 'resolved',
      policy: 'sample',
      maxTier: 3,
      dryRun: false,
      budgetUsd: null,
      tier: 3,
      createdAt: START,
    })
    expect(chain.byTier).toMatchObject(
      ['one', 'two', 'three'].map((name, at) => ({
        tier: at + 1,
        name,
        runs: 1,
        status: 'completed',
        trust: 'none',
        costDisputed: chain.runs[at]?.costDisputed,
      })),
    )
    const sums = chain.byTier.map(({ tokens, costUsd }) => ({ tokens, costUsd }))
    expect(sums.every(({ tokens, costUsd }) => tokens >= 1_234 && (costUsd ?? 0) > 0)).toBe(true)
    const total = (of: 'tokens' | 'costUsd') => sums.reduce((all, one) => all + (one[of] ?? 0), 0)
    expect(chain.totals.tokens).toBe(total('tokens'))
    expect(chain.totals.costUsd).toBeCloseTo(total('costUsd'))
    expect(chain.runs.map(run => run.parentRunId)).toEqual([
      null,
      chain.runs[0]?.id,
      chain.runs[1]?.id,
    ])
    expect(chain.tiers.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
  })

  test('E-15 gives a tier the note that its policy asks for, or the whole conversation where nobody can write sessions', async () => {
    const { start } = await openChains([
      { when: 'as tier 3', do: [verdict('resolved')] },
      { do: [verdict('escalate')] },
    ])
    const carries = ['whole', 'note', 'trimmed'] as const
    const tiers = sampleMandate().policy.tiers.map((tier, at) => ({
      ...tier,
      carry: carries[at] ?? ('auto' as const),
    }))
    const chain = await start({ policy: policyWith({ tiers }) }).result
    expect(chain.runs.map(run => run.decision)).toMatchObject([
      { action: 'start' },
      {
        action: 'handover',
        reason: { code: 'tier-entered' },
        carry: { way: 'note', because: 'set' },
      },
      { action: 'fork', carry: { way: 'whole', because: 'agent' } },
    ])
    expect(chain.runs[1]?.handoverNote).not.toBeNull()
  })

  test('E-15 M-4 with `auto`, a tier whose model read the conversation a moment ago gets all of it', async () => {
    const { start } = await openChains([
      { when: 'as tier 2', do: [verdict('resolved')] },
      { do: [verdict('escalate')] },
    ])
    const tiers = sampleMandate().policy.tiers.map(tier => ({ ...tier, carry: 'auto' as const }))
    const chain = await start({ policy: policyWith({ tiers }) }).result
    expect(chain.runs[1]).toMatchObject({
      decision: { action: 'fork', carry: { way: 'whole', because: 'cache-warm' } },
      estimate: { cache: { state: 'warm' } },
    })
  })

  test('is named by its title, or by its prompt', async () => {
    const { reprise, start } = await openChains([{ do: [verdict('resolved')] }])
    const named = await start({ title: 'the nightly check' }).result
    const unnamed = await start({ prompt: 'check the disk\nand more' }).result
    const titleOf = async (threadId: string) =>
      (await (await reprise.threads.get(threadId)).show()).title
    expect(await titleOf(named.threadId)).toBe('the nightly check')
    expect(await titleOf(unnamed.threadId)).toBe('check the disk')
  })

  test.each([0, 4, 1.5, Number.NaN])('U-4 cannot go up to tier %d of three', async maxTier => {
    const { reprise, start } = await openChains()
    await expect(start({ maxTier }).result).rejects.toMatchObject({
      code: 'bad-input',
      message: `a chain of policy sample cannot go up to tier ${maxTier}`,
      hint: 'Give a whole number from 1 to 3 as --max-tier or `maxTier`.',
    })
    expect(await reprise.chains.list()).toEqual([])
  })

  test.each([1, 2, 3])('I14 stays below the ceiling of tier %d', async maxTier => {
    const { start } = await openChains([{ do: [verdict('escalate')] }])
    const chain = await start({ maxTier }).result
    expect(chain.maxTier).toBe(maxTier)
    expect(chain.runs.map(run => run.tier)).toEqual([1, 2, 3].slice(0, maxTier))
  })

  test.each([
    ['a prompt without a word', { prompt: ' ' }],
    ['a work dir that is not there', { workDir: '/nowhere' }],
    ['a budget below nothing', { budgetUsd: -1 }],
    [
      'a tier with a model that is a flag',
      {
        policy: policyWith({
          tiers: sampleMandate().policy.tiers.map((tier, at) =>
            at === 2 ? { ...tier, model: '--help' } : tier,
          ),
        }),
      },
    ],
    [
      'a tier with a mode that its agent does not know',
      { policy: policyWith({}, { permissionMode: 'nonsense' }) },
    ],
    [
      'a tier with a rule that is none',
      { policy: policyWith({}, { allowedTools: ['not a rule\n'] }) },
    ],
    [
      'a tier that forbids by a rule that is none',
      { policy: policyWith({}, { disallowedTools: ['no\n'] }) },
    ],
  ] as const)('U-4 is refused for %s, and nothing is stored', async (_, change) => {
    const { world, reprise, start } = await openChains()
    await expect(start(change).result).rejects.toMatchObject({ code: 'bad-input' })
    expect(await reprise.chains.list()).toEqual([])
    expect(world.runner.journal).toEqual([])
  })

  test('I14 a tier above the ceiling is not looked at', async () => {
    const tiers = sampleMandate().policy.tiers.map((tier, at) =>
      at === 2 ? { ...tier, model: '--help' } : tier,
    )
    const { start } = await openChains([{ do: [verdict('resolved')] }])
    const chain = await start({ policy: policyWith({ tiers }), maxTier: 2 }).result
    expect(chain.status).toBe('resolved')
  })

  test.each([
    [null, 2, 2],
    [3, 2, 2],
    [1, 2, 1],
    [1, undefined, 1],
    [2, 2, 2],
  ])(
    'M-2 with a budget of %j in the policy and %j from its user has %j dollars',
    async (usd, budgetUsd, expected) => {
      const { start } = await openChains([{ do: [verdict('resolved')] }])
      const policy = policyWith({ budget: { ...NO_BUDGET, usd } })
      const chain = await start({ policy, ...(budgetUsd !== undefined && { budgetUsd }) }).result
      expect(chain.budgetUsd).toBe(expected)
    },
  )

  test('E-1 finds its policy by name, and the policy names its agent', async () => {
    const policy = policyWith({ name: 'nightly', agent: 'claude-code' })
    const findPolicy = async (name: string) => {
      if (name === 'nightly') return policy
      throw new Error(`no policy ${name}`)
    }
    const { start } = await openChains([{ do: [verdict('resolved')] }], {
      findPolicy,
      defaultAgent: 'none such',
    })
    expect(await start({ policy: 'nightly' }).result).toMatchObject({
      policy: 'nightly',
      agent: 'claude-code',
    })
    await expect(start({ policy: 'daily' }).result).rejects.toThrow('no policy daily')
    const other = start({ policy: policyWith() }).result
    await expect(other).rejects.toMatchObject({ code: 'not-found' })
    const named = await start({ policy: policyWith(), agent: 'claude-code' }).result
    expect(named.status).toBe('resolved')
  })

  test('I8 sent twice with one key is one chain', async () => {
    const { world, start } = await openChains([{ do: [verdict('resolved')] }])
    const key = { key: 'again', request: 'same', note: '' }
    const first = await start({ key }).result
    const second = await start({ key }).result
    expect(second.id).toBe(first.id)
    expect(world.runner.journal).toHaveLength(1)
  })

  test('waits in the queue while all slots are taken, and its log says so', async () => {
    const { world, reprise, start } = await openChains(
      [
        { when: 'first', do: [{ type: 'waitForFile', path: '/go' }] },
        { do: [verdict('resolved')] },
      ],
      { maxRunning: 1 },
    )
    const thread = await reprise.threads.create({ workDir: '/project' })
    const first = thread.send('first')
    for await (const event of first) if (event.type === 'started') break
    const chain = start()
    const { runId } = await chain.submitted
    const [queued] = await reprise.runs.events(runId ?? '')
    expect(queued).toMatchObject({ type: 'queued', behind: null })
    expect((await reprise.runs.get(runId ?? '')).waitsFor).toMatchObject({
      code: 'no-slot',
      running: 1,
      max: 1,
    })
    await world.files.write('/go', '')
    expect((await chain.result).status).toBe('resolved')
  })

  test('E-12 its thread is nobody else’s, and a fork of it has no more rights than the first tier', async () => {
    const tiers = sampleMandate().policy.tiers.map((tier, at) =>
      at === 0 ? { ...tier, trust: 'project' as const } : tier,
    )
    const { reprise, start } = await openChains([{ do: [verdict('resolved')] }])
    const { threadId } = await start({ policy: policyWith({ tiers, sandbox: 'none' }) }).result
    const thread = await reprise.threads.get(threadId)
    await expect(thread.send('mine').result).rejects.toMatchObject({ code: 'conflict' })
    expect(await thread.show()).toMatchObject({ kind: 'chain', trust: 'project', sandbox: 'none' })
  })
})

describe('a list of chains', () => {
  test('is newest first, in pages, and by status', async () => {
    const { world, reprise, start } = await openChains([
      { when: 'bad', do: [verdict('failed')] },
      { do: [verdict('resolved')] },
    ])
    const ids: string[] = []
    for (const prompt of ['one', 'bad', 'three']) {
      world.clock.pass(1_000)
      ids.unshift((await start({ prompt }).result).id)
    }
    const listed = async (query?: Parameters<typeof reprise.chains.list>[0]) =>
      (await reprise.chains.list(query)).map(({ id }) => id)
    expect(await listed()).toEqual(ids)
    expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await listed({ cursor: ids[1] ?? '' })).toEqual(ids.slice(2))
    expect(await listed({ status: 'failed' })).toEqual([ids[1]])
    const [whole] = await reprise.chains.list({ limit: 1 })
    expect(whole).toEqual(await reprise.chains.get(ids[0] ?? ''))
    await expect(listed({ cursor: 'chn_none' })).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('E-7 a chain is found by its id and by every run of it; else an error names the list', async () => {
    const { reprise, start } = await openChains()
    const chain = await start().result
    for (const { id } of chain.runs) expect(await reprise.chains.ofRun(id)).toEqual(chain)
    await expect(reprise.chains.get('chn_none')).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no chain chn_none',
      hint: 'Run `reprise chains` to see their ids.',
    })
    await expect(reprise.chains.ofRun('run_none')).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no run run_none',
      hint: 'Run `reprise runs` to see their ids.',
    })
    const thread = await reprise.threads.create({ workDir: '/project' })
    const { run } = await thread.send('hello').result
    await expect(reprise.chains.ofRun(run.id)).rejects.toMatchObject({
      code: 'not-found',
      message: `run ${run.id} belongs to no chain`,
      hint: 'Run `reprise chains` to see their ids.',
    })
  })
})
