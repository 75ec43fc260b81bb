import { describe, expect, test } from 'vitest'
import { SAMPLE_PRICE as price } from '../../../test/estimate-samples.ts'
import { fc } from '../../../test/properties.ts'
import type { Usage } from '../run/events.ts'
import { learnHabits, type ReportedRun, shapeOf } from './habits.ts'
import { dollarsOf } from './ledger.ts'

const priceOf = (model: string) => (model === 'big' ? price : null)

/** A run whose requests had these contexts; each said `output` tokens, and everything new was written to the cache. */
function run(contexts: readonly number[], output = 0, change: Partial<ReportedRun> = {}) {
  const usage: Usage = {
    inputTokens: 0,
    cacheReadTokens: contexts.slice(0, -1).reduce((sum, tokens) => sum + tokens, 0),
    cacheWriteTokens: contexts.at(-1) ?? 0,
    outputTokens: output * contexts.length,
  }
  const contextTokens = (contexts.at(-1) ?? 0) + output
  const turns = contexts.length
  const reported: ReportedRun = { usage, contextTokens, turns, costUsd: null, model: 'big' }
  return { ...reported, ...change }
}

describe('M-4 the sums of a run tell what its requests read', () => {
  test.each([
    ['one request', run([9_000], 50), { requests: 1, firstTokens: 9_000, grownTokens: 0 }],
    [
      'two requests',
      run([9_000, 12_000], 50),
      { requests: 2, firstTokens: 9_000, grownTokens: 3_000 },
    ],
    [
      'requests that grow evenly',
      run([9_000, 10_000, 11_000, 12_000]),
      { requests: 4, firstTokens: 9_000, grownTokens: 3_000 },
    ],
    [
      'several requests that the agent reports as one',
      run([9_000, 9_000, 9_000], 0, { turns: 1 }),
      { requests: 3, firstTokens: 9_000, grownTokens: 0 },
    ],
    [
      'a context that is not known',
      run([9_000], 0, { contextTokens: null }),
      { requests: 1, firstTokens: 9_000, grownTokens: 0 },
    ],
  ])('%s', (_, given, expected) => {
    expect(shapeOf(given)).toEqual(expected)
  })

  test('no report gives less than nothing or more than was read', () => {
    const tokens = fc.nat(300_000)
    const reports = fc.record({
      usage: fc.record({
        inputTokens: tokens,
        cacheReadTokens: tokens,
        cacheWriteTokens: tokens,
        outputTokens: tokens,
      }),
      turns: fc.nat(50),
      contextTokens: fc.option(tokens),
      costUsd: fc.constant(null),
      model: fc.constant(null),
    })
    fc.assert(
      fc.property(reports, given => {
        const { requests, firstTokens, grownTokens } = shapeOf(given)
        const { inputTokens, cacheReadTokens, cacheWriteTokens } = given.usage
        expect(requests).toBeGreaterThanOrEqual(1)
        expect(Math.min(firstTokens, grownTokens)).toBeGreaterThanOrEqual(0)
        const read = inputTokens + cacheReadTokens + cacheWriteTokens
        expect(firstTokens).toBeLessThanOrEqual(read + 1)
      }),
    )
  })
})

describe('M-4 what is usual is the middle of what runs reported', () => {
  test('one long run among short ones changes little', () => {
    const runs = [
      run([1_000, 2_000], 10),
      run([1_000, 3_000], 20),
      run(
        Array.from({ length: 40 }, () => 90_000),
        99,
      ),
    ]
    expect(learnHabits(runs, { of: 'thread', priceOf })).toEqual({
      requests: 2,
      grownTokens: 1_000,
      outputTokens: 40,
      plainShare: 0,
      life: '5m',
      basis: { runs: 3, of: 'thread' },
    })
  })

  test('of two runs it is the middle between both', () => {
    const runs = [run([1_000, 2_000], 10), run([1_000, 3_000], 20)]
    expect(learnHabits(runs, { of: 'thread', priceOf })).toMatchObject({
      grownTokens: 1_500,
      outputTokens: 30,
    })
  })

  test('runs that reported nothing tell nothing', () => {
    expect(learnHabits([], { of: 'agent', priceOf })).toBeNull()
    expect(learnHabits([run([])], { of: 'agent', priceOf })).toBeNull()
  })

  test('the share of plain input is that of all new tokens', () => {
    const plain = { ...run([1_000]).usage, inputTokens: 1_000 }
    const runs = [run([1_000]), run([1_000], 0, { usage: plain })]
    expect(learnHabits(runs, { of: 'agent', priceOf })?.plainShare).toBeCloseTo(1 / 3)
  })

  test.each([
    ['5m', price.cacheWriteUsd],
    ['1h', price.cacheWriteHourUsd],
  ])('runs that paid for the %s cache wrote to it', (life, cacheWriteUsd) => {
    const given = run([5_000, 9_000], 30)
    const costUsd = dollarsOf(given.usage, { ...price, cacheWriteUsd })
    const found = learnHabits([{ ...given, costUsd }], { of: 'thread', priceOf })
    expect(found?.life).toBe(life)
    expect(learnHabits([{ ...given, costUsd }], { of: 'thread', priceOf: () => null })?.life).toBe(
      '5m',
    )
  })
})
