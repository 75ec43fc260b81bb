import { expect, test } from 'vitest'
import { isAtLeast } from './versions.ts'

test.each([
  ['2.1.197', '2.1.197', true],
  ['2.1.98', '2.1.197', false],
  ['2.2.0', '2.1.999', true],
  ['3', '2.1.999', true],
  ['1.9.9', '2.0.0', false],
])('%s is at least %s: %s', (version, other, expected) => {
  expect(isAtLeast(version, other)).toBe(expected)
})
