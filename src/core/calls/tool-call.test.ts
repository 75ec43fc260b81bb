import { describe, expect, test } from 'vitest'
import { callLine, callTitle, showCall } from './tool-call.ts'

const json = JSON.stringify

describe('a call as a person reads it', () => {
  const cases = [
    [
      'a command with its description',
      showCall('Bash', json({ command: 'npm test', description: 'run the tests' })),
      {
        kind: 'command',
        command: 'npm test',
        description: 'run the tests',
        rest: [],
        isCut: false,
      },
    ],
    [
      'a command with every option that changes what it does',
      showCall(
        'Bash',
        json({
          command: 'ls',
          timeout: 5,
          dangerouslyDisableSandbox: true,
          run_in_background: true,
        }),
      ),
      {
        kind: 'command',
        command: 'ls',
        description: null,
        rest: ['dangerouslyDisableSandbox: true', 'run_in_background: true'],
        isCut: false,
      },
    ],
    [
      'a command of another tool with all its other fields',
      showCall('mcp__hosts__run', json({ command: 'ls', host: 'prod', user: { name: 'root' } })),
      {
        kind: 'command',
        command: 'ls',
        description: null,
        rest: ['host: prod', 'user.name: root'],
        isCut: false,
      },
    ],
    [
      'an edit of every place, and says so',
      showCall(
        'Edit',
        json({ file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true }),
      ),
      {
        kind: 'change',
        path: 'a',
        lines: [
          { kind: 'removed', number: null, text: 'b' },
          { kind: 'added', number: null, text: 'c' },
        ],
        rest: ['replace_all: true'],
        isCut: false,
      },
    ],
    [
      'an edit as a difference without numbers, because it names only a part of the file',
      showCall('Edit', json({ file_path: 'a.ts', old_string: 'one', new_string: 'two' })),
      {
        kind: 'change',
        path: 'a.ts',
        lines: [
          { kind: 'removed', number: null, text: 'one' },
          { kind: 'added', number: null, text: 'two' },
        ],
        rest: [],
        isCut: false,
      },
    ],
    [
      'a new file with numbers',
      showCall('Write', json({ file_path: 'a.ts', content: 'one\n' })),
      {
        kind: 'write',
        path: 'a.ts',
        lines: [{ kind: 'added', number: 1, text: 'one' }],
        rest: [],
        isCut: false,
      },
    ],
    [
      'several edits with a gap between them',
      showCall(
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
        rest: [],
        isCut: false,
      },
    ],
    [
      'a command that was cut',
      showCall('Bash', '{"command":"npm te…'),
      { kind: 'command', command: 'npm te…', description: null, rest: [], isCut: true },
    ],
    [
      'a new file that was cut',
      showCall('Write', '{"file_path":"a.ts","content":"one'),
      {
        kind: 'write',
        path: 'a.ts',
        lines: [{ kind: 'added', number: 1, text: 'one' }],
        rest: [],
        isCut: true,
      },
    ],
    [
      'an input that is not an object',
      showCall('Edit', '{"file_p'),
      { kind: 'other', text: '{"file_p', rest: [], isCut: false },
    ],
    [
      'an edit that changes nothing, by its input',
      showCall('Edit', json({ file_path: 'a.ts', old_string: '', new_string: '' })),
      {
        kind: 'other',
        text: 'file_path: a.ts\nold_string: \nnew_string: ',
        rest: [],
        isCut: false,
      },
    ],
    [
      'a call without input',
      showCall('Any', '{}'),
      { kind: 'other', text: 'no input', rest: [], isCut: false },
    ],
    [
      'any other input, readable',
      showCall('Task', json({ prompt: 'look' })),
      { kind: 'other', text: 'prompt: look', rest: [], isCut: false },
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
