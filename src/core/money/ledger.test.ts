import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { bookCost, priceOf } from './ledger.ts'
import { estimateSavings } from './savings.ts'

const report = {
  meaning: 'process',
  totalUsd: null,
  sinceLastUsd: null,
  baselineUsd: 0,
  expectedUsd: null,
  isBrokenOff: false,
} as const
const price = {
  inputUsd: 3,
  cacheReadUsd: 0.3,
  cacheWriteUsd: 3.75,
  cacheWriteHourUsd: 6,
  outputUsd: 15,
}

describe('M-1 the ledger books what the run itself used', () => {
  test('a total of the process is the cost of the run', () => {
    const booked = bookCost({ ...report, totalUsd: 0.0188, baselineUsd: 0.0168 })
    expect(booked).toEqual({ costUsd: 0.0188, source: 'reported', disputed: false })
  })
  test('a total of the session counts from its baseline', () => {
    const cumulative = { ...report, meaning: 'session', totalUsd: 0.386463 } as const
    const booked = bookCost({ ...cumulative, baselineUsd: 0.363044 })
    expect(booked.costUsd).toBeCloseTo(0.023419, 9)
    expect(booked.source).toBe('session-delta')
  })
  test("the agent's own deltas are preferred", () => {
    const booked = bookCost({ ...report, meaning: 'session', totalUsd: 9, sinceLastUsd: 0.5 })
    expect(booked).toMatchObject({ costUsd: 0.5, source: 'since-last-result' })
  })
  test('a killed run without a result is priced by its messages', () => {
    const booked = bookCost({ ...report, expectedUsd: { least: 0.02, most: 0.03 } })
    expect(booked).toEqual({ costUsd: 0.02, source: 'per-message', disputed: false })
  })
  test('an unknown cost is not zero', () => {
    expect(bookCost(report)).toEqual({ costUsd: null, source: 'none', disputed: false })
  })
  test('a total below its baseline cannot include it', () => {
    const booked = bookCost({ ...report, meaning: 'session', totalUsd: 0.01, baselineUsd: 0.3 })
    expect(booked).toMatchObject({ costUsd: 0.01, source: 'reported' })
  })
  test('when tokens confirm the other meaning, that one is booked and the run marked as disputed', () => {
    const wrong = {
      ...report,
      totalUsd: 0.386463,
      baselineUsd: 0.363044,
      expectedUsd: { least: 0.0234, most: 0.03 },
    }
    const booked = bookCost(wrong)
    expect(booked.costUsd).toBeCloseTo(0.023419, 9)
    expect(booked.disputed).toBe(true)
  })
  test('so is the total of a process, where the version says that it is one of the session', () => {
    const wrong = { ...report, meaning: 'session', totalUsd: 0.5, baselineUsd: 0.4 } as const
    const booked = bookCost({ ...wrong, expectedUsd: { least: 0.5, most: 0.5 } })
    expect(booked).toEqual({ costUsd: 0.5, source: 'reported', disputed: true })
  })
  test('a total that is still its baseline means that the run cost nothing', () => {
    const booked = bookCost({ ...report, meaning: 'session', totalUsd: 0.3, baselineUsd: 0.3 })
    expect(booked).toEqual({ costUsd: 0, source: 'session-delta', disputed: false })
  })
  test("the agent's own deltas are disputed by the tokens, and no other figure takes their place", () => {
    const booked = bookCost({ ...report, sinceLastUsd: 1, expectedUsd: { least: 0, most: 0 } })
    expect(booked).toEqual({ costUsd: 1, source: 'since-last-result', disputed: true })
  })
  test('a request that was broken off is booked by its tokens, though the agent leaves it out', () => {
    const claim = { ...report, isBrokenOff: true, expectedUsd: { least: 0.1, most: 0.2 } }
    const byTokens = { costUsd: 0.1, source: 'per-message', disputed: true }
    expect(bookCost({ ...claim, sinceLastUsd: 0 })).toEqual(byTokens)
    expect(bookCost({ ...claim, totalUsd: 0.05 })).toEqual(byTokens)
    expect(bookCost({ ...claim, totalUsd: 0.3 })).toMatchObject({ costUsd: 0.3, disputed: true })
    expect(bookCost({ ...claim, totalUsd: 0.1 })).toMatchObject({ costUsd: 0.1, disputed: false })
  })
  test('when nothing agrees, the claim is kept and marked', () => {
    const booked = bookCost({ ...report, totalUsd: 1, expectedUsd: { least: 0.1, most: 0.2 } })
    expect(booked).toEqual({ costUsd: 1, source: 'reported', disputed: true })
  })
})

test('M-1 I4 under both meanings a history of runs adds up to what was spent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom('process', 'session'),
      (microDollars, meaning) => {
        let total = 0
        let booked = 0
        for (const micro of microDollars) {
          const own = micro / 1_000_000
          const baselineUsd = total
          total += own
          const totalUsd = meaning === 'session' ? total : own
          const cost = bookCost({
            ...report,
            meaning,
            totalUsd,
            baselineUsd,
            expectedUsd: { least: own, most: own },
          })
          expect(cost.disputed).toBe(false)
          booked += cost.costUsd ?? 0
        }
        expect(booked).toBeCloseTo(total, 6)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('M-1 usage is priced by kind, and an unknown model is not guessed', () => {
  const usage = {
    inputTokens: 1000,
    cacheReadTokens: 2000,
    cacheWriteTokens: 400,
    outputTokens: 10,
  }
  const request = { requestId: 'r', model: 'm', usage, main: true }
  const range = priceOf([request], () => price)
  expect(range?.least).toBeCloseTo(0.003 + 0.0006 + 0.0015 + 0.00015, 12)
  expect(range?.most).toBeCloseTo(0.003 + 0.0006 + 0.0024 + 0.00015, 12)
  expect(priceOf([request], () => null)).toBeNull()
  expect(priceOf([], () => price)).toBeNull()
})

test('M-1 every request is priced by its own model; one without a price leaves the whole unknown', () => {
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1_000 }
  const request = (requestId: string, model: string) => ({ requestId, model, usage, main: true })
  const prices = new Map([
    ['large', price],
    ['small', { ...price, outputUsd: 1 }],
  ])
  const list = (model: string) => prices.get(model) ?? null
  const both = [request('r1', 'large'), request('r2', 'small'), request('r3', 'small')]
  expect(priceOf(both, list)?.least).toBeCloseTo(0.015 + 0.001 + 0.001, 12)
  expect(priceOf(both, list)?.most).toBeCloseTo(0.015 + 0.001 + 0.001, 12)
  expect(priceOf([...both, request('r4', 'unheard of')], list)).toBeNull()
})

test.each([
  [1.021, true],
  [1.02, false],
  [0.98, false],
  [0.979, true],
])('M-1 a claim of %d dollars where the tokens say 1 is disputed: %s', (totalUsd, disputed) => {
  const booked = bookCost({ ...report, totalUsd, expectedUsd: { least: 1, most: 1 } })
  expect(booked).toMatchObject({ costUsd: totalUsd, disputed })
})

test('M-3 T-11 savings are the transcript not sent, at write minus read price, and marked as an estimate', () => {
  const usage = { inputTokens: 10, cacheReadTokens: 20_000, cacheWriteTokens: 90, outputTokens: 5 }
  expect(estimateSavings({ usage, costUsd: 0.01, transcriptChars: 40_000, price })).toEqual({
    coldInputTokens: 10_100,
    coldCostUsd: 0.01 + 10_000 * 3.45e-6,
    savedUsd: 10_000 * 3.45e-6,
    estimate: true,
  })
})
