import { expect, test } from 'vitest'
import { ConversationHistory } from './conversation-history.ts'
import { messagesShared } from './shared-point.ts'
import { CONTINUE_PROMPT } from './unfinished.ts'

const history = (...texts: readonly string[]) => {
  const kept = new ConversationHistory()
  for (const [index, text] of texts.entries()) {
    if (index % 2 === 0) kept.addUserMessage(text)
    else kept.addAssistantMessage([{ type: 'text', text }])
  }
  return kept.getMessages()
}

const thread = (...texts: readonly string[]) =>
  texts.map((text, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
  }))

test.each([
  ['the same words', ['one', 'two'], 2],
  ['other spaces between the pieces of an answer', ['one\n', ' two '], 2],
  ['a turn after it that failed', ['one', 'two', 'three'], 2],
  ['a turn after it that the caller does not know', ['one', 'two', 'three', 'four'], 2],
  ['an answer in two runs', ['one', 't', CONTINUE_PROMPT, 'wo'], 4],
  ['an answer in two runs, and more', ['one', 't', CONTINUE_PROMPT, 'wo', 'three'], 4],
  ['an answer in two runs with another word between them', ['one', 't', 'Go on.', 'wo'], null],
  ['another answer', ['one', 'zwei'], null],
  ['another question', ['eins', 'two'], null],
  ['the words inside of others', ['one more', 'two'], null],
  ['the words in another order', ['two', 'one'], null],
  ['only the beginning of it', ['one'], null],
  ['nothing', [], null],
] as const)('L-4 what a history shares with a thread that has %s', (_, texts, shared) => {
  expect(messagesShared(thread(...texts), history('one', 'two'))).toBe(shared)
})
