import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { widthOf } from './width.ts'
import { hangingHint, hangingText, wrapToWidth } from './wrap.ts'

test.each<[string, number, readonly string[]]>([
  ['fits as it is', 13, ['fits as it is']],
  ['two  spaces stay', 12, ['two  spaces', 'stay']],
  ['the gap at the break  goes', 20, ['the gap at the break', 'goes']],
  ['a line\nand another one', 10, ['a line', 'and', 'another', 'one']],
  ['日本語の題名です', 7, ['日本語', 'の題名', 'です']],
  ['日本語。題名、です', 6, ['日本', '語。題', '名、で', 'す']],
  ['see 日本語 there', 8, ['see 日本', '語 there']],
  ['👍🏽👍🏽 e\u0301e\u0301e\u0301', 4, ['👍🏽👍🏽', 'e\u0301e\u0301e\u0301']],
  ['in /home/me/project/file.ts now', 12, ['in', '/home/me/', 'project/', 'file.ts now']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['/abcdefgh', 4, ['/abc', 'defg', 'h']],
  ['', 4, ['']],
])('%j in %i columns', (text, columns, rows) => {
  expect(wrapToWidth(text, columns)).toEqual(rows)
})

test('no row is wider than the terminal, and nothing but blanks is lost', () => {
  const word = fc.oneof(
    fc.constantFrom('日本語', '👍🏽', '/a/long/path.ts', '→', 'e\u0301', ' ', '。', 'Größe', '…'),
    fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\n')),
  )
  const texts = fc.array(word).map(words => words.join(' '))
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 40 }), (text, columns) => {
      const rows = wrapToWidth(text, columns)
      for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
      expect(rows.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    }),
  )
})

test('rows after the first one stand under the text, and no row is wider than the terminal', () => {
  const text = 'the session file holds what this thread knows'
  expect(hangingText(text, { indent: 6, width: 30 })).toBe(
    'the session file holds\n      what this thread knows',
  )
})

test('without a terminal, and on one that leaves no room, the text stays as it is', () => {
  const text = 'the session file holds what this thread knows'
  expect(hangingText(text, { indent: 6, width: null })).toBe(text)
  expect(hangingText(text, { indent: 6, width: 25 })).toBe(text)
})

test('U-1 a hint keeps its commands and paths in one row, so that people can copy them', () => {
  const at = (text: string, width: number | null) => hangingHint(text, { indent: 6, width })
  expect(at('see the ids with `reprise threads ls --json`, then send again', 40)).toBe(
    'see the ids with\n      `reprise threads ls --json`, then\n      send again',
  )
  const long = 'close /home/somebody/with/a/very/long/path/to/it now'
  expect(at(long, 30)).toBe('close\n      /home/somebody/with/a/very/long/path/to/it\n      now')
  expect(at('one\n\n  two', 40)).toBe('one\n      \n        two')
  expect(at(long, null)).toBe(long)
  expect(at(long, 25)).toBe(long)
})
