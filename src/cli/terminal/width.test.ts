import { expect, test } from 'vitest'
import { clustersOf, cutStartToWidth, cutToWidth, widthOf } from './width.ts'

test.each([
  ['abc', 3],
  ['', 0],
  ['Größe – „ok“ ✓ ▸ …', 18],
  ['Привет', 6],
  ['日本語', 6],
  ['한글', 4],
  ['e\u0301', 1],
  ['👍', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['1\ufe0f\u20e3', 2],
  ['☺', 1],
  ['☺\ufe0f', 2],
  ['a\u00adb', 2],
])('a terminal gives %j %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns)
})

test.each([
  ['plain text', 10, 'plain text'],
  ['plain text', 9, 'plain te…'],
  ['日本語です', 6, '日本…'],
  ['日本語です', 10, '日本語です'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['👍🏽👍🏽', 3, '👍🏽…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j in %i columns is %j, and no letter is cut in two', (text, columns, cut) => {
  expect(cutToWidth(text, columns)).toBe(cut)
  expect(widthOf(cut)).toBeLessThanOrEqual(columns)
})

test.each([
  ['/home/me/config.yaml:12', 23, '/home/me/config.yaml:12'],
  ['/home/me/config.yaml:12', 15, '…config.yaml:12'],
  ['日本語です', 6, '…です'],
  ['e\u0301e\u0301e\u0301', 2, '…e\u0301'],
  ['👍🏽👍🏽', 3, '…👍🏽'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j keeps its end in %i columns: %j', (text, columns, cut) => {
  expect(cutStartToWidth(text, columns)).toBe(cut)
  expect(widthOf(cut)).toBeLessThanOrEqual(columns)
})

test('a letter with its marks is one cluster', () => {
  expect(clustersOf('ae\u0301👍🏽')).toEqual(['a', 'e\u0301', '👍🏽'])
})
