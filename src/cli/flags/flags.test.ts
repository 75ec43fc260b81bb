import { expect, test } from 'vitest'
import { splitTools } from './flags.ts'

test.each([
  ['Read,Bash', ['Read', 'Bash']],
  [' Read , , Bash ', ['Read', 'Bash']],
  ['Bash(git add:*, git commit:*),Read', ['Bash(git add:*, git commit:*)', 'Read']],
  ['', []],
  ['Read,Bash(ls', ['Read', 'Bash(ls']],
  ['Bash(', ['Bash(']],
])('the tools %j are %j', (list, tools) => {
  expect(splitTools(list)).toEqual(tools)
})
