import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { isCron, nextStepAt, recurrenceWords } from './recurrence.ts'

test.each([
  [{ cron: '0 6 * * 1', timezone: 'Europe/Berlin' }, '0 6 * * 1 (Europe/Berlin)'],
  [{ everyMs: 7_200_000 }, 'every 2 h'],
  [{ everyMs: 5_400_000 }, 'every 90 min'],
  [{ everyMs: 90_000 }, 'every 90 s'],
  [{ everyMs: 1_500 }, 'every 1.5 s'],
])('E-9 J-7 %j is %s', (recurrence, words) => {
  expect(recurrenceWords(recurrence)).toBe(words)
  expect(isCron(recurrence)).toBe('cron' in recurrence)
})

test.each([
  ['comes one interval after the last', { lastAt: 100, now: 105 }, 110],
  ['is in the future, not now', { lastAt: 100, now: 110 }, 120],
  ['is not made up for when some were missed', { lastAt: 100, now: 147 }, 150],
  ['stays when the clock went back', { lastAt: 100, now: 50 }, 110],
])('E-9 J-7 the next step of a schedule %s', (_, times, at) => {
  expect(nextStepAt(10, times)).toBe(at)
})

test('E-9 J-7 the next step is the first one in the future, on the grid of the steps before', () => {
  const ms = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(ms, ms, ms, (everyMs, lastAt, late) => {
      const now = lastAt + late
      const next = nextStepAt(everyMs, { lastAt, now })
      expect((next - lastAt) % everyMs).toBe(0)
      expect(next).toBeGreaterThan(now)
      expect(next - everyMs).toBeLessThanOrEqual(now)
    }),
  )
})
