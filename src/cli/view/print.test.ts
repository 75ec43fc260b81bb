import { expect, test } from 'vitest'
import { beside, cut, usd } from './print.ts'

test('amounts say when they are unknown and keep small ones readable', () => {
  expect([usd(null), usd(0), usd(0.00123), usd(12.345), usd(-0.5)]).toEqual([
    '–',
    '$0',
    '$0.0012',
    '$12.35',
    '-$0.5000',
  ])
})

test('cutting counts characters, not code units', () => {
  expect(cut('🙂🙂🙂', 3)).toBe('🙂🙂🙂')
  expect(cut('🙂🙂🙂🙂', 3)).toBe('🙂🙂…')
})

test('a long text is broken under its column on a terminal, and nowhere else', () => {
  const text = 'the file of the session is there: 日本語の題名です and more'
  const write = () => {}
  expect(beside({ write }, 10, text)).toBe(text)
  expect(beside({ write, isTTY: true, columns: 200 }, 10, text)).toBe(text)
  expect(beside({ write, isTTY: true, columns: 50 }, 10, text).split('\n')).toEqual([
    'the file of the session is there: 日本語',
    `${' '.repeat(10)}の題名です and more`,
  ])
})
