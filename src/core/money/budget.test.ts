import { expect, test } from 'vitest'
import {
  addSpent,
  type Budget,
  type BudgetUse,
  budgetWords,
  checkBudget,
  NO_BUDGET,
  NOTHING_SPENT,
  type Spent,
} from './budget.ts'

const within = { state: 'within' }

test.each<[string, Partial<Budget>, Partial<Spent>, object]>([
  ['without a limit', {}, { usd: 99, tokens: 99, runs: 99, wallClockMs: 99 }, within],
  ['under four fifths of its limit', { usd: 10 }, { usd: 7.99 }, within],
  [
    'from four fifths of its limit on',
    { usd: 10 },
    { usd: 8 },
    { state: 'near', kind: 'usd', spent: 8, limit: 10 },
  ],
  [
    'just below its limit',
    { tokens: 10 },
    { tokens: 9 },
    { state: 'near', kind: 'tokens', spent: 9, limit: 10 },
  ],
  ['at its limit', { runs: 3 }, { runs: 3 }, { state: 'spent', kind: 'runs', spent: 3, limit: 3 }],
  [
    'over its limit',
    { wallClockMs: 10 },
    { wallClockMs: 11 },
    { state: 'spent', kind: 'wallClockMs', spent: 11, limit: 10 },
  ],
  [
    'of nothing, before anything is spent',
    { usd: 0 },
    {},
    { state: 'spent', kind: 'usd', spent: 0, limit: 0 },
  ],
  [
    'with several limits: the one nearest to its end counts',
    { usd: 10, tokens: 100, runs: 10 },
    { usd: 8, tokens: 95, runs: 9 },
    { state: 'near', kind: 'tokens', spent: 95, limit: 100 },
  ],
  [
    'with two limits equally near: the first counts',
    { usd: 10, runs: 10 },
    { usd: 9, runs: 9 },
    { state: 'near', kind: 'usd', spent: 9, limit: 10 },
  ],
])('M-2 a budget %s', (_, budget, spent, expected) => {
  expect(checkBudget({ ...NO_BUDGET, ...budget }, { ...NOTHING_SPENT, ...spent })).toEqual(expected)
})

test('M-2 what runs spent is added up by kind', () => {
  expect(NOTHING_SPENT).toEqual({ usd: 0, tokens: 0, runs: 0, wallClockMs: 0 })
  const first = { usd: 1, tokens: 20, runs: 300, wallClockMs: 4_000 }
  const second = { usd: 0.5, tokens: 7, runs: 1, wallClockMs: 90 }
  const both = { usd: 1.5, tokens: 27, runs: 301, wallClockMs: 4_090 }
  expect(addSpent(first, second)).toEqual(both)
})

test.each<[BudgetUse, string]>([
  [{ kind: 'usd', spent: 0.123_456, limit: 2 }, '$0.1235 of $2'],
  [{ kind: 'wallClockMs', spent: 61_499, limit: 120_000 }, '61 s of 120 s'],
  [{ kind: 'tokens', spent: 99.6, limit: 200 }, '100 tokens of 200 tokens'],
  [{ kind: 'runs', spent: 2, limit: 3 }, '2 runs of 3 runs'],
])('M-2 the use of a budget in words: %j', (use, words) => {
  expect(budgetWords(use)).toBe(words)
})
