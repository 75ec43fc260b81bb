import { expect, test } from 'vitest'
import type { Run } from '../../src/core/run/run.ts'
import { attemptsUsed } from './attempts-used.ts'

const run = (fields: Partial<Run>): Run =>
  ({ endedAt: 1, continuedBy: null, failure: null, ...fields }) as Run
const failed = (failure: string) => run({ failure: { class: failure } as Run['failure'] })

test('what something outside has ended counts as a wait; what goes on or was taken over does not count', () => {
  const runs = [
    failed('silent'),
    failed('network'),
    failed('shutdown'),
    run({ continuedBy: 'run_2' }),
    run({}),
    run({ endedAt: null }),
  ]
  expect(attemptsUsed(runs, 0)).toEqual({ attempts: 2, waits: 2 })
})

test('a retry by a person starts the count again', () => {
  expect(attemptsUsed([failed('silent'), failed('silent')], 2)).toEqual({ attempts: 0, waits: 0 })
})
