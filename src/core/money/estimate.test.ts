import { describe, expect, test } from 'vitest'
import { COLD, ONE_REQUEST, SAMPLE_PRICE as price, WARM } from '../../../test/estimate-samples.ts'
import { fc } from '../../../test/properties.ts'
import { basisWords, estimateTurn, overheadTokens, type Reading } from './estimate.ts'

const reading: Reading = {
  heldTokens: 10_000,
  keptTokens: 9_900,
  sentChars: 4_000,
  cache: WARM,
  habits: ONE_REQUEST,
  price,
}
const usage = (read: number, written: number, input = 0, output = 0) => ({
  inputTokens: input,
  cacheReadTokens: read,
  cacheWriteTokens: written,
  outputTokens: output,
})

describe('M-4 what a turn uses is estimated before it is sent', () => {
  test.each<readonly [string, Partial<Reading>, object | null]>([
    [
      'a warm session reads all but its last answer from the cache',
      {},
      { tokens: 11_000, cachedTokens: 9_900, usage: usage(9_900, 1_100), costUsd: 0.010_45 },
    ],
    [
      'a cold session is written to the cache once more',
      { cache: COLD },
      { tokens: 11_000, cachedTokens: 0, usage: usage(0, 11_000), costUsd: 0.055 },
    ],
    [
      'a part of a token counts as one',
      { sentChars: 1, keptTokens: 9_999 },
      { tokens: 10_001, usage: usage(9_999, 2) },
    ],
    [
      'an answer that is longer than what was measured leaves nothing in the cache',
      { heldTokens: 50, keptTokens: -950 },
      { tokens: 1_050, cachedTokens: 0 },
    ],
    [
      'each later request reads all that was there before it, and writes what has come',
      { habits: { ...ONE_REQUEST, requests: 3, grownTokens: 400, outputTokens: 70 } },
      { tokens: 11_000, usage: usage(9_900 + 11_000 + 11_200, 1_500, 0, 70) },
    ],
    [
      'an agent that writes to no cache pays for plain input',
      { habits: { ...ONE_REQUEST, plainShare: 1 } },
      { usage: usage(9_900, 0, 1_100) },
    ],
    [
      'the one-hour cache has a price of its own',
      { cache: COLD, habits: { ...ONE_REQUEST, life: '1h' } },
      { usage: usage(0, 11_000), costUsd: 0.088 },
    ],
    ['an unknown price is not zero', { price: null }, { tokens: 11_000, costUsd: null }],
    ['an unknown context is not zero', { heldTokens: null }, null],
    ['without any report there is no estimate', { habits: null }, null],
  ])('%s', (_, change, expected) => {
    const found = estimateTurn({ ...reading, ...change })
    if (expected === null) expect(found).toBeNull()
    else expect(found).toMatchObject(expected)
  })
})

const readings = fc.record({
  heldTokens: fc.nat(200_000),
  keptTokens: fc.integer({ min: -1_000, max: 250_000 }),
  sentChars: fc.nat(400_000),
  cache: fc.constantFrom(WARM, COLD),
  habits: fc.record({
    requests: fc.integer({ min: 1, max: 40 }),
    grownTokens: fc.nat(100_000),
    outputTokens: fc.nat(20_000),
    plainShare: fc.double({ min: 0, max: 1, noNaN: true }),
    life: fc.constantFrom('5m' as const, '1h' as const),
    basis: fc.constant({ runs: 1, of: 'thread' as const }),
  }),
  price: fc.constant(price),
})
const costOf = (given: Reading) => estimateTurn(given)?.costUsd ?? Number.NaN

describe('M-4 estimates keep these rules for any reading', () => {
  test('the cost is the sum of its kinds, and the first request is read or written once', () => {
    fc.assert(
      fc.property(readings, given => {
        const found = estimateTurn(given)
        if (!found) throw new Error('no estimate')
        const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = found.usage
        for (const tokens of Object.values(found.usage)) expect(tokens).toBeGreaterThanOrEqual(0)
        const write = given.habits.life === '1h' ? price.cacheWriteHourUsd : price.cacheWriteUsd
        const sum =
          inputTokens * price.inputUsd +
          cacheReadTokens * price.cacheReadUsd +
          cacheWriteTokens * write +
          outputTokens * price.outputUsd
        expect(found.costUsd).toBeCloseTo(sum / 1_000_000, 9)
        expect(found.cachedTokens).toBeLessThanOrEqual(found.tokens)
        expect(inputTokens + cacheReadTokens + cacheWriteTokens).toBeGreaterThanOrEqual(
          found.tokens,
        )
      }),
    )
  })

  test('a warm cache never costs more than a cold one', () => {
    fc.assert(
      fc.property(readings, given => {
        const [warm, cold] = [WARM, COLD].map(cache => costOf({ ...given, cache }))
        expect(warm).toBeLessThanOrEqual((cold ?? 0) + 0.000_01)
      }),
    )
  })

  test('more text, more held tokens, more requests and longer answers never cost less', () => {
    fc.assert(
      fc.property(readings, fc.nat(50_000), (given, more) => {
        const base = costOf(given) - 0.000_01
        const { habits } = given
        const requests = habits.requests + (more % 5)
        expect(costOf({ ...given, sentChars: given.sentChars + more })).toBeGreaterThan(base)
        expect(costOf({ ...given, heldTokens: given.heldTokens + more })).toBeGreaterThan(base)
        expect(costOf({ ...given, habits: { ...habits, requests } })).toBeGreaterThan(base)
        const outputTokens = habits.outputTokens + more
        expect(costOf({ ...given, habits: { ...habits, outputTokens } })).toBeGreaterThan(base)
      }),
    )
  })
})

test.each([
  ['not known when nothing was measured', [], null],
  ['what a context holds besides its messages', [[14_000, 4_000]], 13_000],
  [
    'the least of several, because tool results fill contexts too',
    [
      [30_000, 8_000],
      [14_000, 4_000],
    ],
    13_000,
  ],
  ['never less than nothing', [[100, 4_000]], 0],
] as const)('M-3 what an agent adds to each session is %s', (_, measured, tokens) => {
  const contexts = measured.map(([contextTokens, messageChars]) => ({
    contextTokens,
    messageChars,
  }))
  expect(overheadTokens(contexts)).toBe(tokens)
})

test('M-4 an estimate says what it rests on', () => {
  expect(basisWords({ runs: 1, of: 'thread' })).toBe('the latest run of this thread')
  expect(basisWords({ runs: 2, of: 'tier' })).toBe(
    'the latest 2 runs of this tier in earlier chains',
  )
  expect(basisWords({ runs: 5, of: 'agent' })).toBe(
    'the latest 5 runs of this agent in other threads',
  )
})
