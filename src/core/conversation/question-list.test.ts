import { expect, test } from 'vitest'
import type { Question } from './question.ts'
import { isLatestFirst, questionCursor, questionPlace } from './question-list.ts'

const question = { runId: 'run_1', toolUseId: 'a.b c', askedAt: 5, closedAt: 9 } as Question

test('a cursor says when an open question was asked, and when a closed one was closed', () => {
  expect(questionPlace(questionCursor(question, 'answered'))).toEqual({
    at: 9,
    runId: 'run_1',
    toolUseId: 'a.b c',
  })
  expect(questionPlace(questionCursor(question, 'open'))?.at).toBe(5)
  expect(questionPlace(questionCursor(question, undefined))?.at).toBe(5)
})

test('only lists of closed questions begin with the latest', () => {
  const states = [undefined, 'open', 'answered', 'expired', 'cancelled'] as const
  expect(states.map(isLatestFirst)).toEqual([false, false, true, true, true])
})

test.each(['', 'run_1', '9.run_1', '9.run_1.', 'x.run_1.t', '9..t'])('%o is no cursor', text => {
  expect(questionPlace(text)).toBeNull()
})
