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

test('a run that goes on under another id is stopped by both, and by neither when it is over', async () => {
  const live = new LiveRuns()
  const one = run(live, 'run_1')
  one.started()
  one.also('run_2')
  const stopped = live.stop('run_2', 'cancelled')
  expect(one.stops).toEqual(['cancelled'])
  one.remove()
  await stopped
  expect(live.stop('run_1', 'cancelled')).toBeNull()
  expect(live.stop('run_2', 'cancelled')).toBeNull()
})

test('a caller who cancels after the end stops nothing', () => {
  const live = new LiveRuns()
  const caller = new AbortController()
  const over = run(live, 'run_1', caller.signal)
  over.started()
  over.remove()
  caller.abort()
  expect(over.stops).toEqual([])
})

test('a run that begins while Reprise closes is stopped by the shutdown', async () => {
  const live = new LiveRuns()
  await live.stopAll('shutdown')
  const late = run(live, 'run_1')
  late.started()
  expect(late.stops).toEqual(['shutdown'])
})

test('U-3 a shutdown waits for turns that have no process yet, or no longer', async () => {
  const live = new LiveRuns()
  const turn = Promise.withResolvers<void>()
  const running = live.during(() => turn.promise)
  let isOver = false
  const all = live.stopAll('shutdown').then(() => {
    isOver = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isOver).toBe(false)
  turn.resolve()
  await Promise.all([running, all])
})

test('a drain lets turns end by themselves, and lets no other begin', async () => {
  const live = new LiveRuns()
  const turn = Promise.withResolvers<void>()
  void live.during(() => turn.promise)
  const one = run(live, 'run_1')
  one.started()
  let isOver = false
  const drained = live.drain(new AbortController().signal).then(() => {
    isOver = true
  })
  expect(live.closing.aborted).toBe(true)
  await new Promise(resolve => setImmediate(resolve))
  expect([isOver, one.stops]).toEqual([false, []])
  turn.resolve()
  await drained
})

test.each(['before it', 'during it'])(
  'a drain whose time is over, %s, waits no longer',
  async when => {
    const live = new LiveRuns()
    void live.during(() => new Promise(() => {}))
    const time = new AbortController()
    if (when === 'before it') time.abort()
    const drained = live.drain(time.signal)
    time.abort()
    await drained
    expect(live.closing.aborted).toBe(true)
  },
)

test('a turn that has failed keeps nobody from closing', async () => {
  const live = new LiveRuns()
  await expect(live.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await live.drain(new AbortController().signal)
  await live.stopAll('shutdown')
})

test('U-6 listeners hear of every write until they leave', () => {
  const live = new LiveRuns()
  const heard: string[] = []
  const leave = live.onWrite(() => heard.push('a'))
  live.onWrite(() => heard.push('b'))
  live.wrote()
  leave()
  live.wrote()
  expect(heard).toEqual(['a', 'b', 'b'])
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
