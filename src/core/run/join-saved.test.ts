import { describe, expect, test } from 'vitest'
import type { ToolUse } from '../conversation/messages.ts'
import { joinRequests, joinTexts, joinTools } from './join-saved.ts'
import type { Request } from './observe.ts'

const request = (requestId: string, outputTokens: number, main = true): Request => ({
  requestId,
  model: 'm',
  usage: { inputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens },
  main,
})

const tool = (id: string, result: string | null): ToolUse => ({
  id,
  name: 'Bash',
  input: '{}',
  result,
  isError: false,
})

const heardTools = (...tools: readonly ToolUse[]) => new Map(tools.map(one => [one.id, one]))

describe('M-1 requests in the stream and in the session file', () => {
  test('a request that is only in the file counts, after those of the stream', () => {
    const joined = joinRequests([request('a', 7)], [request('a', 7), request('b', 9)])
    expect(joined).toEqual([request('a', 7), request('b', 9)])
  })

  test('a request of which the stream has only the beginning counts as in the file', () => {
    expect(joinRequests([request('a', 1)], [request('a', 7)])).toEqual([request('a', 7)])
  })

  test('a request that is in both counts once; those of subagents stay', () => {
    const heard = [request('sub', 3, false), request('a', 7)]
    expect(joinRequests(heard, [request('a', 7)])).toEqual(heard)
  })
})

const HEARD_OUT = { stopBegan: false }

describe('F-3 calls in the stream and in the session file', () => {
  test('a call or a result that is only in the file counts', () => {
    const joined = joinTools(
      heardTools(tool('a', null)),
      [tool('a', 'made'), tool('b', null)],
      HEARD_OUT,
    )
    expect(joined).toEqual([tool('a', 'made'), tool('b', null)])
  })

  test('what the stream has stays as it is', () => {
    const heard = heardTools(tool('a', 'heard'))
    expect(joinTools(heard, [tool('a', 'saved')], HEARD_OUT)).toEqual([tool('a', 'heard')])
    expect(joinTools(heard, [], HEARD_OUT)).toEqual([tool('a', 'heard')])
  })

  test('F-7 a result saved after Reprise began to stop the run stays unknown', () => {
    const heard = heardTools(tool('a', 'heard'), tool('b', null))
    const saved = [tool('a', 'heard'), tool('b', 'rejected'), tool('c', 'rejected')]
    expect(joinTools(heard, saved, { stopBegan: true })).toEqual([
      tool('a', 'heard'),
      tool('b', null),
      tool('c', null),
    ])
  })

  test('a saved error is an error only while its result counts', () => {
    const failed = { ...tool('a', 'no such file'), isError: true }
    expect(joinTools(new Map(), [failed], HEARD_OUT)).toEqual([failed])
    expect(joinTools(new Map(), [failed], { stopBegan: true })).toEqual([tool('a', null)])
  })

  test('S21 values that are secret whatever they look like are left out', () => {
    const secrets = ['plain-words']
    const saved = [{ ...tool('a', 'it is plain-words'), input: 'echo plain-words' }]
    expect(joinTools(new Map(), saved, { ...HEARD_OUT, secrets })).toEqual([
      { ...tool('a', 'it is [redacted]'), input: 'echo [redacted]' },
    ])
  })

  test('S21 secrets in a saved result are redacted like those of the stream', () => {
    const key = `sk-ant-api03-${'x'.repeat(40)}`
    const [joined] = joinTools(new Map(), [tool('a', `key ${key}`)], HEARD_OUT)
    expect(joined?.result).not.toContain(key)
  })
})

test('of two texts the longer one counts', () => {
  expect(joinTexts('It is ma', 'It is')).toBe('It is ma')
  expect(joinTexts('It is ma', 'It is made.')).toBe('It is made.')
})
