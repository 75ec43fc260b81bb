// Chains that wait for a person, were broken off, or have used up their budget, on the fake agent in this process.
import { describe, expect, test } from 'vitest'
import {
  billed,
  CLIMBS,
  openChains,
  policyWith,
  verdict,
} from '../../../test/simulated/chain-world.ts'
import { eventually, START } from '../../../test/simulated/processes.ts'
import { NO_BUDGET } from '../../core/money/budget.ts'
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'
import { sampleMandate } from '../../testing/store-conformance/chain-samples.ts'

describe('a chain that waits for a person', () => {
  const asksAt = (number: number) =>
    policyWith({
      tiers: sampleMandate().policy.tiers.map((tier, at) =>
        at === number - 1 ? { ...tier, approval: 'ask' as const } : tier,
      ),
    })

  test('E-2 S19 goes on when the person approves, once', async () => {
    const { reprise, start } = await openChains()
    const held = await start({ policy: asksAt(2) }).result
    expect(held).toMatchObject({ status: 'held', tier: 1 })
    const approved = reprise.chains.approve(held.id)
    expect(await approved.submitted).toMatchObject({ chainId: held.id })
    const done = await approved.result
    expect(done).toMatchObject({ status: 'resolved', tier: 3 })
    expect(done.runs[1]?.parentRunId).toBe(held.runs[0]?.id)
    const again = reprise.chains.approve(held.id).result
    await expect(again).rejects.toMatchObject({ code: 'conflict' })
    await expect(reprise.chains.approve('chn_none').result).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('E-2 may even not begin before the person approves', async () => {
    const { world, reprise, start } = await openChains()
    const chain = start({ policy: asksAt(1) })
    expect(await chain.submitted).toMatchObject({ runId: null })
    const held = await chain.result
    expect(held).toMatchObject({ status: 'held', tier: 0, runs: [], byTier: [] })
    expect(world.runner.journal).toEqual([])
    expect(await reprise.chains.approve(held.id).result).toMatchObject({ status: 'resolved' })
  })

  test('E-2 is over when the person cancels it, held or broken off', async () => {
    const { world, reprise, start } = await openChains([
      { when: 'breaks', do: [{ type: 'killSelf', signal: 'SIGKILL' }] },
      ...CLIMBS,
    ])
    const held = await start({ policy: asksAt(2) }).result
    world.clock.pass(5_000)
    const cancelled = await reprise.chains.cancel(held.id)
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      because: { code: 'chain-cancelled', tier: held.because.tier },
      endedAt: START + 5_000,
    })
    const broken = await start({ prompt: 'breaks' }).result
    expect(broken.status).toBe('failed')
    expect((await reprise.chains.cancel(broken.id)).status).toBe('cancelled')
    const going = reprise.chains.continue(broken.id).result
    await expect(going).rejects.toMatchObject({ code: 'conflict' })
  })

  test('E-2 a chain that is over stays as it is when somebody cancels it', async () => {
    const { reprise, start } = await openChains()
    const done = await start().result
    expect(await reprise.chains.cancel(done.id)).toEqual(done)
    await expect(reprise.chains.cancel('chn_none')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a chain whose agent works ends when somebody cancels it', async () => {
    const { world, reprise, start } = await openChains([{ do: [{ type: 'hang' }] }])
    const chain = start()
    const { chainId, runId } = await chain.submitted
    await eventually(() => world.runner.running).toEqual([runId])
    const cancelled = await reprise.chains.cancel(chainId)
    expect(cancelled).toMatchObject({ status: 'cancelled', runs: [{ status: 'cancelled' }] })
    expect(world.runner.running).toEqual([])
  })
})

describe('a chain that was broken off', () => {
  const breaks = (...before: ScriptStep[]): FakeScript => [
    {
      when: 'as tier 1',
      once: true,
      do: [...before, { type: 'killSelf', signal: 'SIGKILL' }],
    },
    { do: [verdict('resolved')] },
  ]
  const CALL = { type: 'tool', name: 'Read', input: { file_path: 'x' }, result: null } as const

  test('E-2 F-3 goes on in the same tier as its second attempt, and its prompt says what may have run', async () => {
    const { world, reprise, start } = await openChains(breaks(CALL))
    const broken = await start({ policy: policyWith({}, { allowedTools: ['Read'] }) }).result
    expect(broken.because.code).toBe('run-interrupted')
    const done = await reprise.chains.continue(broken.id).result
    expect(done).toMatchObject({ status: 'resolved', tier: 1 })
    expect(done.runs.map(({ tier, attempt, parentRunId }) => [tier, attempt, parentRunId])).toEqual(
      [
        [1, 1, null],
        [1, 2, broken.runs[0]?.id],
      ],
    )
    expect(done.byTier).toMatchObject([{ tier: 1, runs: 2, status: 'completed' }])
    const prompt = world.runner.journal.at(-1)?.prompt
    expect(prompt).toContain('Read')
    expect(prompt).toContain('attempt 2')
  })

  test('M-2 does not go on when its budget is spent, and stays as it is', async () => {
    const { reprise, start } = await openChains(
      breaks(billed({ outputTokens: 100_000 }), { type: 'text', text: 'x' }),
    )
    const broken = await start({ budgetUsd: 0.000_1 }).result
    const going = reprise.chains.continue(broken.id).result
    await expect(going).rejects.toMatchObject({ code: 'conflict' })
    expect((await reprise.chains.get(broken.id)).status).toBe(broken.status)
  })
})

describe('M-2 the budgets of a chain', () => {
  test.each([
    ['dollars', { usd: 1 }, '$'],
    ['tokens', { tokens: 50_000 }, 'tokens'],
  ])('in %s: a warning once, then the end', async (_, limit, words) => {
    const { reprise, start } = await openChains([
      {
        do: [
          billed({ outputTokens: 42_000 }),
          { type: 'text', text: 'most of it' },
          billed({ outputTokens: 2_000 }),
          { type: 'text', text: 'a little more' },
          billed({ outputTokens: 42_000 }),
          { type: 'text', text: 'too much' },
          { type: 'hang' },
        ],
      },
    ])
    const policy = policyWith({ budget: { ...NO_BUDGET, ...limit } })
    const { runs, because } = await start({ policy }).result
    expect(because).toMatchObject({ code: 'budget-spent', of: 'chain' })
    expect(runs[0]?.failure).toMatchObject({
      class: 'budget',
      message: expect.stringContaining('the budget of the chain is spent: '),
      hint: 'Raise the budget in the policy or with `--budget`, then start again: `reprise escalate`.',
    })
    expect(runs[0]?.failure?.message).toContain(words)
    const events = await reprise.runs.events(runs[0]?.id ?? '')
    const warnings = events.filter(event => event.type === 'notice' && event.code === 'budget-near')
    expect(warnings).toMatchObject([
      { text: expect.stringContaining('the budget of the chain is nearly spent: ') },
    ])
  })

  test('in time: what the chain has waited for a person counts, and the tier has its own time', async () => {
    const slow: FakeScript = [
      {
        when: 'as tier 2',
        do: [{ type: 'waitForFile', path: '/go' }, { type: 'text', text: 'x' }, { type: 'hang' }],
      },
      { do: [verdict('escalate')] },
    ]
    const { world, start } = await openChains(slow)
    const chain = start({
      policy: policyWith({}, { budget: { ...NO_BUDGET, wallClockMs: 60_000 } }),
    })
    const { chainId } = await chain.submitted
    await eventually(async () => (await world.store.runsOfChain(chainId)).length).toBe(2)
    await eventually(() => world.runner.running.length).toBe(1)
    world.clock.pass(61_000)
    await world.files.write('/go', '')
    const { runs } = await chain.result
    expect(runs[1]?.failure).toMatchObject({
      class: 'budget',
      message: 'the budget of tier 2 is spent: 61 s of 60 s',
    })
  })
})
