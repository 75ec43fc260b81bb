import { expect, test } from 'vitest'
import { sameWholeTools } from './same-tools.ts'

test.each([
  [[], [], true],
  [['Bash'], ['Bash'], true],
  [['Bash'], [], false],
  [['Bash', 'Write'], ['Write', 'Bash'], true],
  [['Bash', 'Write'], ['BashWrite'], false],
  [['Bash(rm:*)'], [], true],
  [['Bash(rm:*)', 'Write'], ['Write', 'Bash(cp:*)'], true],
])('M-4 runs without %j and without %j read the same list of tools: %s', (one, other, same) => {
  expect(sameWholeTools(one, other)).toBe(same)
})
