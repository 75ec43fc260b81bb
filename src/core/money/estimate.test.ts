import { describe, expect, test } from 'vitest'
import { type Estimate, estimateReading, overheadTokens, type Reading } from './estimate.ts'

const price = {
  inputUsd: 4,
  cacheReadUsd: 0.5,
  cacheWriteUsd: 5,
  cacheWriteHourUsd: 8,
  outputUsd: 20,
}
const reading: Reading = {
  heldTokens: 10_000,
  lastAnswerChars: 400,
  sentChars: 4_000,
  usedMsAgo: 60_000,
  price,
}
const usd = (cached: number, written: number) => (cached * 0.5 + written * 5) / 1_000_000

describe('M-3 what a turn reads is estimated before it is sent', () => {
  const cases: readonly (readonly [string, Partial<Reading>, Estimate | null])[] = [
    [
      'a warm session reads all but its last answer from the cache',
      {},
      { tokens: 11_000, cachedTokens: 9_900, costUsd: usd(9_900, 1_100) },
    ],
    [
      'the cache lasts five minutes',
      { usedMsAgo: 300_000 },
      { tokens: 11_000, cachedTokens: 9_900, costUsd: usd(9_900, 1_100) },
    ],
    [
      'a cold session is written to the cache once more',
      { usedMsAgo: 300_001 },
      { tokens: 11_000, cachedTokens: 0, costUsd: usd(0, 11_000) },
    ],
    [
      'the cache of another model is of no use',
      { usedMsAgo: null },
      { tokens: 11_000, cachedTokens: 0, costUsd: usd(0, 11_000) },
    ],
    [
      'a part of a token counts as one',
      { sentChars: 1, lastAnswerChars: 1 },
      { tokens: 10_001, cachedTokens: 9_999, costUsd: usd(9_999, 2) },
    ],
    [
      'an answer that is longer than what was measured leaves nothing in the cache',
      { heldTokens: 50, lastAnswerChars: 4_000 },
      { tokens: 1_050, cachedTokens: 0, costUsd: usd(0, 1_050) },
    ],
    [
      'an unknown price is not zero',
      { price: null },
      { tokens: 11_000, cachedTokens: 9_900, costUsd: null },
    ],
    ['an unknown context is not zero', { heldTokens: null }, null],
  ]
  test.each(cases)('%s', (_, change, estimate) => {
    expect(estimateReading({ ...reading, ...change })).toEqual(estimate)
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
