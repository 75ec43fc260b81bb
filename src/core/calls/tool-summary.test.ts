import { expect, test } from 'vitest'
import { callSummary, changeOf, namesOf } from './tool-summary.ts'

test.each([
  ['{"command":"npm test\\n  --silent","description":"x"}', 'npm test --silent'],
  ['{"file_path":"/a/b.ts","limit":3}', '/a/b.ts'],
  ['{"limit":3,"note":"first text"}', 'first text'],
  ['{"limit":3,"on":true}', 'limit: 3, on: true'],
  ['{}', ''],
  ['{"command":"npm te…', 'npm te…'],
  ['{"cut', '{"cut'],
])('%s is shown as %s', (input, line) => {
  expect(callSummary({ name: 'Any', input })).toBe(line)
})

test.each(['command', 'file_path', 'notebook_path', 'path', 'pattern', 'url', 'query', 'prompt'])(
  'a call is shown by its %s, wherever it stands in the input',
  field => {
    const input = JSON.stringify({ description: 'about it', limit: 3, [field]: 'the point' })
    expect(callSummary({ name: 'Any', input })).toBe('the point')
  },
)

test('of a command and a path, the command is shown; a path that is no text is not', () => {
  const both = { path: '/a', command: 'ls' }
  expect(callSummary({ name: 'Any', input: JSON.stringify(both) })).toBe('ls')
  const odd = { path: 7, note: 'first text' }
  expect(callSummary({ name: 'Any', input: JSON.stringify(odd) })).toBe('first text')
})

test('a long line ends with a mark, spaces around it are left out', () => {
  const shown = (command: string) =>
    callSummary({ name: 'Bash', input: JSON.stringify({ command }) })
  expect(shown(`\n ${'x'.repeat(200)} \n`)).toBe('x'.repeat(200))
  expect(shown('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`)
})

const changed = (input: unknown) => changeOf({ name: 'Any', input: JSON.stringify(input) })

test('a change says which fields of its input it shows', () => {
  const edit = { file_path: 'a.ts', old_string: 'one', new_string: '1' }
  expect(changed(edit)).toMatchObject({
    path: 'a.ts',
    shown: ['file_path', 'old_string', 'new_string'],
  })
  expect(changed({ file_path: 'a.ts', content: 'x' })).toMatchObject({
    shown: ['file_path', 'content'],
  })
  const { file_path, ...one } = edit
  expect(changed({ file_path, edits: [one] })).toMatchObject({ shown: ['file_path', 'edits'] })
  // Somebody has to see that this edit changes more than one place.
  const all = { ...one, replace_all: true }
  expect(changed({ file_path, edits: [one, all] })).toMatchObject({ shown: ['file_path'] })
})

test('several edits of a file are one difference with gaps', () => {
  const edits = [
    { old_string: 'one', new_string: '1' },
    { old_string: 'two' },
    { old_string: 'three', new_string: '3' },
    'nonsense',
    null,
  ]
  const lines = changed({ file_path: 'a.ts', edits })?.lines
  expect(lines?.map(({ kind, number, text }) => [kind, number, text])).toEqual([
    ['removed', 1, 'one'],
    ['added', 1, '1'],
    ['gap', null, ''],
    ['removed', 1, 'three'],
    ['added', 1, '3'],
  ])
})

test.each([
  ['text that is no object', 'a text'],
  ['no path', { content: 'x' }],
  ['a path that is no text', { file_path: 7, content: 'x' }],
  ['half an edit', { file_path: 'a.ts', old_string: 'x' }],
  ['the other half', { file_path: 'a.ts', new_string: 'x' }],
  ['edits that are no list', { file_path: 'a.ts', edits: 'all' }],
])('a call with %s is no change', (_, input) => {
  expect(changed(input)).toBeNull()
})

test('edits and new files are differences; other calls are not', () => {
  const edit = { file_path: 'a.ts', old_string: 'one\ntwo', new_string: 'one\n2' }
  const lines = changeOf({ name: 'Edit', input: JSON.stringify(edit) })?.lines
  expect(lines?.map(({ kind, text }) => [kind, text])).toEqual([
    ['same', 'one'],
    ['removed', 'two'],
    ['added', '2'],
  ])
  const write = { file_path: 'a.ts', content: 'x\n' }
  expect(changeOf({ name: 'Write', input: JSON.stringify(write) })?.lines).toEqual([
    { kind: 'added', number: 1, text: 'x' },
  ])
  expect(changeOf({ name: 'Bash', input: '{"command":"ls"}' })).toBeNull()
})

test('names are counted, most used first', () => {
  expect(namesOf([{ name: 'Bash' }, { name: 'Read' }, { name: 'Read' }])).toBe('Read 2, Bash 1')
})
