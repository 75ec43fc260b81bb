import { expect, test } from 'vitest'
import { ConversationHistory, type HistoryMessage, threadMessages } from './conversation-history.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })
const call = (id: string) => ({
  type: 'tool_use' as const,
  tool_use: { id, name: 'Bash', input: '{}' },
})
const gave = (tool_use_id: string, content: string, is_error = false) => ({
  type: 'tool_result' as const,
  tool_result: { tool_use_id, content, is_error },
})

test('L-4 the history holds what both sides said, with the blocks of one answer together', () => {
  const kept = new ConversationHistory()
  kept.addUserMessage('one')
  kept.addAssistantMessage([text('two')])
  kept.addAssistantMessage([call('t'), text('three')])
  const [user, assistant] = kept.getMessages()
  expect(user).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'one' }] })
  expect(assistant?.content.map(block => block.type)).toEqual(['text', 'tool_use', 'text'])
  expect(assistant?.timestamp).toMatch(/^\d{4}-/)
})

test('L-4 each tool result goes to its call by `tool_use_id`, over the messages of the whole history', () => {
  const history: readonly HistoryMessage[] = [
    { role: 'user', content: [text('do it')] },
    { role: 'assistant', content: [text('first'), call('a'), call('b')] },
    { role: 'user', content: [gave('b', 'from b', true), gave('a', 'from a')] },
    { role: 'assistant', content: [call('c')] },
    { role: 'user', content: [gave('c', 'from c')] },
    { role: 'assistant', content: [text('done'), call('d')] },
    { role: 'user', content: [text('thanks'), gave('gone', 'of a call that nobody knows')] },
  ]
  const results = [
    { id: 'a', name: 'Bash', input: '{}', result: 'from a', isError: false },
    { id: 'b', name: 'Bash', input: '{}', result: 'from b', isError: true },
    { id: 'c', name: 'Bash', input: '{}', result: 'from c', isError: false },
    { id: 'd', name: 'Bash', input: '{}', result: null, isError: false },
  ]
  expect(threadMessages(history)).toEqual([
    { role: 'user', text: 'do it', tools: [] },
    { role: 'assistant', text: 'first\n\ndone', tools: results },
    { role: 'user', text: 'thanks', tools: [] },
  ])
})

test('L-4 a history without text counts as no history', () => {
  expect(threadMessages([{ role: 'user', content: [gave('x', 'y')] }])).toEqual([])
})
