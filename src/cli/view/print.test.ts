import { expect, test } from 'vitest'
import { count, cut, table, usd, when } from './print.ts'

test('a table aligns its columns, cuts long cells and shows controls', () => {
  const rows = [
    { name: 'short', amount: 1 },
    { name: 'a\x1b[31m long name that is cut', amount: 1000 },
  ]
  const text = table(rows, [
    { title: 'name', cell: row => row.name, max: 12 },
    { title: 'amount', cell: row => count(row.amount), align: 'right' },
  ])
  expect(text).toBe(
    ['name          amount', 'short              1', 'a␛[31m long…   1,000', ''].join('\n'),
  )
})

test('amounts say when they are unknown and keep small ones readable', () => {
  expect([usd(null), usd(0), usd(0.00123), usd(12.345), usd(-0.5)]).toEqual([
    '–',
    '$0',
    '$0.0012',
    '$12.35',
    '-$0.5000',
  ])
})

test('times are in UTC, to the second', () => {
  expect(when(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe('2026-01-02 03:04:05')
  expect(when(null)).toBe('–')
})

test('cutting counts characters, not code units', () => {
  expect(cut('🙂🙂🙂', 3)).toBe('🙂🙂🙂')
  expect(cut('🙂🙂🙂🙂', 3)).toBe('🙂🙂…')
})
