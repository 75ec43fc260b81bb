import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { type Reported, reportedWith, tokenSteps, tokensPerMinute } from './token-rate.ts'

const usage = (at: number, requestId: string, tokens: number) =>
  ({
    type: 'usage',
    at,
    requestId,
    usage: { inputTokens: tokens, cacheReadTokens: 1, cacheWriteTokens: 1, outputTokens: 1 },
  }) as unknown as RunEvent

const all = (events: readonly RunEvent[]) =>
  events.reduce<readonly Reported[]>((sofar, event) => reportedWith(sofar, event), [])

test('a request counts once, with what it reported last', () => {
  const reported = all([usage(1_000, 'a', 10), usage(2_000, 'b', 5), usage(3_000, 'a', 20)])
  expect(reported).toEqual([
    { requestId: 'b', at: 2_000, tokens: 8 },
    { requestId: 'a', at: 3_000, tokens: 23 },
  ])
  const text = { type: 'text', text: 'x' } as unknown as RunEvent
  expect(reportedWith(reported, text)).toBe(reported)
})

test('only requests of the last minute count per minute', () => {
  const reported = all([
    usage(10_000, 'old', 1_000),
    usage(90_000, 'a', 20),
    usage(99_000, 'b', 30),
  ])
  expect(tokensPerMinute(reported, 100_000)).toBe(56)
  expect(tokensPerMinute(reported, 200_000)).toBe(0)
})

test('the last ten minutes in twenty steps; what is older is left out', () => {
  const reported = all([usage(0, 'old', 7), usage(45_000, 'a', 20), usage(600_000, 'b', 30)])
  const steps = tokenSteps(reported, 601_000)
  expect(steps).toHaveLength(20)
  expect([steps[0], steps[1], steps[19]]).toEqual([0, 23, 33])
  expect(all([usage(0, 'old', 7), usage(600_001, 'b', 1)]).map(one => one.requestId)).toEqual(['b'])
})
