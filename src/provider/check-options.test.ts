import { expect, test } from 'vitest'
import type { ExecuteOptions, QueryHost } from './execute-options.ts'
import { executeQuery } from './execute-query.ts'

/** A Reprise that no test here may call. */
const HOST = {} as QueryHost

const user = (content: unknown) => [{ role: 'user', content }]

test.each([
  ['maxTurns: 0', { maxTurns: 0 }, 'maxTurns is 0, not a whole number over 0'],
  ['maxTurns: NaN', { maxTurns: Number.NaN }, 'maxTurns is NaN'],
  ['maxTurns: 1.5', { maxTurns: 1.5 }, 'maxTurns is 1.5'],
  ['a session id that is a number', { sdkSessionId: 7 }, 'sdkSessionId is not a string'],
  ['a history that is a text', { conversationHistory: 'one' }, 'is not an array'],
  ['a message that is null', { conversationHistory: [null] }, 'message 0 of conversationHistory'],
  ['another role', { conversationHistory: [{ role: 'system', content: [] }] }, '"system"'],
  ['a content that is a text', { conversationHistory: user('one') }, 'the content of message 0'],
  [
    'a block without a type',
    { conversationHistory: user([{ text: 'one' }]) },
    'block 0 of message 0',
  ],
  ['a text that is none', { conversationHistory: user([{ type: 'text', text: 1 }]) }, 'text block'],
  [
    'a call as the API writes it',
    { conversationHistory: user([{ type: 'tool_use', id: 't', name: 'Bash', input: {} }]) },
    'not a tool_use block',
  ],
  [
    'a result without its call',
    { conversationHistory: user([{ type: 'tool_result', tool_result: { id: 't', content: '' } }]) },
    'not a tool_result block',
  ],
])('U-4 L-4 %s gets an error of our own that says what to do', async (_, wrong, message) => {
  const options = { prompt: 'hello', cwd: '/', ...wrong } as ExecuteOptions
  const asked = executeQuery(HOST, options).next()
  await expect(asked).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/\w+/),
  })
})
