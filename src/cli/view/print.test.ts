import { expect, test } from 'vitest'
import { cut, usd } from './print.ts'

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
