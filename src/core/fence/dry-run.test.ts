import { expect, test } from 'vitest'
import { allowsCommand } from './command-rules.ts'
import { dryRules } from './dry-run.ts'
import { literal } from './shell-line.ts'

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

test.each([
  ['date +%F', true],
  ['date 010100002030', false],
  ['hostname -f', true],
  ['hostname other', false],
])('E-13 what a dry run lets through of a tier with a shell: %j %s', (line, expected) => {
  const words = line.split(' ').map(literal)
  const command = { words, sets: [], writesTo: [], hasMoreWords: false }
  const scopes = [...dryRules(['Bash'], dry), ...dryRules(['Bash(date:*)'], dry)].map(
    rule => /\((.*)\)$/.exec(rule)?.[1] ?? '',
  )
  expect(scopes.some(scope => allowsCommand(scope, command))).toBe(expected)
})

test('E-13 E-1 in a dry run a rule for a whole shell becomes rules for commands that only read, or none where no call can be judged', () => {
  const rules = dryRules(['Bash'], dry)
  expect(rules).toContain('Bash(ls:*)')
  expect(rules.every(rule => /^Bash\([a-z -]+:\*\)$/.test(rule))).toBe(true)
  expect(dryRules(['Bash'], { ...dry, shells: [] })).toEqual([])
})
