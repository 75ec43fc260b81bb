import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { widthOf } from '../terminal/width.ts'
import { createMarkdown } from './markdown.ts'

const ANSWER = `# The *plan*

Run \`npm test\` and **then** look at _this_ [page](https://example.org/a).

- one thing
  - another one
1. first

> quoted words

| name | what |
| --- | --- |
| **a** | first |
| 日本 | second \\| third |

\`\`\`ts
const a = \`b\` // **not bold**
# not a heading
\`\`\`
---
snake_case_name and 2 * 3 * 4 stay.`

function rendered(text: string, { width = 60, colours = true, pieces = text.length } = {}): string {
  const markdown = createMarkdown(() => ({ width, colours }))
  let out = ''
  for (let at = 0; at < text.length; at += pieces) out += markdown.push(text.slice(at, at + pieces))
  return out + markdown.end()
}

test('an answer is rendered: headings, emphasis, lists, quotes, tables, code', () => {
  expect(stripVTControlCharacters(rendered(ANSWER)).split('\n')).toEqual([
    'The plan',
    '',
    'Run npm test and then look at this page',
    '(https://example.org/a).',
    '',
    '• one thing',
    '  • another one',
    '1. first',
    '',
    '│ quoted words',
    '',
    'name │ what',
    '─────┼───────────────',
    'a    │ first',
    '日本 │ second | third',
    '',
    '── ts',
    'const a = `b` // **not bold**',
    '# not a heading',
    '──',
    '────────────────────────────────────────',
    'snake_case_name and 2 * 3 * 4 stay.',
    '',
  ])
})

test('it looks the same in whatever pieces it comes', () => {
  const whole = rendered(ANSWER)
  for (const pieces of [1, 2, 3, 7, 50]) expect(rendered(ANSWER, { pieces })).toBe(whole)
})

test('without colours there is no escape, and the marks of emphasis stay', () => {
  const plain = rendered(ANSWER, { colours: false })
  expect(plain).not.toContain('\x1b')
  expect(plain).toContain('# The *plan*')
  expect(plain).toContain('**then**')
})

test.each([80, 40, 20, 12])('no line but code is wider than %i columns', width => {
  const text = ANSWER.replace(/```[\s\S]*```/, '')
  for (const line of rendered(`${text}\n${'x'.repeat(100)} 日本語日本語日本語`, { width }).split(
    '\n',
  )) {
    expect(widthOf(stripVTControlCharacters(line))).toBeLessThanOrEqual(width)
  }
})

test('what has begun can be seen before its line is over, and is not printed twice', () => {
  const markdown = createMarkdown(() => ({ width: 20, colours: true }))
  expect(markdown.push('done\nhalf a **li')).toBe('done\n')
  expect(markdown.begun()).toEqual(['half a **li'])
  expect(markdown.push('ne**\n')).toBe('half a \x1b[1mline\x1b[22m\n')
  expect([markdown.begun(), markdown.end()]).toEqual([[], ''])
})

test('U-1 a cell that is wider than its column goes on in the next line, and numbers stand right', () => {
  const table =
    '| n | what it means |\n| ---: | --- |\n| 200 | all that it needs is there |\n| 7 | no |'
  expect(rendered(table, { width: 20, colours: false })).toBe(
    [
      '  n │ what it means',
      '────┼───────────────',
      '200 │ all that it',
      '    │ needs is there',
      '  7 │ no',
      '',
    ].join('\n'),
  )
})

test('an answer that ends in the middle of a table or of code is printed whole', () => {
  expect(rendered('| a | b |\n| - | - |\n| 1 | 2 |', { colours: false })).toBe(
    'a │ b\n──┼──\n1 │ 2\n',
  )
  expect(rendered('```\ncode', { colours: false })).toBe('──\ncode\n')
  expect(rendered('| no table |', { colours: false })).toBe('| no table |\n')
})

test('long lines of marks take no time that grows with their square', () => {
  for (const mark of ['*', '_', '`', '[', '~', '|', '**a']) rendered(mark.repeat(5_000))
})
