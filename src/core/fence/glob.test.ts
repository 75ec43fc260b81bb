import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each([
  ['ab', 'ab', true],
  ['ab', 'abc', false],
  ['', '', true],
  ['*', '', true],
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['a*c', 'ac', true],
  ['ab*bc', 'abc', false],
  ['ab*bc', 'abbc', true],
  ['a*b*c', 'axbxc', true],
  ['a*b*c', 'axxc', false],
  ['a*b*c', 'ac', false],
  ['a*b*b*c', 'abc', false],
  ['a*b*b*c', 'abbc', true],
  ['a*bc*c', 'abc', false],
  ['*b*', 'b', true],
  ['x*', 'ax', false],
  ['*x', 'xa', false],
])('E-5 the pattern %s matches %j: %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected)
})
