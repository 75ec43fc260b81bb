import { expect, test } from 'vitest'
import type { KillReason } from '../../core/run/run.ts'
import { LiveRuns } from './live-runs.ts'

function run(live: LiveRuns, id: string, signal = new AbortController().signal) {
  const stops: KillReason[] = []
  const entry = live.add(id, signal)
  const started = () =>
    entry.started(async reason => {
      stops.push(reason)
    })
  return { ...entry, started, stops }
}

test('a stop that comes before the process is there happens when it is', () => {
  const live = new LiveRuns()
  const early = run(live, 'run_1')
  early.stop('cancelled')
  expect(early.stops).toEqual([])
  early.started()
  expect(early.stops).toEqual(['cancelled'])
})

test('the first reason stays', () => {
  const live = new LiveRuns()
  const one = run(live, 'run_1')
  one.started()
  one.stop('cancelled')
  one.stop('shutdown')
  expect(new Set(one.stops)).toEqual(new Set(['cancelled']))
})

test("the caller's signal cancels, also when it was aborted before", () => {
  const live = new LiveRuns()
  const aborted = run(live, 'run_1', AbortSignal.abort())
  aborted.started()
  expect(aborted.stops).toEqual(['cancelled'])
})

test('a shutdown stops all and waits for their records', async () => {
  const live = new LiveRuns()
  const runs = ['run_1', 'run_2'].map(id => run(live, id))
  for (const one of runs) one.started()
  let over = false
  const all = live.stopAll('shutdown').then(() => {
    over = true
  })
  await Promise.resolve()
  expect(over).toBe(false)
  for (const one of runs) one.remove()
  await all
  expect(runs.map(one => one.stops)).toEqual([['shutdown'], ['shutdown']])
  expect(live.stop('run_1', 'cancelled')).toBeNull()
})

test('I9 an end that the store cannot take is written at the next occasion, and once', async () => {
  const live = new LiveRuns()
  let isBroken = true
  let written = 0
  const write = async () => {
    if (isBroken) throw new Error('the disk failed')
    written += 1
  }
  expect(await live.writeEnd('run_1', write)).toBe(false)
  expect(await live.writeEnds()).toBe(0)
  isBroken = false
  expect(await live.writeEnds()).toBe(1)
  expect(await live.writeEnds()).toBe(0)
  expect(written).toBe(1)
})
