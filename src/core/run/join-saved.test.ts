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

describe('M-1 requests that were heard and those that were saved', () => {
  test('one that is only saved counts, after those that were heard', () => {
    const joined = joinRequests([request('a', 7)], [request('a', 7), request('b', 9)])
    expect(joined).toEqual([request('a', 7), request('b', 9)])
  })

  test('one that was heard only to begin counts with what was saved of it', () => {
    expect(joinRequests([request('a', 1)], [request('a', 7)])).toEqual([request('a', 7)])
  })

  test('one that is in both counts once; those of subagents stay', () => {
    const heard = [request('sub', 3, false), request('a', 7)]
    expect(joinRequests(heard, [request('a', 7)])).toEqual(heard)
  })
})

const HEARD_OUT = { stopBegan: false }

describe('F-3 calls that were heard and those that were saved', () => {
  test('a call that nobody heard is there; a result that nobody heard is known', () => {
    const joined = joinTools(
      heardTools(tool('a', null)),
      [tool('a', 'made'), tool('b', null)],
      HEARD_OUT,
    )
    expect(joined).toEqual([tool('a', 'made'), tool('b', null)])
  })

  test('what was heard stays as it was heard', () => {
    const heard = heardTools(tool('a', 'heard'))
    expect(joinTools(heard, [tool('a', 'saved')], HEARD_OUT)).toEqual([tool('a', 'heard')])
    expect(joinTools(heard, [], HEARD_OUT)).toEqual([tool('a', 'heard')])
  })

  test('F-7 a result that was saved after we began to stop the run proves nothing', () => {
    const heard = heardTools(tool('a', 'heard'), tool('b', null))
    const saved = [tool('a', 'heard'), tool('b', 'rejected'), tool('c', 'rejected')]
    expect(joinTools(heard, saved, { stopBegan: true })).toEqual([
      tool('a', 'heard'),
      tool('b', null),
      tool('c', null),
    ])
  })

  test('S21 secrets in a saved result are hidden like those that were heard', () => {
    const key = `sk-ant-api03-${'x'.repeat(40)}`
    const [joined] = joinTools(new Map(), [tool('a', `key ${key}`)], HEARD_OUT)
    expect(joined?.result).not.toContain(key)
  })
})

test('of two texts the one that came further counts', () => {
  expect(joinTexts('It is ma', 'It is')).toBe('It is ma')
  expect(joinTexts('It is ma', 'It is made.')).toBe('It is made.')
})
