import { expect, test } from 'vitest'
import { sendAgainHint } from './send-again-hint.ts'

test('U-4 the hint names the command that sends the stored prompt again', () => {
  const stored = { threadId: 'thr_1', promptMessageId: 'msg_1' }
  expect(sendAgainHint(stored)).toBe('Send its prompt again: reprise threads retry thr_1 msg_1.')
})

test.each([
  { threadId: null, promptMessageId: 'msg_1' },
  { threadId: 'thr_1', promptMessageId: null },
])('without a stored prompt (%j) the hint is to send it anew', run => {
  expect(sendAgainHint(run)).toBe('Send the prompt again: reprise send.')
})
