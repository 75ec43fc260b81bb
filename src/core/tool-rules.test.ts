import { expect, test } from 'vitest'
import { matches, parseRule } from './tool-rules.ts'

const bash = (command: string) => ({ name: 'Bash', input: JSON.stringify({ command }) })

test.each([
  ['Bash', bash('ls'), true],
  ['Bash', { name: 'BashOutput', input: '{}' }, false],
  ['Bash(docker restart:*)', bash('docker restart web'), true],
  ['Bash(docker restart:*)', bash('docker restart'), true],
  ['Bash(docker restart:*)', bash('docker restarted'), false],
  ['Bash(docker restart:*)', bash('docker ps'), false],
  ['Bash(docker restart:*)', bash('docker ps && docker restart web'), true],
  ['Bash(docker restart:*)', bash('cd /srv; sudo docker  restart web'), true],
  ['Bash(docker restart:*)', bash('A=1 docker restart web'), true],
  ['Bash(docker restart:*)', bash('echo $(docker restart web)'), true],
  ['Bash(docker restart:*)', bash('true\ndocker restart web'), true],
  ['Bash(docker restart:*)', bash("echo 'docker restart web; docker restart x'"), false],
  ['Bash(docker restart:*)', bash('echo "a && docker restart web"'), false],
  ['Bash(git status)', bash('git status'), true],
  ['Bash(git status)', bash('git status -s'), false],
  ['Bash(git log *)', bash('git log -1'), true],
  ['Write(/etc/*)', { name: 'Write', input: '{"file_path":"/etc/hosts"}' }, true],
  ['Write(/etc/*)', { name: 'Write', input: '{"file_path":"/tmp/x"}' }, false],
  ['mcp__files', { name: 'mcp__files__read', input: '{}' }, true],
  ['mcp__files__read', { name: 'mcp__files__write', input: '{}' }, false],
])('E-5 %s against %j: %s', (text, call, expected) => {
  const rule = parseRule(text)
  expect(rule && matches(rule, call)).toBe(expected)
})

test('E-5 a call whose input was cut off is still known by its beginning', () => {
  const rule = parseRule('Bash(helm:*)')
  const input = `${JSON.stringify({ command: `helm upgrade ${'x'.repeat(99)}` }).slice(0, 60)}…`
  expect(rule && matches(rule, { name: 'Bash', input })).toBe(true)
})

test.each(['', 'Bash(', 'Bash()', '-x', 'a b', 'Bash(a)(b)', 'Bash(a\nb)'])(
  'E-5 %j is no rule',
  text => expect(parseRule(text)).toBeNull(),
)
