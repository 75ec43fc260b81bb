import { expect, test } from 'vitest'
import { keepingOf } from './checkpoint-keeping.ts'

const DAY = 24 * 3_600_000
const now = 100 * DAY

test.each([
  ['an open job', 'open', 30, 'keep'],
  ['a job that is gone', 'gone', 30, 'orphaned'],
  ['a job that is gone, when all are kept', 'gone', null, 'orphaned'],
  ['a job that ended 30 days ago', { endedAt: 70 * DAY }, 30, 'keep'],
  ['a job that ended more than 30 days ago', { endedAt: 70 * DAY - 1 }, 30, 'old'],
  ['a job that ended long ago, when all are kept', { endedAt: 0 }, null, 'keep'],
  ['a job that ended after now, by another clock', { endedAt: 101 * DAY }, 0, 'keep'],
] as const)('V-6 checkpoints of %s', (_, job, keepDays, expected) => {
  expect(keepingOf(job, { keepDays, now })).toBe(expected)
})
