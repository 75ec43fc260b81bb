import { expect, test } from 'vitest'
import { keptPrompt, MAX_KEPT_PROMPT_CHARS } from './sent-prompt.ts'

test.each(['', 'plain', 'é', '€', '🙂', 'a\0b'])('the length of %j is that of its UTF-8', text => {
  expect(keptPrompt(text, [])).toEqual({
    ...{ text, bytes: new TextEncoder().encode(text).length },
    ...{ truncated: false, arguments: [] },
  })
})

test('a very long prompt is cut, and its whole length is known', () => {
  const { text, bytes, truncated } = keptPrompt('x'.repeat(MAX_KEPT_PROMPT_CHARS + 1), [])
  expect([text.length, bytes, truncated]).toEqual([
    ...[MAX_KEPT_PROMPT_CHARS, MAX_KEPT_PROMPT_CHARS + 1, true],
  ])
})
