import { expect, test } from 'vitest'
import { isLabel } from './label.ts'

test.each([
  ['gpu', true],
  ['Linux-6.1_x64', true],
  ['7', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['-gpu', false],
  ['two words', false],
  ['gpu\n', false],
])('J-8 whether %j is a label of a worker: %s', (text, expected) => {
  expect(isLabel(text)).toBe(expected)
})
