import { describe, expect, test } from 'vitest'
import { permissionRule } from './permission-rule.ts'
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

describe('U-4 characters that would hide or reorder a call stand there by name', () => {
  // A browser shows the first command as `touch safe # ;rm -rf .txt`.
  const cases = [
    ['a command', 'Bash', { command: 'touch safe # \u202etxt. fr- mr;' }],
    ['its description', 'Bash', { command: 'make', description: 'a\u2066b' }],
    ['another option of it', 'Bash', { command: 'make', cwd: '/a\u200bb' }],
    ['the path of a change', 'Edit', { file_path: '/a\u202eb', old_string: 'a', new_string: 'b' }],
    ['a line of a file', 'Write', { file_path: '/a', content: 'one\n\u202etwo\u001b[2K' }],
    ['any other input', 'Task', { prompt: 'look\u{e0041}' }],
  ] as const
  test.each(cases)('%s', (_, tool, input) => {
    const shown = JSON.stringify(showCall(tool, json(input)))
    expect(shown).toMatch(/<U\+(?:202E|2066|200B|E0041)>/)
    expect(shown).not.toMatch(/[\u200b\u202e\u2066\u{e0041}]|\\u001b/u)
  })

  test('what a person would allow for the run, too; the rule itself stays', () => {
    const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'a\u202eb' })
    expect(rule.value).toBe('a\u202eb')
    expect(rule.words).toBe('Bash commands that are exactly `a<U+202E>b`')
  })
})
