import { expect, test } from 'vitest'
import { knownPart, modelOfLatest, type Session, withCounts } from './session.ts'

const prompt = { hash: 'u', anchor: null, isPart: false }
const answer = (anchor: string) => ({ hash: 'a', anchor, isPart: false })

test.each([
  ['its stored end', { seen: [prompt, answer('a1')], knownEnd: 'x9' }, ['a1'], 'x9'],
  ['else its last answer', { seen: [prompt, answer('a1'), answer('a2')] }, ['a1', 'a2'], 'a2'],
  ['nothing, where it has no answer yet', { seen: [prompt] }, [], null],
])('D-4 what Reprise knows of a session ends with %s', (_, session, anchors, end) => {
  expect(knownPart({ knownEnd: null, ...session })).toEqual({ anchors, end })
})

test('L-3 a session shows how many messages it has seen', () => {
  const session: Partial<Session> = { id: 'ses_1', seen: [prompt, answer('a1')] }
  expect(withCounts(session as Session)).toEqual({ ...session, messageCount: 2 })
})

test.each([
  ['the latest one that names a model', [null, 'opus', 'sonnet'], 'opus'],
  ['none, where no session names one', [null, null], null],
  ['none, where there is no session', [], null],
])('C-7 the model of a thread is that of %s', (_, models, expected) => {
  const sessions = models.map(model => ({ model }) as Session)
  expect(modelOfLatest(sessions)).toBe(expected)
})
