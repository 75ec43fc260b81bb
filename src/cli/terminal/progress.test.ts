import { expect, test } from 'vitest'
import type { EventBody, RunEvent } from '../../core/run/run-events.ts'
import { type Progress, progressAfter, progressFrom, progressWords } from './progress.ts'

type At = readonly [seconds: number, event: EventBody]

function after(...events: readonly At[]): Progress {
  const placed = events.map(([seconds, event], index): RunEvent => {
    return { runId: 'run_1', seq: index + 1, at: seconds * 1_000, ...event }
  })
  return placed.reduce(progressAfter, progressFrom(0))
}

const bash = (id: string, command: string): EventBody => {
  return { type: 'tool', id, name: 'Bash', input: JSON.stringify({ command }), parentId: null }
}
const result = (id: string): EventBody => {
  return { type: 'tool-result', id, isError: false, denied: false, text: '' }
}
const retry = (attempt: number, delayMs: number): EventBody => {
  const more = { maxAttempts: 5, status: 529, error: 'overloaded' }
  return { type: 'retry', attempt, delayMs, ...more }
}
const text: EventBody = { type: 'text', text: 'hi' }

test.each<readonly [string | null, number, readonly At[]]>([
  ['waiting for the agent 3 s', 3, []],
  ['waiting in the queue 2 s', 3, [[1, { type: 'queued', behind: null, words: '' }]]],
  ['Bash: npm test 12 s', 14, [[2, bash('a', 'npm test')]]],
  ['Bash: sleep 9 1 min 5 s', 65, [[0, bash('a', 'sleep 9')]]],
  [
    'waiting for the agent 1 s',
    9,
    [
      [2, bash('a', 'ls')],
      [8, result('a')],
    ],
  ],
  [
    'Bash: b 5 s',
    9,
    [
      [2, bash('a', 'a')],
      [4, bash('b', 'b')],
      [8, result('a')],
    ],
  ],
  [
    'Bash: a 3 s · Bash: b 2 s · 1 more',
    3,
    [
      [0, bash('a', 'a')],
      [1, bash('b', 'b')],
      [2, bash('c', 'c')],
    ],
  ],
  ['retry 2 of 5 in 8 s', 2, [[0, retry(2, 10_000)]]],
  ['retry 2 of 5', 12, [[0, retry(2, 10_000)]]],
  [
    'the agent thinks 4 s',
    5,
    [
      [1, { type: 'thinking', text: 'a' }],
      [4, { type: 'thinking', text: 'b' }],
    ],
  ],
  [null, 5, [[1, text]]],
  [
    'Bash: ls 2 s',
    5,
    [
      [1, text],
      [3, bash('a', 'ls')],
    ],
  ],
  [null, 9, [[1, { type: 'ended', status: 'completed', failure: null, continuedBy: null }]]],
  [
    'waiting for the agent 1 s',
    2,
    [[1, { type: 'ended', status: 'failed', failure: null, continuedBy: 'run_2' }]],
  ],
])('progress says %j after %i seconds', (words, seconds, events) => {
  expect(progressWords(after(...events), seconds * 1_000)).toBe(words)
})

test('a command of many lines and colours is one harmless, short text', () => {
  const words = progressWords(after([0, bash('a', `echo \x1b[31m\n${'x'.repeat(100)}`)]), 0)
  expect(words).toMatch(/^Bash: echo ␛\[31m ⏎ x+… 0 s$/)
})

test('a clock that is behind never gives a time below zero', () => {
  expect(progressWords(after([9, bash('a', 'ls')]), 0)).toBe('Bash: ls 0 s')
})
