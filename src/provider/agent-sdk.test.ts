// L-4, L-5 over the Agent SDK, with small programs that behave as the SDK was seen to.
import { expect, test } from 'vitest'
import { executeQueryWithSdk, type SdkQuery } from './agent-sdk.ts'
import type { ExecuteOptions } from './execute-query.ts'
import type { ProviderMessage } from './provider-message.ts'

type Request = Parameters<SdkQuery>[0]

const HISTORY: ExecuteOptions['conversationHistory'] = [
  { role: 'user', content: [{ type: 'text', text: 'the number is 7' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'noted' }] },
]

const init = (session_id: string) => ({ type: 'system', subtype: 'init', session_id })
const said = (session_id: string, text: string) => ({
  type: 'assistant',
  session_id,
  message: { role: 'assistant', content: [{ type: 'text', text }] },
})
const done = (session_id: string, more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id,
  num_turns: 1,
  result: 'fine',
  usage: { input_tokens: 3, output_tokens: 2 },
  total_cost_usd: 0.01,
  ...more,
})

/** Plays the answers in turn and notes what it was asked. */
function sdk(answers: readonly (readonly (object | Error)[])[]) {
  const asked: Request[] = []
  const query: SdkQuery = request => {
    asked.push(request)
    const answer = answers[asked.length - 1] ?? []
    return (async function* () {
      for (const message of answer) {
        if (message instanceof Error) throw message
        yield message
      }
    })()
  }
  return { query, asked }
}

async function all(query: SdkQuery, options: Partial<ExecuteOptions>) {
  const messages: ProviderMessage[] = []
  const wanted = { prompt: 'which number?', cwd: '/work', ...options }
  for await (const message of executeQueryWithSdk(query, wanted)) messages.push(message)
  return messages
}

test('L-4 resumes only with an id and a history that is not empty', async () => {
  const { query, asked } = sdk([[done('a')], [done('a')], [done('b')]])
  await all(query, { sdkSessionId: 'a', conversationHistory: HISTORY })
  await all(query, { sdkSessionId: 'a', conversationHistory: [] })
  await all(query, { conversationHistory: HISTORY })
  expect(asked.map(({ options }) => options.resume)).toEqual(['a', undefined, undefined])
  expect(asked[0]?.prompt).toBe('which number?')
  expect(asked[2]?.prompt).toContain('the number is 7')
})

test('L-4 F-5 a session that is not found falls back inside the generator, with the history, once', async () => {
  const refused = done('x', {
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    errors: ['No conversation found with session ID: gone'],
  })
  const thrown = new Error('Claude Code returned an error result: No conversation found')
  const { query, asked } = sdk([
    [refused, thrown],
    [init('new'), said('new', 'it was 7'), done('new')],
  ])
  const messages = await all(query, { sdkSessionId: 'gone', conversationHistory: HISTORY })
  expect(messages.map(({ type }) => type)).toEqual(['system', 'system', 'assistant', 'result'])
  expect(messages[0]).toMatchObject({ subtype: 'fallback' })
  expect(messages.at(-1)).toMatchObject({ session_id: 'new', is_error: false })
  expect(asked[1]?.options.resume).toBeUndefined()
  expect(asked[1]?.prompt).toContain('could not be continued')
  expect(asked[1]?.prompt).toContain('the number is 7')
})

test('F-3 a failure after the agent had begun is told, never repeated', async () => {
  const failed = done('a', { subtype: 'error_during_execution', is_error: true, num_turns: 0 })
  const { query, asked } = sdk([[init('a'), said('a', 'half'), failed, new Error('it broke')]])
  const messages = await all(query, { sdkSessionId: 'a', conversationHistory: HISTORY })
  expect(messages.at(-1)).toMatchObject({ type: 'result', is_error: true })
  expect(asked).toHaveLength(1)
})

test('L-5 goes on in the same session when it stopped for its turns, and not when it ended its turn', async () => {
  const stopped = done('a', { subtype: 'error_max_turns', is_error: true, num_turns: 4 })
  const { query, asked } = sdk([[stopped, new Error('max turns')], [done('a')], [done('a')]])
  await all(query, { maxTurns: 10 })
  expect(asked.map(({ options }) => [options.resume, options.maxTurns])).toEqual([
    [undefined, 10],
    ['a', 6],
  ])
})

test('an SDK that breaks without a word is an error of the caller’s', async () => {
  await expect(all(sdk([[new Error('no such program')]]).query, {})).rejects.toThrow(/no such/)
  await expect(all(sdk([[]]).query, {})).rejects.toThrow(/without a result/)
})

test('L-4 with the whole SDK, a session that holds something else than the history is not resumed', async () => {
  const { query, asked } = sdk([[done('a')], [done('c')], [done('d')]])
  const user = { type: 'user', message: { role: 'user', content: 'the number is 7' } }
  const sessions: Readonly<Record<string, readonly object[]>> = {
    a: [user, said('a', 'noted')],
    b: [user, said('b', 'noted'), user, said('b', 'again')],
  }
  const whole = { query, getSessionMessages: async (id: string) => sessions[id] ?? [] }
  const ask = async (sdkSessionId: string) => {
    const wanted = { prompt: 'which number?', cwd: '/work', conversationHistory: HISTORY }
    for await (const _ of executeQueryWithSdk(whole, { ...wanted, sdkSessionId }));
  }
  await ask('a')
  await ask('b')
  await ask('gone')
  expect(asked.map(({ options }) => options.resume)).toEqual(['a', undefined, undefined])
  expect(asked[1]?.prompt).toContain('the number is 7')
})
