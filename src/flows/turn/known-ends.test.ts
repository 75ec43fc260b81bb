import { expect, test } from 'vitest'
import { hashOf, type Message } from '../../core/conversation/messages.ts'
import type { Decision } from '../../core/decide/decision.ts'
import { knownEnds } from './known-ends.ts'

const message = (role: Message['role'], text: string): Message => ({
  id: text,
  role,
  agent: null,
  text,
  tools: [],
  interrupted: false,
  hash: hashOf({ role, agent: null, text }),
  runId: null,
  createdAt: 0,
})
const VIEW = [message('user', 'one'), message('assistant', '1'), message('user', 'two')]
const compose = (decision: Decision) =>
  'catchUpFrom' in decision ? `from ${decision.catchUpFrom}` : 'all'
const resume = (catchUpFrom: number): Decision => ({
  action: 'resume',
  session: { id: 'ses_1', sessionId: 's' },
  catchUpFrom,
  checks: [],
})

test('D-2 a session that holds the prompt of a failed turn is not sent that prompt again', () => {
  expect(knownEnds(resume(2), VIEW, compose)).toEqual([
    { lastPrompt: 'one', send: 'from 2' },
    { lastPrompt: 'two', send: 'from 3' },
  ])
})

test('D-2 a session that has seen everything may only end with the last prompt', () => {
  expect(knownEnds(resume(3), VIEW, compose)).toEqual([{ lastPrompt: 'two', send: 'from 3' }])
  const heard = [...VIEW, message('assistant', '2')]
  expect(knownEnds(resume(4), heard, compose)).toEqual([{ lastPrompt: 'two', send: 'from 4' }])
})

test('a new session has no end', () => {
  const decision: Decision = { action: 'start', reason: { code: 'first-turn' }, checks: [] }
  expect(knownEnds(decision, VIEW, compose)).toEqual([])
})
