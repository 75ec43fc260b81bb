import { expect, test } from 'vitest'
import { hitRate, type ReasonCount, reasonShares } from './reason-share.ts'

const counts: readonly ReasonCount[] = [
  { action: 'start', code: 'first-turn', runs: 2, resumed: 0 },
  { action: 'resume', code: null, runs: 5, resumed: 4 },
  { action: 'fork', code: 'history-changed', runs: 2, resumed: 2 },
  { action: 'replay', code: 'context-full', runs: 1, resumed: 0 },
]

test('M-3 reasons are shares of all runs, the most frequent first', () => {
  expect(reasonShares(counts)).toEqual([
    { action: 'resume', code: null, words: '', runs: 5, share: 0.5 },
    { action: 'start', code: 'first-turn', words: 'it was the first turn', runs: 2, share: 0.2 },
    {
      action: 'fork',
      code: 'history-changed',
      words: 'the thread was edited or cut',
      runs: 2,
      share: 0.2,
    },
    {
      action: 'replay',
      code: 'context-full',
      words: 'the session was too full',
      runs: 1,
      share: 0.1,
    },
  ])
  expect(reasonShares([])).toEqual([])
})

test('M-3 the hit rate counts runs that had something to continue', () => {
  expect(hitRate(counts)).toBe(6 / 8)
  expect(hitRate(counts.slice(0, 1))).toBeNull()
})
