import { expect, test } from 'vitest'
import { PreWarmGate } from './pre-warm.ts'

test('W-1 processes start before a prompt seldom for each thread, and seldom for all together', () => {
  const gate = new PreWarmGate()
  expect([gate.open('a', 0, 2), gate.open('a', 9_999, 2)]).toEqual([true, false])
  expect([gate.open('b', 9_999, 2), gate.open('c', 9_999, 2)]).toEqual([true, false])
  expect([gate.open('a', 10_000, 2), gate.open('c', 10_000, 2)]).toEqual([true, false])
})
