// Whether a turn goes on by itself after the agent refused its session. What the next run brings is in record-end.test.ts.
import { expect, test } from 'vitest'
import type { Decision } from '../../core/decide/decision.ts'
import type { Refusal } from './plan.ts'
import { mayFallBack } from './refused-resume.ts'

const reason = { code: 'resume-refused', sessionId: 's-1', detail: 'gone' } as const
const session = { id: 'ses_1', sessionId: 's-1', workDir: '/project' }
const RESUME: Decision = { action: 'resume', session, catchUpFrom: 0, checks: [] }
const WRITTEN: Decision = { action: 'replay', form: 'native', reason, checks: [] }
const TRANSCRIPT: Decision = { action: 'replay', reason, checks: [] }
const REFUSED: Refusal = { reason, wasWritten: false }

test.each([
  ['F-2 after its first refusal a turn goes on', null, RESUME, false, true],
  [
    'F-2 when the session that we wrote is refused too, it goes on again',
    REFUSED,
    WRITTEN,
    false,
    true,
  ],
  ['F-2 after the transcript nothing follows', REFUSED, TRANSCRIPT, false, false],
  ['a turn that must continue its session never begins anew', null, RESUME, true, false],
  ['nor after a session that we wrote', REFUSED, WRITTEN, true, false],
])('%s', (_, refused, decision, mustContinue, expected) => {
  expect(mayFallBack({ mustContinue }, { refused, decision })).toBe(expected)
})
