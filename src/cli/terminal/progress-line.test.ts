import { expect, test } from 'vitest'
import { screenOf } from '../../../test/screen.ts'
import { createProgressLine } from './progress-line.ts'
import { createTerminalLine } from './terminal-line.ts'

function watched() {
  let written = ''
  const sink = { write: (text: string) => (written += text), columns: 40, isTTY: true }
  const line = createTerminalLine(sink, { colours: false })
  let now = 0
  let tick = () => {}
  let isStopped = false
  const ticks = {
    now: () => now,
    everySecond(act: () => void) {
      tick = act
      return () => {
        isStopped = true
      }
    },
  }
  const progress = createProgressLine({ line }, { ticks })
  const print = line.around(sink.write)
  return {
    progress,
    print,
    screen: () => screenOf(written),
    raw: () => written,
    isStopped: () => isStopped,
    seconds(count: number) {
      now += count * 1_000
      tick()
    },
  }
}

const place = { runId: 'run_1', seq: 1, at: 2_000 } as const

test('a turn of less than a second shows no line', () => {
  const { progress, raw } = watched()
  progress.see({ ...place, type: 'text', text: 'hi' })
  progress.end()
  expect(raw()).toBe('')
})

test('the line counts, is gone when text comes, and comes back with a call', () => {
  const { progress, print, screen, seconds, isStopped } = watched()
  seconds(1)
  expect(screen()).toEqual(['waiting for the agent 1 s'])
  seconds(1)
  expect(screen()).toEqual(['waiting for the agent 2 s'])
  progress.see({ ...place, type: 'text', text: 'hi' })
  print('hi')
  seconds(1)
  expect(screen()).toEqual(['hi'])
  const input = '{"command":"npm test"}'
  progress.see({ ...place, type: 'tool', id: 'a', name: 'Bash', input, parentId: null })
  print('\n')
  seconds(1)
  expect(screen()).toEqual(['hi', 'Bash: npm test 2 s'])
  progress.end()
  expect([screen(), isStopped()]).toEqual([['hi', ''], true])
})

test('without a terminal there is nothing to see and no timer', () => {
  const everySecond = () => {
    throw new Error('a timer')
  }
  const progress = createProgressLine({}, { ticks: { now: () => 0, everySecond } })
  progress.see({ ...place, type: 'text', text: 'hi' })
  progress.end()
})
