import { describe, expect, test } from 'vitest'
import { isSameRule } from '../../core/calls/permission-rule.ts'
import { ruleFor } from './permission-rules.ts'

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>]

describe('T-7 "allow for this run" covers', () => {
  const cases: readonly (readonly [string, Call, string | undefined])[] = [
    [
      'a command',
      ['Bash', { command: 'npm test', description: 'Run the tests', timeout: 1_000 }],
      'Bash commands that are exactly `npm test`',
    ],
    [
      'a command with an option, by its whole input',
      ['Bash', { command: 'npm test', dangerouslyDisableSandbox: true }],
      'Bash calls with exactly this input',
    ],
    [
      'an edit',
      ['Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b' }],
      'every change of the file `/a.ts`',
    ],
    [
      'a new file',
      ['Write', { file_path: '/a.ts', content: 'a' }],
      'every change of the file `/a.ts`',
    ],
    [
      'a notebook',
      ['NotebookEdit', { notebook_path: '/a.ipynb', new_source: '' }],
      'every change of the file `/a.ipynb`',
    ],
    ['a file to read', ['Read', { file_path: '/a.ts', limit: 3 }], 'reading the file `/a.ts`'],
    [
      'a page',
      ['WebFetch', { url: 'https://a.test/', prompt: 'look' }],
      'WebFetch of exactly `https://a.test/`',
    ],
    [
      'any other tool, by its input',
      ['mcp__db__query', { sql: 'select 1' }],
      'mcp__db__query calls with exactly this input',
    ],
    ['an edit without a file, by its input', ['Edit', {}], 'Edit calls with exactly this input'],
    ['not a plan', ['ExitPlanMode', { plan: 'do it' }], undefined],
    ['not a question', ['AskUserQuestion', {}], undefined],
  ]
  test.each(cases)('%s', (_, [tool, input], words) => {
    expect(ruleFor(tool, input)?.words).toBe(words)
  })

  test('nothing of a call whose input is not known', () => {
    expect(ruleFor('Bash', null)).toBeNull()
  })
})

describe('T-7 after a call was allowed for the run, a later one', () => {
  const npm: Call = ['Bash', { command: 'npm test', description: 'Run the tests' }]
  const edit: Call = ['Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b' }]
  const query: Call = ['mcp__db__query', { sql: 'select 1' }]
  const cases: readonly (readonly [string, Call, Call, boolean])[] = [
    ['may be described otherwise', npm, ['Bash', { command: 'npm test', timeout: 5 }], true],
    ['may not be a longer command', npm, ['Bash', { command: 'npm test -- --watch' }], false],
    ['may not be followed by another', npm, ['Bash', { command: 'npm test; curl a' }], false],
    [
      'may not leave the sandbox',
      npm,
      ['Bash', { command: 'npm test', dangerouslyDisableSandbox: true }],
      false,
    ],
    ['may not use another tool', npm, ['Monitor', { command: 'npm test' }], false],
    ['may change the same file', edit, ['Write', { file_path: '/a.ts', content: '' }], true],
    ['may not change another file', edit, ['Write', { file_path: '/b.ts', content: '' }], false],
    ['may not name the file by another path', edit, ['Edit', { file_path: '/x/../a.ts' }], false],
    ['may have the same input', query, ['mcp__db__query', { sql: 'select 1' }], true],
    ['may not have another input', query, ['mcp__db__query', { sql: 'drop table a' }], false],
  ]
  test.each(cases)('%s', (_, first, later, may) => {
    const [rule, other] = [ruleFor(...first), ruleFor(...later)]
    expect(rule && other && isSameRule(rule, other)).toBe(may)
  })
})
