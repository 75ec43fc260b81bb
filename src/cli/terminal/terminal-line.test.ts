import { expect, test } from 'vitest'
import { screenOf } from '../../../test/screen.ts'
import { createTerminalLine } from './terminal-line.ts'

function terminal(columns = 20) {
  let written = ''
  const sink = { write: (text: string) => (written += text), columns, isTTY: true }
  const line = createTerminalLine(sink, { colours: true })
  return {
    line,
    print: line.around(sink.write),
    screen: () => screenOf(written),
    raw: () => written,
  }
}

test('rows stand below what is printed, and what is printed later goes above them', () => {
  const { line, print, screen } = terminal()
  print('one\n')
  line.show([{ text: 'waiting 1 s' }])
  print('two\nthree\n')
  expect(screen()).toEqual(['one', 'two', 'three', 'waiting 1 s'])
  line.show([{ text: 'a' }, { text: 'b' }])
  print('four\n')
  expect(screen()).toEqual(['one', 'two', 'three', 'four', 'a', 'b'])
  line.clear()
  print('five\n')
  expect(screen()).toEqual(['one', 'two', 'three', 'four', 'five', ''])
})

test('while a printed line is open, the rows wait for its end', () => {
  const { line, print, screen } = terminal()
  print('half a ')
  line.show([{ text: 'waiting' }])
  expect(screen()).toEqual(['half a'])
  print('line\n')
  expect(screen()).toEqual(['half a line', 'waiting'])
  print('more')
  expect(screen()).toEqual(['half a line', 'more'])
})

test('a row never wraps, also with wide letters, and has its look', () => {
  const { line, screen, raw } = terminal(10)
  line.show([{ text: '日本語日本語', look: 'dim' }])
  expect(screen()).toEqual(['日本語日…'])
  expect(raw()).toContain('\x1b[2m')
})

test('the cursor stands where the last row says', () => {
  const { line, print, raw } = terminal()
  line.show([{ text: 'queued ▸ abc', cursor: 9 }])
  expect(raw()).toMatch(/abc\r\x1b\[9C$/)
  print('')
  expect(raw()).toMatch(/\x1b\[9C$/)
})
