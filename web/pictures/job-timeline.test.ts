import { expect, test } from 'vitest'
import type { JobCheckpoint } from '../../src/api.ts'
import type { Run } from '../../src/core/run/run.ts'
import { jobTimeline } from './job-timeline.ts'

const run = (from: number, to: number | null, action: string) =>
  ({ queuedAt: from, startedAt: from, endedAt: to, decision: { action } }) as unknown as Run

const checkpoint = (number: number, kind: JobCheckpoint['kind'], at: number) =>
  ({ number, kind, at }) as JobCheckpoint

test('a resumed attempt is joined to the one before, a fresh one is not', () => {
  const attempts = [run(0, 10, 'start'), run(10, 20, 'resume'), run(25, null, 'replay')]
  const checkpoints = [
    checkpoint(1, 'before', 0),
    checkpoint(2, 'after', 10),
    checkpoint(3, 'before', 10),
    checkpoint(4, 'after', 20),
    checkpoint(5, 'before', 25),
  ]
  const shown = jobTimeline(attempts, checkpoints).map(entry => [
    entry.kind === 'attempt'
      ? `attempt ${entry.number}`
      : `${entry.checkpoint.kind} ${entry.attempt}`,
    entry.above,
    entry.below,
  ])
  expect(shown).toEqual([
    ['before 1', 'none', 'none'],
    ['attempt 1', 'none', 'same'],
    ['after 1', 'same', 'same'],
    ['before 2', 'same', 'same'],
    ['attempt 2', 'same', 'new'],
    ['after 2', 'new', 'new'],
    ['before 3', 'new', 'new'],
    ['attempt 3', 'new', 'none'],
  ])
})

test('a job without checkpoints has only its attempts', () => {
  const entries = jobTimeline([run(0, 1, 'start'), run(2, 3, 'fork')], [])
  expect(entries.map(({ above, below }) => [above, below])).toEqual([
    ['none', 'fork'],
    ['fork', 'none'],
  ])
  expect(jobTimeline([], [])).toEqual([])
})
