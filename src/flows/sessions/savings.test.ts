import { expect, test } from 'vitest'
import type { UsageRow } from '../../core/money/usage.ts'
import { savingsReport } from './savings.ts'

const row = (key: string, factor: number): UsageRow => ({
  key,
  runs: 2 * factor,
  resumed: factor,
  usage: {
    inputTokens: 10 * factor,
    cacheReadTokens: 200 * factor,
    cacheWriteTokens: 3_000 * factor,
    outputTokens: 40_000 * factor,
  },
  costUsd: 0.5 * factor,
  coldCostUsd: 2 * factor,
  savedUsd: 1.5 * factor,
})

test('M-3 the total of a report is the sum of its rows, and the report says how it was made', () => {
  const rows = [row('monday', 1), row('tuesday', 2)]
  const counts = [
    { action: 'resume', code: null, runs: 3, resumed: 3 },
    { action: 'start', code: 'first-turn', runs: 1, resumed: 0 },
  ] as const
  const report = savingsReport('day', rows, { counts, estimated: [] })
  expect(report).toMatchObject({ by: 'day', rows, total: row('total', 3) })
  expect(report.formula).not.toBe('')
  expect(report.reasons.reduce((sum, { runs }) => sum + runs, 0)).toBe(4)
  expect(report.hitRate).not.toBeNull()
})

test('M-3 without runs a report has nothing', () => {
  expect(savingsReport('agent', [], { counts: [], estimated: [] }).total).toEqual(row('total', 0))
})
