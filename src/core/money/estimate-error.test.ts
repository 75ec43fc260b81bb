import { expect, test } from 'vitest'
import { SAMPLE_ESTIMATE } from '../../../test/estimate-samples.ts'
import { fc } from '../../../test/properties.ts'
import { NO_USAGE } from '../run/events.ts'
import { type EstimatedRun, estimateQuality, qualityWords } from './estimate-error.ts'
import { quantile } from './quantile.ts'

const run = (expected: number | null, paid: number | null): EstimatedRun => ({
  estimate: { ...SAMPLE_ESTIMATE, costUsd: expected },
  usage: { ...NO_USAGE, cacheReadTokens: 2_500 },
  costUsd: paid,
})

test('M-4 errors are shares of what was reported, too much and too little alike', () => {
  const runs = [run(1.1, 1), run(0.8, 1), run(4, 2), run(null, 1), run(1, null), run(1, 0)]
  const { costUsd, tokens } = estimateQuality(runs)
  expect(costUsd.runs).toBe(3)
  expect(costUsd.median).toBeCloseTo(0.2)
  expect(costUsd.p90).toBeCloseTo(1)
  expect(tokens).toEqual({ runs: 6, median: 0.5, p90: 0.5 })
})

test('M-4 without a run to compare the error is not known', () => {
  const unknown = { runs: 0, median: null, p90: null }
  expect(estimateQuality([])).toEqual({ costUsd: unknown, tokens: unknown })
  expect(estimateQuality([run(null, null)]).costUsd).toEqual(unknown)
})

test('M-4 errors in words', () => {
  expect(qualityWords({ runs: 0, median: null, p90: null })).toBe(
    'not known: no run had an estimate',
  )
  expect(qualityWords({ runs: 1, median: 0.042, p90: 0.5 })).toBe(
    '4 % off in the median, at most 50 % in nine of ten (1 run)',
  )
  expect(qualityWords({ runs: 12, median: 0, p90: 1.5 })).toContain(
    '150 % in nine of ten (12 runs)',
  )
})

test('M-4 a quantile is one of the numbers, and at least its share of them is not greater', () => {
  const shares = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), shares, (numbers, share) => {
      const found = quantile(numbers, share)
      expect(numbers).toContain(found)
      const below = numbers.filter(number => number <= found).length
      expect(below).toBeGreaterThanOrEqual(share * numbers.length - 1e-9)
    }),
  )
  expect(quantile([], 0.5)).toBeNaN()
})
