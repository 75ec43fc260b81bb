import { expect, test } from 'vitest'
import { statusAfter } from './job.ts'
import type { JobStep, RetryReason, StopReason } from './retry.ts'
import { stepWords } from './retry-words.ts'

const NOON = Date.UTC(2026, 10, 17, 12)

/** Every reason for another attempt, as the sentence that a user reads. */
const AGAIN: Record<RetryReason['code'], readonly (readonly [object, string])[]> = {
  interrupted: [[{ class: 'network' }, 'the model API could not be reached']],
  outside: [
    [{ class: 'overload', inARow: 2 }, 'the model API was overloaded (2 in a row)'],
    [{ class: 'overload', inARow: 1 }, 'the model API was overloaded'],
    [{ class: 'shutdown', inARow: 2 }, 'Reprise was stopped in order; the job continues'],
  ],
  'limit-resets': [
    [{ resetsAt: NOON }, 'the usage limit of the account ends at 2026-11-17T12:00:00.000Z'],
  ],
  'not-started': [
    [
      { message: 'no such directory', hint: 'make it', inARow: 3 },
      'it could not be started (3 in a row): no such directory',
    ],
  ],
  'session-suspect': [
    [
      { class: 'too-long' },
      'the conversation did not fit into the model any more; the session may be the cause, so it starts afresh',
    ],
  ],
  'resumes-fruitless': [
    [{ count: 4, max: 3 }, '4 resumes in a row brought nothing (limit 3), so it starts afresh'],
  ],
}

/** Every reason for the end of a job that is not done. */
const NO_MORE: Record<StopReason['code'], readonly [object, string]> = {
  'not-retried': [
    { class: 'credit' },
    'the account has no credit left; trying again would not help',
  ],
  'attempts-used': [
    { class: 'too-slow', max: 3 },
    'it reached its time limit and was ended, and all 3 attempts are used',
  ],
  'waits-used': [
    { class: 'network', max: 40 },
    'the model API could not be reached, and it has waited 40 times',
  ],
  'budget-used': [{ spentUsd: 1.234, budgetUsd: 1 }, '$1.23 of a budget of $1.00 are spent'],
  deadline: [{ at: NOON }, 'it was to be done by 2026-11-17T12:00:00.000Z'],
  conflicts: [
    { detail: 'two files are in conflict' },
    'two files are in conflict: resolve them, then retry the job',
  ],
  'not-started': [{ message: 'no such directory', hint: 'make it' }, 'no such directory'],
  'waited-too-long': [{ queueTimeoutMs: 90_400 }, 'it did not start within 90 s'],
  'given-up': [{ error: 'no disk' }, 'no worker could take it up: no disk'],
  'side-effects': [
    { class: 'silent', toolsRan: 2 },
    'the agent process was silent for too long and was ended; 2 tool calls ran, and it may not start afresh after that',
  ],
}

const retry = { do: 'retry', at: 0, how: 'resume' } as const
const again = Object.entries(AGAIN).flatMap(([code, cases]) =>
  cases.map(([data, words]) => [{ code, ...data } as RetryReason, words] as const),
)
const noMore = Object.entries(NO_MORE).map(
  ([code, [data, words]]) => [{ code, ...data } as StopReason, words] as const,
)

test.each(again)('J-4 why a job is tried again: %j', (reason, words) => {
  expect(stepWords({ ...retry, while: 'waiting', reason })).toBe(words)
})

test.each(noMore)('J-4 why a job is not tried again: %j', (reason, words) => {
  expect(stepWords({ do: 'stop', as: 'dead', reason })).toBe(words)
})

const interrupted = { code: 'interrupted', class: 'silent' } as const
const unpaid = { code: 'not-retried', class: 'credit' } as const

test.each<[JobStep, string, string]>([
  [{ do: 'finish' }, 'completed', 'done'],
  [{ do: 'cancel' }, 'cancelled', 'cancelled'],
  [
    { ...retry, while: 'waiting', reason: interrupted },
    'waiting',
    'the agent process was silent for too long and was ended',
  ],
  [
    { ...retry, while: 'parked', reason: interrupted },
    'parked',
    'the agent process was silent for too long and was ended',
  ],
  [
    { do: 'stop', as: 'failed', reason: unpaid },
    'failed',
    'the account has no credit left; trying again would not help',
  ],
  [
    { do: 'stop', as: 'dead', reason: unpaid },
    'dead',
    'the account has no credit left; trying again would not help',
  ],
])('J-4 after the step %j a job is %s', (step, status, words) => {
  expect(statusAfter(step)).toBe(status)
  expect(stepWords(step)).toBe(words)
})
