import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/run/run-events.ts'
import { tokenSteps, tokensPerMinute } from './token-rate.ts'

const usage = (runId: string, at: number, requestId: string, tokens: number) =>
  ({
    type: 'usage',
    runId,
    at,
    requestId,
    usage: { inputTokens: tokens, cacheReadTokens: 1, cacheWriteTokens: 1, outputTokens: 1 },
  }) as unknown as RunEvent

test('only requests of the run in the last minute count, each once', () => {
  const events = [
    usage('run_1', 10_000, 'old', 1_000),
    usage('run_1', 90_000, 'a', 10),
    usage('run_1', 95_000, 'a', 20),
    usage('run_1', 99_000, 'b', 30),
    usage('run_2', 99_000, 'c', 500),
  ]
  expect(tokensPerMinute(events, 'run_1', 100_000)).toBe(56)
  expect(tokensPerMinute(events, 'run_3', 100_000)).toBeNull()
})

test('the last minute in twelve steps: a request counts once, when it was heard last', () => {
  const events = [
    usage('run_1', 99_999, 'b', 30),
    usage('run_1', 62_000, 'a', 20),
    usage('run_1', 41_000, 'a', 10),
    usage('run_2', 99_000, 'c', 500),
  ]
  expect(tokenSteps(events, 'run_1', 100_000)).toEqual([0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 33])
  expect(tokenSteps([], 'run_1', 100_000)).toEqual(Array(12).fill(0))
})
