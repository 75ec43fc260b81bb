import { expect, test } from 'vitest'
import { ConversationHistory, holdsHistory } from './conversation-history.ts'

function history(...said: readonly string[]): ConversationHistory {
  const kept = new ConversationHistory()
  for (const [index, text] of said.entries()) {
    if (index % 2 === 0) kept.addUserMessage(text)
    else kept.addAssistantMessage([{ type: 'text', text }])
  }
  return kept
}

test.each([
  ['the same words', ['one', 'two'], true],
  ['other spaces between the pieces of an answer', ['one\n', ' two '], true],
  ['a word to go on that the history leaves out', ['one', 'tw', 'Go on.', 'o'], false],
  ['a transcript around the words', ['This is the transcript: one', 'two'], true],
  ['an answer that the history does not know yet', ['one', 'two', 'three', 'four'], false],
  ['another answer', ['one', 'zwei'], false],
  ['another question', ['eins', 'two'], false],
  ['the words in another order', ['two', 'one'], false],
  ['nothing', [], false],
] as const)('L-4 a session with %s', (_, said, holds) => {
  expect(holdsHistory(said, history('one', 'two').getMessages())).toBe(holds)
})

test('L-5 an answer in two runs, with a word to go on between them, is one answer of the history', () => {
  const kept = history('one', 'first half')
  kept.addAssistantMessage([{ type: 'text', text: 'second half' }])
  expect(holdsHistory(['one', 'first half', 'Go on.', 'second half'], kept.getMessages())).toBe(
    true,
  )
})

test('L-4 the history holds what both sides said, with the blocks of one answer together', () => {
  const kept = history('one')
  kept.addAssistantMessage([{ type: 'text', text: 'two' }])
  kept.addAssistantMessage([
    { type: 'tool_use', tool_use: { id: 't', name: 'Bash', input: '{}' } },
    { type: 'text', text: 'three' },
  ])
  const [user, assistant] = kept.getMessages()
  expect(user).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'one' }] })
  expect(assistant?.content.map(block => block.type)).toEqual(['text', 'tool_use', 'text'])
  expect(assistant?.timestamp).toMatch(/^\d{4}-/)
})
