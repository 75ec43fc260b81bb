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

test('edits and new files are differences; other calls are not', () => {
  const edit = { file_path: 'a.ts', old_string: 'one\ntwo', new_string: 'one\n2' }
  const lines = changeOf({ name: 'Edit', input: JSON.stringify(edit) })?.lines
  expect(lines?.map(({ kind, text }) => [kind, text])).toEqual([
    ['same', 'one'],
    ['removed', 'two'],
    ['added', '2'],
  ])
  const write = { file_path: 'a.ts', content: 'x\n' }
  expect(changeOf({ name: 'Write', input: JSON.stringify(write) })?.lines).toHaveLength(1)
  expect(changeOf({ name: 'Bash', input: '{"command":"ls"}' })).toBeNull()
})

test('names are counted, most used first', () => {
  expect(namesOf([{ name: 'Bash' }, { name: 'Read' }, { name: 'Read' }])).toBe('Read 2, Bash 1')
})
