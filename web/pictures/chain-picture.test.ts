import { expect, test } from 'vitest'
import type { Chain } from '../../src/api.ts'
import type { Run } from '../../src/core/run/run.ts'
import { costPoints, jointOf, spansOfChain } from './chain-picture.ts'

const run = (fields: Partial<Run>) =>
  ({ tier: 1, queuedAt: 0, startedAt: 0, endedAt: null, costUsd: null, ...fields }) as Run

const chain = (fields: Partial<Chain>) =>
  ({ status: 'running', because: { code: 'begun', tier: 1 }, runs: [], ...fields }) as Chain

test('time in the queue and time for which a person was waited for are spans of their own', () => {
  const runs = [
    run({ queuedAt: 0, startedAt: 2, endedAt: 10 }),
    run({ tier: 2, queuedAt: 30, startedAt: 30, endedAt: 50 }),
  ]
  expect(spansOfChain(chain({ runs, status: 'resolved' }), 99)).toEqual([
    { row: '1', kind: 'queued', from: 0, to: 2 },
    { row: '1', kind: 'running', from: 2, to: 10 },
    { row: '2', kind: 'held', from: 10, to: 30 },
    { row: '2', kind: 'running', from: 30, to: 50 },
  ])
})

test('a held chain waits in the row of the next tier until now', () => {
  const runs = [run({ endedAt: 10 })]
  const held = chain({ runs, status: 'held', because: { code: 'approval-needed', tier: 2 } })
  expect(spansOfChain(held, 99).at(-1)).toEqual({ row: '2', kind: 'held', from: 10, to: 99 })
})

test('a run that is queued or running goes on until now', () => {
  expect(spansOfChain(chain({ runs: [run({ startedAt: null })] }), 9)).toEqual([
    { row: '1', kind: 'queued', from: 0, to: 9 },
  ])
  expect(spansOfChain(chain({ runs: [run({ startedAt: 4 })] }), 9).at(-1)).toMatchObject({ to: 9 })
})

test('the cost grows from run to run, and stays while nothing runs', () => {
  const runs = [
    run({ startedAt: 0, endedAt: 10, costUsd: 1 }),
    run({ startedAt: null }),
    run({ startedAt: 30, endedAt: null, costUsd: 2 }),
  ]
  expect(costPoints(runs, 40)).toEqual([
    { time: 0, usd: 0 },
    { time: 10, usd: 1 },
    { time: 30, usd: 1 },
    { time: 40, usd: 3 },
  ])
})

test('a resume is the same session, a fork another, and everything else a new one', () => {
  const joints = (['resume', 'fork', 'replay', 'handover', 'start', undefined] as const).map(
    jointOf,
  )
  expect(joints).toEqual(['same', 'fork', 'new', 'new', 'new', 'new'])
})
