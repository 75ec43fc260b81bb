import { describe, expect, test } from 'vitest'
import { callLine, callTitle, readCall } from './tool-call.ts'

const json = JSON.stringify

describe('a call as a person reads it', () => {
  const cases = [
    [
      'a command with its description',
      readCall('Bash', json({ command: 'npm test', description: 'run the tests' })),
      { kind: 'command', command: 'npm test', description: 'run the tests' },
    ],
    [
      'an edit as a difference without numbers, because it names only a part of the file',
      readCall('Edit', json({ file_path: 'a.ts', old_string: 'one', new_string: 'two' })),
      {
        kind: 'change',
        path: 'a.ts',
        lines: [
          { kind: 'removed', number: null, text: 'one' },
          { kind: 'added', number: null, text: 'two' },
        ],
      },
    ],
    [
      'a new file with numbers',
      readCall('Write', json({ file_path: 'a.ts', content: 'one\n' })),
      { kind: 'change', path: 'a.ts', lines: [{ kind: 'added', number: 1, text: 'one' }] },
    ],
    [
      'several edits with a gap between them',
      readCall(
        'MultiEdit',
        json({
          file_path: 'a.ts',
          edits: [
            { old_string: 'a', new_string: '' },
            { old_string: '', new_string: 'b' },
          ],
        }),
      ),
      {
        kind: 'change',
        path: 'a.ts',
        lines: [
          { kind: 'removed', number: null, text: 'a' },
          { kind: 'gap', number: null, text: '' },
          { kind: 'added', number: null, text: 'b' },
        ],
      },
    ],
    ['an input that was cut', readCall('Edit', '{"file_p'), { kind: 'other', text: '{"file_p' }],
    [
      'any other input, readable',
      readCall('Task', json({ prompt: 'look' })),
      { kind: 'other', text: '{\n  "prompt": "look"\n}' },
    ],
  ] as const
  test.each(cases)('shows %s', (_, shown, expected) => {
    expect(shown).toEqual(expected)
  })
})

describe('a call in one line', () => {
  const cases = [
    ['Bash', json({ command: 'npm\n  test' }), 'Bash npm test'],
    ['Grep', json({ pattern: 'TODO' }), 'Grep TODO'],
    ['Odd', json({}), 'Odd'],
  ] as const
  test.each(cases)('%s with %s is %s', (tool, input, line) => {
    expect(callLine(tool, input)).toBe(line)
  })
})

test('a tool without a title of its own is named', () => {
  expect([callTitle('Bash'), callTitle('mcp__db__query')]).toEqual([
    'Run a command',
    'Use mcp__db__query',
  ])
})
