import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countsOf, diffOfPatch, diffTexts } from './diff-lines.ts'

const shown = (before: string, after: string, context?: number) =>
  diffTexts(before, after, context).map(
    ({ kind, number, text }) =>
      `${{ same: ' ', added: '+', removed: '-', gap: '…' }[kind]}${number ?? ''} ${text}`,
  )

describe('the difference of two texts', () => {
  test('shows what was removed, added, and what stays around it', () => {
    expect(shown('a\nb\nc\nd', 'a\nB\nc\nd\ne')).toEqual([
      ' 1 a',
      '-2 b',
      '+2 B',
      ' 3 c',
      ' 4 d',
      '+5 e',
    ])
  })

  test('leaves out what is far from a change', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `${index + 1}`)
    const after = lines.map(line => (line === '2' || line === '9' ? 'new' : line))
    expect(shown(lines.join('\n'), after.join('\n'), 1)).toEqual([
      ' 1 1',
      '-2 2',
      '+2 new',
      ' 3 3',
      '… ',
      ' 8 8',
      '-9 9',
      '+9 new',
    ])
  })

  test('applied to the old text it gives the new one, whatever the texts are', () => {
    const line = fc.constantFrom('a', 'b', 'c', '')
    const text = fc.array(line, { maxLength: 12 }).map(lines => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffTexts(before, after, 1_000)
        const side = (gone: 'added' | 'removed') =>
          lines.filter(({ kind }) => kind !== gone).map(one => one.text)
        const wanted = (given: string) => (given === '' ? [] : given.replace(/\n$/, '').split('\n'))
        // Equal texts have no change to show.
        if (lines.length === 0) expect(wanted(after)).toEqual(wanted(before))
        else {
          expect(side('removed')).toEqual(wanted(after))
          expect(side('added')).toEqual(wanted(before))
        }
      }),
    )
  })
})

test('a patch has the numbers of its hunks, and gaps between them', () => {
  const patch = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,2 @@',
    ' one',
    '-two',
    '+TWO',
    '@@ -9 +9,2 @@ function',
    ' nine',
    '+ten',
    '\\ No newline at end of file',
  ].join('\n')
  const lines = diffOfPatch(patch)
  expect(lines.map(({ kind, number, text }) => [kind, number, text])).toEqual([
    ['same', 1, 'one'],
    ['removed', 2, 'two'],
    ['added', 2, 'TWO'],
    ['gap', null, ''],
    ['same', 9, 'nine'],
    ['added', 10, 'ten'],
  ])
  expect(countsOf(lines)).toEqual({ added: 2, removed: 1 })
})
