import { describe, expect, test } from 'vitest'
import type { Answer } from './question.ts'
import { answerWords, DELIVERY_WORDS } from './question-words.ts'

describe('answers in words', () => {
  const cases: readonly (readonly [Answer | null, string])[] = [
    [null, 'not answered'],
    [{ kind: 'allow' }, 'allowed'],
    [{ kind: 'deny', message: 'Ask me tomorrow.' }, 'denied: Ask me tomorrow.'],
    [{ kind: 'choices', choices: { 'Which?': 'Postgres', 'When?': 'now' } }, 'Postgres; now'],
  ]
  test.each(cases)('%o is said as %s', (answer, words) => {
    expect(answerWords(answer)).toBe(words)
  })
})

test('each way of delivery says what happens with the answer', () => {
  expect(DELIVERY_WORDS).toEqual({
    live: 'The process waits. Your answer goes to it at once.',
    parked: 'No process waits. Your answer resumes the session at this very call.',
    restated: 'The process is gone. Your answer goes to the agent with the next prompt.',
  })
})
