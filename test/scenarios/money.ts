// Scenarios of costs: every run books what it used itself, whatever the agent's totals mean.
import { expect, test } from 'vitest'
import { append } from './acts.ts'
import type { Harness } from './harness.ts'

export function moneyScenarios(world: () => Harness): void {
  test('M-1 C-7 every run books exactly what it was billed: new, resumed, with tools, forked, another model', async () => {
    const thread = await world().thread()
    const acts = [append(world().path('paid'), 'x')]
    const turns = [
      await world().turn(thread, 'one'),
      await world().turn(thread, 'two'),
      await world().turn(thread, 'three', { acts, allowedTools: ['Bash'] }),
      await thread.retry((await thread.show()).messages[2]?.id ?? '').result,
      await world().turn(thread, 'five'),
      await world().turn(thread, 'six', { model: 'claude-haiku-4-5' }),
    ]
    expect(turns.map(({ run }) => run.decision?.action)).toEqual([
      'start',
      'resume',
      'resume',
      'fork',
      'resume',
      'resume',
    ])
    let total = 0
    for (const { run } of turns) {
      const { requests: _, costUsd, ...usage } = world().model.bill(run)
      expect(costUsd).toBeGreaterThan(0)
      expect(run.costUsd).toBeCloseTo(costUsd, 6)
      expect(run.usage).toEqual(usage)
      expect(run.costDisputed).toBe(false)
      total += costUsd
    }
    expect((await thread.show()).costUsd).toBeCloseTo(total, 6)
  })

  test('T-11 M-3 a run tells its tokens by kind and what a cold start would have cost, as an estimate', async () => {
    const thread = await world().thread()
    const long = `${'a long story, '.repeat(2_000)}the end`
    const first = await world().turn(thread, long)
    const second = await world().turn(thread, 'and then?')
    expect(first.run).toMatchObject({ sessionResumed: false })
    expect(second.run).toMatchObject({ sessionResumed: true, savings: { estimate: true } })
    expect(second.run.usage.cacheReadTokens).toBeGreaterThan(second.run.usage.cacheWriteTokens)
    const { savings, usage, costUsd } = second.run
    const measured = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
    expect(savings?.coldInputTokens).toBeGreaterThan(measured / 2)
    expect(savings?.savedUsd).toBeCloseTo((savings?.coldCostUsd ?? 0) - (costUsd ?? 0), 9)
    expect(savings?.savedUsd).toBeGreaterThan(0)

    const { rows, total, formula } = await world().reprise.savings('thread')
    const row = rows.find(({ key }) => key === thread.id)
    expect(row).toMatchObject({ runs: 2 })
    expect(total.runs).toBeGreaterThanOrEqual(2)
    expect(formula).toMatch(/cold/)
  })
}
