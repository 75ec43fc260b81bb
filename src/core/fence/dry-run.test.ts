import { expect, test } from 'vitest'
import { dryRules } from './dry-run.ts'

const dry = { tools: ['Read', 'Task'], aliases: [['Task', 'Agent']], shells: ['Bash'] }

test.each([
  ['a tool that looks stays', 'Read', ['Read']],
  ['also under its other name', 'Agent', ['Agent']],
  ['also with what it is limited to', 'Read(/etc/*)', ['Read(/etc/*)']],
  ['a tool that writes goes', 'Write', []],
  ['a server goes', 'mcp__files', []],
  ['a pattern goes', '*', []],
  ['a pattern of tools goes', 'Re*', []],
  ['a command that looks stays', 'Bash(ls:*)', ['Bash(ls:*)']],
  ['a command that may write goes', 'Bash(git diff:*)', []],
  ['a command with a flag that writes goes', 'Bash(sort -o x:*)', []],
  ['a pattern of commands goes', 'Bash(ls*)', []],
])('E-13 E-1 in a dry run %s: %s', (_, rule, expected) => {
  expect(dryRules([rule], dry)).toEqual(expected)
})

test('E-13 E-1 in a dry run a rule for a whole shell becomes rules for commands that only read, or none where no call can be judged', () => {
  const rules = dryRules(['Bash'], dry)
  expect(rules).toContain('Bash(ls:*)')
  expect(rules.every(rule => /^Bash\([a-z -]+:\*\)$/.test(rule))).toBe(true)
  expect(dryRules(['Bash'], { ...dry, shells: [] })).toEqual([])
})
