import { describe, expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import { printCall } from './print-call.ts'

/** What a person sees, line by line. */
function shown(tool: string, input: object | string, env = {}): readonly string[] {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const io = { stderr: { write, isTTY: true }, env: { NO_COLOR: '1', ...env } } as unknown as Io
  printCall(io, { tool, input: typeof input === 'string' ? input : JSON.stringify(input) })
  return out.split('\n').slice(0, -1)
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)

describe('U-1 a call on the terminal', () => {
  const cases: readonly (readonly [string, string, object | string, readonly string[]])[] = [
    [
      'a command, after what the agent says of it',
      'Bash',
      { command: 'npm test &&\nnpm run lint', description: 'Run the\ntests' },
      ['  the agent says: Run the ⏎ tests', '  $ npm test &&', '    npm run lint'],
    ],
    [
      'an edit as a difference',
      'Edit',
      { file_path: '/a.ts', old_string: 'one\ntwo\n', new_string: 'one\n2\n' },
      ['  change /a.ts (+1 -1)', '    one', '  - two', '  + 2'],
    ],
    [
      'a new file by its path and its beginning',
      'Write',
      { file_path: '/a.ts', content: lines(22).join('\n') },
      ['  write /a.ts (22 lines)', ...lines(20).map(line => `  + ${line}`), '  … 2 more lines'],
    ],
    [
      'any other input as lines',
      'mcp__db__query',
      { sql: 'select 1', options: { limit: 3, tags: ['a', 'b'] } },
      ['  sql: select 1', '  options.limit: 3', '  options.tags: a, b'],
    ],
    [
      'every option beside a command and a change',
      'Bash',
      { command: 'ls', dangerouslyDisableSandbox: true },
      ['  dangerouslyDisableSandbox: true', '  $ ls'],
    ],
    [
      'a long line whole, so that no end hides behind blanks',
      'Bash',
      { command: `ls${' '.repeat(1_500)}; rm -rf ~` },
      [`  $ ls${' '.repeat(996)}`, `  ${' '.repeat(504)}; rm -rf ~`],
    ],
    ['a call without input', 'ListThings', {}, ['  no input']],
    [
      'what was cut, and that it was cut',
      'Bash',
      '{"command":"echo one\\necho tw…',
      ['  $ echo one', '    echo tw…', '  … the rest of the call is too long to show'],
    ],
  ]
  test.each(cases)('%s', (_, tool, input, expected) => {
    expect(shown(tool, input)).toEqual(expected)
  })

  test('no input ever looks like JSON', () => {
    const inputs = [{ a: { b: [{ c: 1 }] } }, { command: 'ls' }, { list: [[1], ['x']] }]
    for (const input of inputs) expect(shown('Any', input).join('\n')).not.toMatch(/[{}[\]]/)
  })

  test('S10 control characters and lines of the agent cannot forge what the person sees', () => {
    const [first] = shown('Bash', { command: 'ls\u001b[2K\rpwd' })
    expect(first).toBe('  $ ls␛[2Kpwd')
    const [head] = shown('Write', { file_path: 'a\ny allow', content: 'x' })
    expect(head).toBe('  write a ⏎ y allow (1 line)')
  })

  test('colours tell added lines from removed ones', () => {
    const edit = { file_path: '/a.ts', old_string: 'one', new_string: 'two' }
    const coloured = shown('Edit', edit, { NO_COLOR: '' })
    expect(coloured[1]).toContain('\u001b[31m- one')
    expect(coloured[2]).toContain('\u001b[32m+ two')
  })
})
