import { expect, test } from 'vitest'
import type { Decision } from '../decide/decision.ts'
import type { Run } from '../run/run.ts'
import { carriedOverWords } from './carried-over.ts'

const before = { contextTokens: 31_400, failure: { toolsRan: 2 } } as Run
const after = (action: Decision['action'] | null, viewLength = 4) =>
  ({ decision: action && { action }, facts: { viewLength } }) as Run

test.each([
  [
    'resume',
    'the session itself, with 4 messages, 31,400 tokens of context, 2 tool calls that had run',
  ],
  [
    'fork',
    'a copy of the session, with 4 messages, 31,400 tokens of context, 2 tool calls that had run',
  ],
  ['replay', 'the transcript of 4 messages'],
  ['handover', 'a handover note'],
  ['start', 'nothing; the task begins from the start'],
  ['wait', null],
  [null, null],
] as const)('J-8 what an attempt that began by %s took over', (action, words) => {
  expect(carriedOverWords(before, after(action))).toBe(words)
})

test('J-8 W-3 an attempt that began in a session that Reprise wrote took over the conversation', () => {
  const native = { ...after('replay'), decision: { action: 'replay', form: 'native' } } as Run
  expect(carriedOverWords(before, native)).toBe('a new session with the conversation of 4 messages')
  expect(carriedOverWords(before, { ...native, facts: null })).toBe(
    'a new session with the conversation',
  )
})

test('J-8 what is not known is left out', () => {
  const bare = { contextTokens: null, failure: null } as Run
  expect(carriedOverWords(bare, { ...after('resume'), facts: null })).toBe('the session itself')
  expect(carriedOverWords(bare, after('resume', 1))).toBe('the session itself, with 1 message')
  const one = { contextTokens: 1, failure: { toolsRan: 1 } } as Run
  expect(carriedOverWords(one, after('resume', 1))).toBe(
    'the session itself, with 1 message, 1 token of context, 1 tool call that had run',
  )
})
