import { expect, test } from 'vitest'
import type { Price } from '../money/ledger.ts'
import { NO_USAGE, type Usage } from './events.ts'
import type { Request } from './observe.ts'
import { spentBy } from './run-work.ts'

const PRICE: Price = {
  inputUsd: 3,
  cacheReadUsd: 0.3,
  cacheWriteUsd: 3.75,
  cacheWriteHourUsd: 6,
  outputUsd: 15,
}
const price = (model: string) => (model === 'sonnet' ? PRICE : null)
const used = (outputTokens: number): Usage => ({ ...NO_USAGE, outputTokens })
const request = (model: string): Request => ({
  requestId: 'r',
  model,
  usage: used(1_000),
  main: true,
})
const going = { endedAt: null, usage: NO_USAGE, costUsd: null }

test('a run that has reported no request yet has cost nothing', () => {
  expect(spentBy(going, [], price)).toEqual({ usage: NO_USAGE, costUsd: 0, costIs: 'so-far' })
})

test('while a run goes, its requests count by their list prices', () => {
  const requests = [request('sonnet'), request('sonnet')]
  expect(spentBy(going, requests, price)).toEqual({
    usage: used(2_000),
    costUsd: 0.03,
    costIs: 'so-far',
  })
})

test('a model without a price makes the cost unknown, not small', () => {
  expect(spentBy(going, [request('sonnet'), request('new')], price).costUsd).toBeNull()
})

test.each([{ endedAt: 9 }, { endedAt: null }])('what was booked stands (%o)', ended => {
  const run = { ...going, ...ended, usage: used(7), costUsd: 0.25 }
  const booked = { usage: used(7), costUsd: 0.25, costIs: 'booked' }
  expect(spentBy(run, [request('sonnet')], price)).toEqual(booked)
})
