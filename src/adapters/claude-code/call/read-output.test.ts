import { expect, test } from 'vitest'
import { callReader, promptIn } from './read-output.ts'

const INIT = { type: 'system', subtype: 'init', session_id: 's1', model: 'opus', tools: [] }
const RESULT = {
  ...{ type: 'result', subtype: 'success', is_error: false, session_id: 's1', result: 'done' },
  ...{ num_turns: 1, total_cost_usd: 0.5, modelUsage: { opus: { costUSD: 0.5 } } },
}

const lines = (output: 'text' | 'json' | 'stream-json', ...texts: readonly string[]) => {
  const reader = callReader(output)
  return [...texts.flatMap(text => reader.read(text)), ...reader.end()]
}

test('W-2 a stream is read line by line', () => {
  const events = lines('stream-json', JSON.stringify(INIT), JSON.stringify(RESULT))
  expect(events.map(({ type }) => type)).toEqual(['session', 'result'])
})

test('W-2 one JSON result names its session and its model', () => {
  const [session, result] = lines('json', JSON.stringify(RESULT))
  expect(session).toMatchObject({ type: 'session', sessionId: 's1', model: 'opus' })
  expect(result).toMatchObject({ type: 'result', ok: true, text: 'done', totalCostUsd: 0.5 })
})

test('W-2 a JSON list of all events is read over several lines', () => {
  const text = JSON.stringify([INIT, RESULT], null, 2)
  const events = lines('json', ...text.split('\n'))
  expect(events.map(({ type }) => type)).toEqual(['session', 'result'])
})

test.each(['', 'not JSON', '[1, 2', 'null'])(
  'W-2 output %j tells nothing and breaks nothing',
  text => {
    expect(lines('json', text)).toEqual([])
  },
)

test('W-2 text output is not read', () => {
  expect(lines('text', JSON.stringify(RESULT))).toEqual([])
})

test.each([
  [{ type: 'user', message: { role: 'user', content: 'hi' } }, 'hi'],
  [
    {
      type: 'user',
      message: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    },
    'a\n\nb',
  ],
  [{ type: 'user', message: { content: [{ type: 'image' }] } }, '(an attachment)'],
  [{ type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } }, null],
  [{ type: 'control_request', request: { subtype: 'initialize', role: 'user' } }, null],
  ['"user"', null],
])('W-2 the prompt in the line %j of a caller', (line, prompt) => {
  expect(promptIn(typeof line === 'string' ? line : JSON.stringify(line))).toBe(prompt)
})
