import { describe, expect, test } from 'vitest'
import { layoutDays } from './day-bars.ts'

const row = (key: string, costUsd: number, coldCostUsd: number) => ({
  key,
  costUsd,
  coldCostUsd,
  savedUsd: coldCostUsd - costUsd,
  runs: 1,
  resumed: 1,
  usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
})

const until = Date.UTC(2026, 10, 17, 12)

describe('bars per day', () => {
  test('each day has a bar, and the estimate stands on what was paid', () => {
    const { bars, marks } = layoutDays([row('2026-11-17', 2, 8), row('2026-11-15', 1, 1)], {
      days: 3,
      until,
    })
    expect(marks).toEqual([0, 2, 4, 6, 8])
    expect(bars.map(({ day, paid, more }) => [day, paid, more])).toEqual([
      ['2026-11-15', 0.125, 0],
      ['2026-11-16', 0, 0],
      ['2026-11-17', 0.25, 0.75],
    ])
  })

  test.each([
    [0, [0, 1]],
    [0.03, [0, 0.01, 0.02, 0.03]],
    [7.6, [0, 2, 4, 6, 8]],
    [118, [0, 50, 100, 150]],
  ])('%s dollars have the marks %o', (highest, marks) => {
    expect(layoutDays([row('2026-11-17', highest, highest)], { days: 1, until }).marks).toEqual(
      marks,
    )
  })
})
