import { expect, test } from 'vitest'
import type { Row } from '../start/io.ts'
import { withWaitingLine } from './waiting-line.ts'

/** A terminal whose seconds pass when the test says so. */
function terminal() {
  const shown: string[] = []
  const clock = { now: 5_000, tick: () => {}, isRunning: false }
  return {
    shown,
    clock,
    io: {
      line: {
        show: (rows: readonly Row[]) => void shown.push(rows.map(({ text }) => text).join('\n')),
        clear: () => void shown.push(''),
      },
    },
    ticks: {
      now: () => clock.now,
      everySecond(act: () => void) {
        clock.isRunning = true
        clock.tick = () => {
          clock.now += 1_000
          act()
        }
        return () => {
          clock.isRunning = false
        }
      },
    },
    words: () => 'writing the files of the session',
  }
}

test('a verb that takes long says what it is busy with and for how long; the line is gone at its end', async () => {
  const { shown, clock, ...waiting } = terminal()
  const answer = await withWaitingLine(waiting, async () => {
    expect(shown).toEqual([])
    clock.tick()
    clock.tick()
    return 'written'
  })
  expect(answer).toBe('written')
  expect(shown).toEqual([
    'writing the files of the session 1 s',
    'writing the files of the session 2 s',
    '',
  ])
  expect(clock.isRunning).toBe(false)
})

test('a verb that fails leaves no line either', async () => {
  const { shown, clock, ...waiting } = terminal()
  const failing = withWaitingLine(waiting, async () => {
    clock.tick()
    throw new Error('the disk is full')
  })
  await expect(failing).rejects.toThrow('the disk is full')
  expect(shown.at(-1)).toBe('')
  expect(clock.isRunning).toBe(false)
})

test('without a terminal nothing is shown and no time is counted', async () => {
  const { clock, ticks, words } = terminal()
  expect(await withWaitingLine({ io: {}, words, ticks }, async () => 1)).toBe(1)
  expect(clock.isRunning).toBe(false)
})
