import { expect, test } from 'vitest'
import type { Message } from '../../core/conversation/messages.ts'
import { findMessage, retriedMessage } from './message-reference.ts'

const message = (id: string): Message => ({
  id,
  role: 'user',
  agent: null,
  text: id,
  tools: [],
  interrupted: false,
  hash: id,
  runId: null,
  createdAt: 0,
})
const messages = ['msg_aab', 'msg_aac', 'msg_b'].map(message)

test.each([
  ['msg_aab', 'msg_aab'],
  ['msg_b', 'msg_b'],
  ['msg_aac', 'msg_aac'],
  ['3', 'msg_b'],
  ['#1', 'msg_aab'],
])('a message is found by %s', (reference, id) => {
  expect(findMessage(messages, reference).id).toBe(id)
})

test.each([
  ['msg_aa', 'bad-input'],
  ['msg_x', 'not-found'],
  ['', 'not-found'],
  ['0', 'not-found'],
  ['4', 'not-found'],
])('U-4 %j is refused as %s', (reference, code) => {
  expect(() => findMessage(messages, reference)).toThrow(expect.objectContaining({ code }))
})

test('U-4 T-10 a retry takes the whole id of a prompt that never ran, and finds all others on the branch', () => {
  const unsent = 'msg_4w2cqpcxny5ouqrw'
  expect(retriedMessage(messages, unsent)).toBe(unsent)
  expect(retriedMessage(messages, '3')).toBe('msg_b')
  expect(retriedMessage(messages, 'msg_aab')).toBe('msg_aab')
  expect(() => retriedMessage(messages, 'msg_4w2c')).toThrow('there is no message')
})
