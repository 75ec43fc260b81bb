import { expect, test } from 'vitest'
import { parseSince, splitTools } from './flags.ts'

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

test('--since takes a date, or a time before now', () => {
  expect(parseSince('2026-01-31')).toBe(Date.UTC(2026, 0, 31))
  expect(Math.abs(Date.now() - 7_200_000 - parseSince('2h'))).toBeLessThan(60_000)
  for (const wrong of ['soon', '2026-99-99', '-1h']) expect(() => parseSince(wrong)).toThrow()
})
