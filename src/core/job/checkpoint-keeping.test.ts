import { expect, test } from 'vitest'
import { keepingOf, removedWords } from './checkpoint-keeping.ts'

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

const removed = { jobId: 'job_1', repository: '/r/.git', count: 2, problem: null }

test.each([
  [
    { ...removed, state: 'removed' },
    'removed 2 checkpoints of job_1 from /r/.git; git drops their content with its next `git gc`, two weeks later at the earliest',
  ],
  [
    { ...removed, state: 'removed', count: 1 },
    'removed 1 checkpoint of job_1 from /r/.git; git drops their content with its next `git gc`, two weeks later at the earliest',
  ],
  [
    { ...removed, state: 'gone' },
    'the repository /r/.git no longer exists: the checkpoints of job_1 are gone with it',
  ],
  [
    { ...removed, state: 'kept', problem: 'a ref is locked' },
    'the checkpoints of job_1 are still in /r/.git: a ref is locked; try again with `reprise jobs prune`',
  ],
] as const)('V-6 what became of checkpoints: %j', (what, words) => {
  expect(removedWords(what)).toBe(words)
})
