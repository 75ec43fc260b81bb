import { expect, test } from 'vitest'
import { commandOf, fitsPlace, namesTool, parseRule } from './tool-rules.ts'

test.each([
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Bash(ls:*)', 'Bash', true],
  ['mcp__files', 'mcp__files__read', true],
  ['mcp__files__read', 'mcp__files__write', false],
  ['mcp__*__read', 'mcp__files__read', true],
])('E-5 %s is about calls of %s: %s', (text, name, expected) => {
  const rule = parseRule(text)
  expect(rule && namesTool(rule, name)).toBe(expected)
})

test.each([
  ['/etc/*', '{"file_path":"/etc/hosts"}', true],
  ['/etc/*', '{"file_path":"/tmp/x"}', false],
  ['/etc/*', '{"path":"/etc"}', false],
  ['/etc/*', '{"path":"/etc/ssh"}', true],
  ['/project/*', '{"notebook_path":"/project/a.ipynb"}', true],
  ['https://example.org/*', '{"url":"https://example.org/a"}', true],
  ['/etc/*', '{"file_path":"/etc/hosts","content":"cut o', true],
])('E-5 (%s) fits %s: %s', (scope, input, expected) => {
  expect(fitsPlace(scope, input)).toBe(expected)
})

test('E-5 only the command of the call itself counts, and only when all of it is there', () => {
  expect(commandOf('{"x":{"command":"ls"},"command":"helm list"}')).toBe('helm list')
  expect(commandOf('{"command":"helm upgrade xxxx…')).toBeNull()
  expect(commandOf('{"command":["ls"]}')).toBeNull()
})

test.each(['', 'Bash(', 'Bash()', '-x', 'a b', 'Bash(a)(b)', 'Bash(a\nb)'])(
  'E-5 %j is no rule',
  text => expect(parseRule(text)).toBeNull(),
)
