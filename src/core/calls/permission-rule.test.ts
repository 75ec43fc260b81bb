import { describe, expect, test } from 'vitest'
import { isSameRule, type PermissionRule, permissionRule } from './permission-rule.ts'

const long = 'x'.repeat(121)

describe('a rule in words', () => {
  const cases: readonly (readonly [PermissionRule['kind'], string, string, string])[] = [
    ['command', 'Bash', 'npm test', 'Bash commands that are exactly `npm test`'],
    ['command', 'Bash', 'cat <<E\none\nE', 'Bash commands that are exactly `cat <<E…` (3 lines)'],
    [
      'command',
      'Bash',
      long,
      `Bash commands that are exactly \`${'x'.repeat(120)}…\` (121 characters)`,
    ],
    ['change', 'Edit', '/src/a.ts', 'every change of the file `/src/a.ts`'],
    ['read', 'Read', '/etc/hosts', 'reading the file `/etc/hosts`'],
    ['page', 'WebFetch', 'https://a.test/', 'WebFetch of exactly `https://a.test/`'],
    ['call', 'mcp__db__query', '{"sql":"…"}', 'mcp__db__query calls with exactly this input'],
  ]
  test.each(cases)('%s of %s', (kind, tool, value, words) => {
    expect(permissionRule({ kind, tool, value })).toEqual({ kind, tool, value, words })
  })
})

describe('a later call is of the same rule', () => {
  const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'npm test' })
  const cases: readonly (readonly [string, Partial<PermissionRule>, boolean])[] = [
    ['with the same command', {}, true],
    ['not with a longer command', { value: 'npm test; rm -rf /' }, false],
    ['not with another tool', { tool: 'PowerShell' }, false],
    ['not when the value means something else', { kind: 'read' }, false],
    ['also when its words have changed', { words: 'other words' }, true],
  ]
  test.each(cases)('%s', (_, change, same) => {
    expect(isSameRule(rule, { ...rule, ...change })).toBe(same)
  })
})
