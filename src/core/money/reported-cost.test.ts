import { expect, test } from 'vitest'
import { costInWords, reportedCost } from './reported-cost.ts'

const run = (costUsd: number | null, change: object = {}) =>
  ({ costUsd, startedAt: 1, endedAt: 2, failure: null, ...change }) as never
const unstarted = run(null, { failure: { class: 'spawn-failed' } })
const going = run(null, { endedAt: null })
const queued = run(null, { startedAt: null, endedAt: null })
const cancelled = run(null, { startedAt: null })

test.each([
  ['no run', [], 0, 0, '0 dollars'],
  [
    'a run that is going, one that waits and one that never began',
    [going, queued, cancelled],
    null,
    0,
    'unknown',
  ],
  ['a process that never started', [unstarted], null, 0, 'unknown'],
  ['an agent that reports nothing', [run(null), run(null)], null, 2, 'not reported'],
  ['an agent that reports zero', [run(0)], 0, 0, '0 dollars'],
  ['an agent that reports', [run(1), run(2), unstarted], 3, 0, '3 dollars'],
  ['one that reports and one that does not', [run(1), run(null)], 1, 1, '1 dollars + not reported'],
])('M-1 the cost of %s', (_, runs, costUsd, runsWithoutCost, words) => {
  const cost = reportedCost(runs)
  expect(cost).toEqual({ costUsd, runsWithoutCost })
  const form = { dollars: (usd: number) => `${usd} dollars`, unknown: 'unknown' }
  expect(costInWords(cost, form)).toBe(words)
})
