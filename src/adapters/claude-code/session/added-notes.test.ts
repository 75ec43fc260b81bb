import { expect, test } from 'vitest'
import { areNotes } from './added-notes.ts'

const note = (more: object = {}) =>
  `${JSON.stringify({ type: 'last-prompt', lastPrompt: 'two', leafUuid: 'u-2', sessionId: 's', ...more })}\n`

test.each([
  [note(), true],
  [note() + note(), true],
  ['', false],
  [note().trimEnd(), false],
  [note({ leafUuid: 'u-3' }), false],
  [note({ leafUuid: undefined }), false],
  [note() + note({ type: 'queue-operation' }), false],
  [`${note()}half a line`, false],
])('W-1 %j is nothing but notes about the last message: %s', (added, expected) => {
  expect(areNotes(Buffer.from(added), 'u-2')).toBe(expected)
})
