import { describe, expect, test } from 'vitest'
import { permissionRule } from '../calls/permission-rule.ts'
import type { Answer } from './question.ts'
import { answerWords, DELIVERY_WORDS } from './question-words.ts'

const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'npm test' })

describe('answers in words', () => {
  const cases: readonly (readonly [Answer | null, string])[] = [
    [null, 'not answered'],
    [{ kind: 'allow' }, 'allowed'],
    [
      { kind: 'allow', forRun: { rule, by: 'user' } },
      'allowed for this run: Bash commands that are exactly `npm test`',
    ],
    [
      { kind: 'allow', forRun: { rule, by: 'rule' } },
      'allowed without asking, as this run may: Bash commands that are exactly `npm test`',
    ],
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
