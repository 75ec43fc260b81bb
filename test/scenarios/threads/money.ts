// Scenarios of costs: every run books what it used itself, whatever the agent's totals mean.
import { expect, test } from 'vitest'
import { append, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { isReal, NEWEST, type RealVersion } from '../harness/program.ts'

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

  test('T-11 M-3 a run shows its tokens by kind and what a cold start would have cost, as an estimate', async () => {
    const thread = await world().thread()
    const story = `${'a long story, '.repeat(2_000)}the end`
    const first = await world().turn(thread, story, { acts: [say('a sad one')] })
    const second = await world().turn(thread, 'and then?')
    expect(first.run).toMatchObject({ sessionResumed: false, savings: { savedUsd: 0 } })
    expect(second.run.sessionResumed).toBe(true)
    const { savings, usage, costUsd } = second.run
    const measured = usage.inputTokens + usage.cacheWriteTokens
    const spared = (savings?.coldInputTokens ?? 0) - measured
    expect(savings?.estimate).toBe(true)
    // The story with its heading, as a transcript has it; the last answer is written to the cache either way.
    expect(spared).toBeGreaterThanOrEqual(Math.ceil(story.length / 4))
    expect(spared).toBeLessThan(story.length / 4 + 20)
    // Sonnet 4.5: $3.75 a million to write to the cache, $0.30 to read from it.
    expect(savings?.savedUsd).toBeCloseTo((spared * 3.45) / 1_000_000, 9)
    expect(savings?.coldCostUsd).toBeCloseTo((costUsd ?? 0) + (savings?.savedUsd ?? 0), 9)

    const { rows, formula } = await world().reprise.savings('thread')
    const row = rows.find(({ key }) => key === thread.id)
    expect(row).toMatchObject({ runs: 2, resumed: 1, costUsd: (await thread.show()).costUsd })
    expect(row?.usage.cacheReadTokens).toBe(first.run.usage.cacheReadTokens + usage.cacheReadTokens)
    expect(row?.savedUsd).toBeCloseTo(savings?.savedUsd ?? 0, 9)
    expect(formula).toContain('saved = transcript tokens')

    await thread.truncate(second.messageId)
    const replayed = await world().turn(thread, 'and then?', { freshSession: true })
    // The fake agent has no cache between sessions, so only the real bill can be held against it.
    if (!isReal(world().kind)) return
    const share = (savings?.coldCostUsd ?? 0) / world().model.bill(replayed.run).costUsd
    expect(share).toBeGreaterThan(0.7)
    expect(share).toBeLessThan(1.3)
  })

  test('M-4 a turn is priced before it is sent, and the run keeps that price beside what it then reported', async () => {
    const thread = await world().thread()
    const acts = () => [say('noted, '.repeat(300))]
    for (const prompt of ['one', 'two', 'three'])
      await world().turn(thread, prompt, { acts: acts() })
    for (const [freshSession, way] of [
      [false, 'resume'],
      [true, `replay-${world().replay}`],
    ] as const) {
      const preview = await thread.preview({ prompt: 'and now?', freshSession })
      const chosen = preview.ways.find(({ isChosen }) => isChosen)
      expect(chosen?.way).toBe(way)
      const { run } = await world().turn(thread, 'and now?', { freshSession, acts: acts() })
      expect(run.estimate?.usage).toEqual(chosen?.estimate?.usage)
      expect(run.estimate).toMatchObject({ cache: { state: 'warm' }, basis: { of: 'thread' } })
      // The fake agent counts its tokens in a way of its own.
      if (!isReal(world().kind)) continue
      const off = Math.abs((run.estimate?.costUsd ?? 0) / (run.costUsd ?? 0) - 1)
      expect(off).toBeLessThan(freshSession ? 0.3 : 0.1)
    }
    const { estimates } = await world().reprise.savings('thread')
    expect(estimates.costUsd.runs).toBeGreaterThanOrEqual(4)
    expect(estimates.tokens.median).not.toBeNull()
  })
}

/** Models whose prices a version knows. */
const PRICED: Record<RealVersion, readonly string[]> = {
  '2.1.197': ['claude-opus-4-8', 'claude-sonnet-4-5[1m]', 'haiku'],
  [NEWEST]: ['claude-opus-5-5', 'sonnet', 'haiku'],
}

export function billScenarios(world: () => Harness, version: RealVersion): void {
  test.each(PRICED[version])(
    'M-1 %s: a resume books what it was billed, undisputed',
    async model => {
      const thread = await world().thread()
      for (const prompt of ['one', 'two']) {
        const { run } = await world().turn(thread, prompt, { model })
        expect(run.costUsd).toBeCloseTo(world().model.bill(run).costUsd, 6)
        expect(run.costDisputed).toBe(false)
      }
    },
  )
}
