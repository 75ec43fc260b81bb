import { expect, test } from 'vitest'
import { diffOf, namesOf, summaryOf } from './tool-summary.ts'

test.each([
  ['{"command":"npm test\\n  --silent","description":"x"}', 'npm test --silent'],
  ['{"file_path":"/a/b.ts","limit":3}', '/a/b.ts'],
  ['{"limit":3,"note":"first text"}', 'first text'],
  ['{"limit":3}', '{"limit":3}'],
  ['{}', ''],
  ['{"cut', '{"cut'],
])('%s is shown as %s', (input, line) => {
  expect(summaryOf({ name: 'Any', input })).toBe(line)
})

test('edits and new files are differences; other calls are not', () => {
  const edit = { file_path: 'a.ts', old_string: 'one\ntwo', new_string: 'one\n2' }
  const lines = diffOf({ name: 'Edit', input: JSON.stringify(edit) })?.lines
  expect(lines?.map(({ kind, text }) => [kind, text])).toEqual([
    ['same', 'one'],
    ['removed', 'two'],
    ['added', '2'],
  ])
  const write = { file_path: 'a.ts', content: 'x\n' }
  expect(diffOf({ name: 'Write', input: JSON.stringify(write) })?.lines).toHaveLength(1)
  expect(diffOf({ name: 'Bash', input: '{"command":"ls"}' })).toBeNull()
})

test('names are counted, most used first', () => {
  expect(namesOf([{ name: 'Bash' }, { name: 'Read' }, { name: 'Read' }])).toBe('Read 2, Bash 1')
})
