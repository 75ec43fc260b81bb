import { describe, expect, test } from 'vitest'
import type { KillReason } from '../core/run/run.ts'
import type { Clock } from '../core/world.ts'
import { startWatchdogs, type WatchdogOptions } from './watchdogs.ts'

const LIMITS = { firstEventMs: 60_000, silenceMs: 100_000, totalMs: 500_000, afterResultMs: 15_000 }

/** Sleepers wake when time is advanced; `setWall` moves the wall clock alone. */
function createFakeClock() {
  let slept = 0
  let wall = 1_000_000
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const settle = () => new Promise(resolve => setImmediate(resolve))
  const clock: Clock = {
    now: () => wall,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const sleeper = { at: slept + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          resolve()
        })
      }),
  }
  async function advance(ms: number): Promise<void> {
    const end = slept + ms
    for (;;) {
      await settle()
      const due = [...sleepers].filter(s => s.at <= end).sort((a, b) => a.at - b.at)[0]
      const next = due?.at ?? end
      wall += next - slept
      slept = next
      if (due === undefined) return
      sleepers.delete(due)
      due.wake()
    }
  }
  const setWall = (ms: number) => {
    wall += ms
  }
  return { clock, advance, setWall, sleeping: () => sleepers.size }
}

function watch(change: Partial<WatchdogOptions> = {}) {
  const time = createFakeClock()
  const bites: KillReason[] = []
  const watchdogs = startWatchdogs({
    clock: time.clock,
    limits: LIMITS,
    isHeldUp: () => false,
    isAsking: () => false,
    onBite: reason => bites.push(reason),
    ...change,
  })
  return { ...time, bites, watchdogs }
}

describe('watchdogs', () => {
  test('no first line within its time', async () => {
    const { advance, bites } = watch()
    await advance(59_999)
    expect(bites).toEqual([])
    await advance(1)
    expect(bites).toEqual(['no-first-event'])
  })

  test('silence counts from the last line', async () => {
    const { advance, bites, watchdogs } = watch()
    await advance(50_000)
    watchdogs.lineSeen()
    await advance(90_000)
    watchdogs.lineSeen()
    await advance(99_999)
    expect(bites).toEqual([])
    await advance(1)
    expect(bites).toEqual(['silent'])
  })

  test('U-3 an agent that prepares the turn may be silent no longer than at its start', async () => {
    const { advance, bites, watchdogs } = watch()
    watchdogs.atStage('prepares')
    await advance(50_000)
    watchdogs.lineSeen()
    await advance(59_999)
    expect(bites).toEqual([])
    await advance(1)
    expect(bites).toEqual(['no-first-event'])
  })

  test('U-3 an agent that has its prompt may be silent for as long as ever', async () => {
    const { advance, bites, watchdogs } = watch()
    watchdogs.atStage('prepares')
    await advance(50_000)
    watchdogs.lineSeen()
    watchdogs.atStage('works')
    await advance(99_999)
    expect(bites).toEqual([])
    await advance(1)
    expect(bites).toEqual(['silent'])
  })

  test('the total time also ends an agent that keeps printing', async () => {
    const { advance, bites, watchdogs } = watch()
    for (let i = 0; i < 50; i += 1) {
      watchdogs.lineSeen()
      await advance(10_000)
    }
    expect(bites).toEqual(['too-slow'])
  })

  test('still alive after its result', async () => {
    const { advance, bites, watchdogs } = watch()
    watchdogs.lineSeen()
    await advance(1_000)
    watchdogs.resultSeen()
    await advance(14_999)
    watchdogs.resultSeen()
    expect(bites).toEqual([])
    await advance(1)
    expect(bites).toEqual(['hung-after-result'])
  })

  test('at most one fires, and none after the end', async () => {
    const one = watch()
    await one.advance(10 * LIMITS.totalMs)
    expect(one.bites).toEqual(['no-first-event'])
    const none = watch()
    none.watchdogs.end()
    await none.advance(10 * LIMITS.totalMs)
    expect(none.bites).toEqual([])
    expect(none.sleeping()).toBe(0)
  })

  test('silence does not count while our own reader does not take the lines', async () => {
    let isHeldUp = true
    const { advance, bites } = watch({ isHeldUp: () => isHeldUp })
    await advance(450_000)
    expect(bites).toEqual([])
    isHeldUp = false
    await advance(49_999)
    expect(bites).toEqual([])
  })

  test.each([3_600_000, -3_600_000])('a wall clock that jumps by %i ms ends nobody', async jump => {
    const { advance, bites, setWall, watchdogs } = watch()
    watchdogs.lineSeen()
    await advance(10_000)
    setWall(jump)
    await advance(89_000)
    expect(bites).toEqual([])
    watchdogs.lineSeen()
    await advance(50_000)
    expect(bites).toEqual([])
    await advance(60_000)
    expect(bites).toEqual(['silent'])
  })

  test('T-7 time in which a user is asked counts neither as silence nor as the agent’s own', async () => {
    let isAsking = false
    const { advance, bites, watchdogs } = watch({ isAsking: () => isAsking })
    watchdogs.lineSeen()
    isAsking = true
    await advance(10 * LIMITS.totalMs)
    expect(bites).toEqual([])
    isAsking = false
    await advance(LIMITS.silenceMs + 20_000)
    expect(bites).toEqual(['silent'])
  })
})
