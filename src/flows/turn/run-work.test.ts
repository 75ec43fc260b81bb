// Which process works on a run, and what the run has cost so far.
import { expect, test } from 'vitest'
import { workOfRun } from './run-work.ts'

const USAGE = { inputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
const REQUEST = { requestId: 'req_1', model: 'big', usage: USAGE, main: true }
const PRICE = { inputUsd: 3, cacheReadUsd: 0, cacheWriteUsd: 0, outputUsd: 0 }
const RUN = { id: 'run_1', agent: 'one', endedAt: null, usage: null, costUsd: null }

async function work({
  run = {},
  isKnown = true,
  price = (_: string): object | null => PRICE,
} = {}) {
  const asked: string[] = []
  const agents = new Map(isKnown ? [['one', { adapter: { money: { price } } }]] : [])
  const store = {
    holderOf: async () => ({ owner: { host: 'h', pid: 7, startTime: '0' }, lease: 'lease' }),
    requestsOf: async (id: string) => {
      asked.push(id)
      return [REQUEST]
    },
  }
  const found = await workOfRun({ store, agents } as never, { ...RUN, ...run } as never)
  return { found, asked }
}

test('M-1 a run that goes on has its worker, its lease, and the price of its requests so far', async () => {
  const { found, asked } = await work()
  expect(found).toMatchObject({ worker: { host: 'h', pid: 7 }, lease: 'lease', costUsd: 3 })
  expect(found.worker).toEqual({ host: 'h', pid: 7 })
  expect(asked).toEqual(['run_1'])
})

test('M-1 what a run with an agent or a model that nobody knows has cost is not known', async () => {
  expect((await work({ isKnown: false })).found.costUsd).toBeNull()
  expect((await work({ price: () => null })).found.costUsd).toBeNull()
})

test('M-1 an ended run has cost what its record says', async () => {
  const { found, asked } = await work({ run: { endedAt: 5, usage: USAGE, costUsd: 9 } })
  expect([found.costUsd, asked]).toEqual([9, []])
})
