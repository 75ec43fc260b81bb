import { expect, test } from 'vitest'
import { conversationIn } from './session-conversation.ts'

type Line = Readonly<Record<string, unknown>>

const user = (uuid: string, content: unknown, more: Line = {}) => ({
  type: 'user',
  uuid,
  message: { content },
  ...more,
})
const answer = (uuid: string, content: readonly object[], more: Line = {}) => ({
  type: 'assistant',
  uuid,
  message: { model: 'claude-sonnet-4-5', content },
  ...more,
})
const text = (words: string) => ({ type: 'text', text: words })

/** Each line follows the one before it, unless it says otherwise. */
const fileOf = (lines: readonly Line[]) =>
  lines
    .map((line, index) => {
      const parentUuid = lines[index - 1]?.uuid ?? null
      return `${JSON.stringify({ parentUuid, ...line })}\n`
    })
    .join('')

test('L-4 the conversation of a session holds prompts, and each answer once with the id of its last block', () => {
  const file = fileOf([
    user('u1', 'one'),
    answer('a1', [text('two')]),
    answer('a2', [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }]),
    user('r1', [{ type: 'tool_result', tool_use_id: 't', content: 'done' }]),
    answer('a3', [text('three')]),
    user('m1', 'a note of the program', { isMeta: true }),
    user('u2', [text('four'), text(' ')]),
    answer('e1', [text('API Error: 529')], { isApiErrorMessage: true }),
  ])
  expect(conversationIn(file)).toEqual([
    { role: 'user', text: 'one', anchor: null },
    { role: 'assistant', text: 'two\n\n\n\nthree', anchor: 'a3' },
    { role: 'user', text: 'four\n\n ', anchor: null },
  ])
})

test('L-4 messages of an abandoned branch or of a subagent are not part of the conversation', () => {
  const file = fileOf([
    user('u1', 'one'),
    answer('a1', [text('two')]),
    user('u2', 'left'),
    answer('s1', [text('of a subagent')], { isSidechain: true }),
    user('u3', 'three', { parentUuid: 'a1' }),
  ])
  expect(conversationIn(file).map(said => said.text)).toEqual(['one', 'two', 'three'])
})
