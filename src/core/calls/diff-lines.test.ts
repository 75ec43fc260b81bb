import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
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

  test.each([
    ['after the last change', '1', ['-1 1', '+1 new', ' 2 2']],
    ['before the first change', '9', [' 8 8', '-9 9', '+9 new']],
  ])('has no gap %s', (_, changed, expected) => {
    const lines = Array.from({ length: 9 }, (_, index) => `${index + 1}`)
    const after = lines.map(line => (line === changed ? 'new' : line))
    expect(shown(lines.join('\n'), after.join('\n'), 1)).toEqual(expected)
  })

  test('of long files shows the changed lines alone, where the rest is the same', () => {
    const lines = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}`)
    const after = lines.map((line, index) => (index === 1_999 || index === 2_001 ? 'new' : line))
    const expected = [
      '-2000 line 2000',
      '+2000 new',
      ' 2001 line 2001',
      '-2002 line 2002',
      '+2002 new',
    ]
    expect(shown(lines.join('\n'), after.join('\n'), 1).slice(1, -1)).toEqual(expected)
  })

  test.each([
    [1_500, 1_500, 1],
    [1_501, 3, 0],
    [3, 1_501, 0],
  ])(
    'of %d old and %d new lines finds %d common ones: where the exact way takes too long, all of them count as changed',
    (removed, added, common) => {
      const textOf = (word: string, count: number) =>
        ['first', word, 'common', ...Array.from({ length: count - 2 }, (_, at) => `${word} ${at}`)]
          .join('\n')
          .concat('\nlast')
      const found = diffTexts(textOf('old', removed), textOf('new', added), 0)
      const of = (wanted: string) =>
        found.flatMap(({ kind, number }) => (kind === wanted ? [number] : []))
      expect([of('removed').length, of('added').length, of('same').length]).toEqual([
        removed - common,
        added - common,
        0,
      ])
      expect([of('removed')[0], of('removed').at(-1)]).toEqual([2, removed + 1])
      expect([of('added')[0], of('added').at(-1)]).toEqual([2, added + 1])
    },
  )

  const line = fc.constantFrom('a', 'b', 'c', '')
  const text = fc.array(line, { maxLength: 12 }).map(lines => lines.join('\n'))
  const linesIn = (given: string) => (given === '' ? [] : given.replace(/\n$/, '').split('\n'))

  test('keeps as many lines as possible, and each line has its number in its own text', () => {
    const longestCommon = (old: readonly string[], fresh: readonly string[]): number => {
      const [[first, ...restOld], [other, ...restFresh]] = [old, fresh]
      if (first === undefined || other === undefined) return 0
      if (first === other) return 1 + longestCommon(restOld, restFresh)
      return Math.max(longestCommon(restOld, fresh), longestCommon(old, restFresh))
    }
    const short = fc.array(line, { maxLength: 6 }).map(lines => lines.join('\n'))
    fc.assert(
      fc.property(short, short, (before, after) => {
        const found = diffTexts(before, after, 1_000)
        const [old, fresh] = [linesIn(before), linesIn(after)]
        for (const { kind, number, text } of found)
          expect((kind === 'removed' ? old : fresh)[(number ?? 0) - 1]).toBe(text)
        const kept = found.filter(({ kind }) => kind === 'same').length
        // Equal texts have no change to show.
        if (found.length > 0) expect(kept).toBe(longestCommon(old, fresh))
      }),
    )
  })

  test('applied to the old text it gives the new one, whatever the texts are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffTexts(before, after, 1_000)
        const side = (gone: 'added' | 'removed') =>
          lines.filter(({ kind }) => kind !== gone).map(one => one.text)
        // Equal texts have no change to show.
        if (lines.length === 0) expect(linesIn(after)).toEqual(linesIn(before))
        else {
          expect(side('removed')).toEqual(linesIn(after))
          expect(side('added')).toEqual(linesIn(before))
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
    '+three',
    '-gone',
    '-gone too',
    '@@ -9 +9,2 @@ function',
    ' nine',
    '+ten',
    '@@ -120,10 +121 @@',
    ' far',
    '+see @@ -1 +1 @@',
    '-off',
    '@@ -230 +240,12 @@',
    ' farther',
    '\\ No newline at end of file',
  ].join('\n')
  const lines = diffOfPatch(patch)
  expect(lines.map(({ kind, number, text }) => [kind, number, text])).toEqual([
    ['same', 1, 'one'],
    ['removed', 2, 'two'],
    ['added', 2, 'TWO'],
    ['added', 3, 'three'],
    ['removed', 3, 'gone'],
    ['removed', 4, 'gone too'],
    ['gap', null, ''],
    ['same', 9, 'nine'],
    ['added', 10, 'ten'],
    ['gap', null, ''],
    ['same', 121, 'far'],
    ['added', 122, 'see @@ -1 +1 @@'],
    ['removed', 121, 'off'],
    ['gap', null, ''],
    ['same', 240, 'farther'],
  ])
  expect(countsOf(lines)).toEqual({ added: 4, removed: 4 })
})
