import { expect, test } from 'vitest'
import { allowsCommand, deniesCommand, leavesNothing, onlyLooks } from './command-rules.ts'
import { isReadOnly, readOnlyRules } from './read-only-commands.ts'
import { commandWords, programOf, type ShellCommand, type ShellWord } from './shell-line.ts'

/** `$` stands for text that is known only when the command runs. */
const word = (text: string): ShellWord =>
  text.includes('$')
    ? { text: null, begins: text.slice(0, text.indexOf('$')) }
    : { text, begins: text }
const command = (line: string, more: Partial<ShellCommand> = {}): ShellCommand => ({
  words: line === '' ? [] : line.split(' ').map(word),
  sets: [],
  writesTo: [],
  hasMoreWords: false,
  ...more,
})

test.each([
  ['docker restart:*', 'docker restart db', true],
  ['docker restart *', 'docker restart', true],
  ['docker  restart:*', 'docker restart db', true],
  [' docker restart:*', 'docker restart db', true],
  ['docker restart:*', 'docker --context x restart db', true],
  ['docker restart:*', 'docker --context=x restart db', true],
  ['docker restart:*', 'docker --context=x y restart db', false],
  ['docker restart:*', 'docker -H x y restart db', false],
  ['docker restart:*', 'docker stop db', false],
  ['docker restart:*', 'docker', false],
  ['docker restart:*', '/usr/bin/docker restart db', true],
  ['/usr/bin/docker restart:*', 'docker restart db', true],
  ['docker restart:*', 'podman restart db', false],
  ['docker restart:*', 'docker re$x db', true],
  ['docker restart:*', 'docker st$x db', false],
  ['docker restart:*', 'docker -H $x', false],
  ['docker restart:*', 'docker -x $y restart', true],
  ['docker compose restart:*', 'docker -x y compose -z w restart', true],
  ['docker compose restart:*', 'docker compose stop restart', false],
  ['docker compose restart:*', 'docker compose x$x restart', false],
  ['docker:*', 'docker', true],
  [':*', 'ls', true],
  ['*', 'ls -l', true],
  ['rm -rf /', 'rm -rf /', true],
  ['rm -rf /', '/bin/rm -rf /', true],
  ['rm -rf /', 'rm -rf /x', false],
  ['git*push*', 'git -C x push y', true],
  ['git*push*', 'git pull', false],
  ['git*push', 'git $x', true],
  ['git push*x*', 'git pu$x', true],
  ['git push*x*', 'git pull $x', false],
  ['rm*-f*', 'ls $x', false],
  ['rm*', '$x -f', false],
  ['rm', '', false],
])('E-5 the rule (%s) forbids %j: %s', (scope, line, expected) => {
  expect(deniesCommand(scope, command(line))).toBe(expected)
})

test('E-5 a rule forbids a command whose last words come from its input', () => {
  const fed = command('docker', { hasMoreWords: true })
  expect(deniesCommand('docker restart:*', fed)).toBe(true)
  expect(deniesCommand('helm:*', fed)).toBe(false)
})

test.each([
  ['docker restart:*', 'docker restart db', true],
  ['docker restart:*', 'docker restart', true],
  ['docker restart:*', 'docker --context x restart db', false],
  ['docker restart:*', '/usr/bin/docker restart db', false],
  ['docker restart:*', 'docker', false],
  ['docker restart:*', 'docker $x', false],
  ['npm run build', 'npm run build', true],
  ['npm run build', 'npm run build x', false],
  ['npm run *:check', 'npm run web:check', true],
  ['npm run *:check', 'npm run $x', false],
  ['npm run *:check', 'npm test', false],
  ['sort:*', 'sort -o x y', false],
  ['sort -o x:*', 'sort -o x y', true],
  ['sort*y', 'sort -o x y', false],
  ['sort -o*y', 'sort -o x y', false],
  ['sort -o x y', 'sort -o x y', true],
  ['sort*y', 'sort -r y', true],
  ['date:*', 'date -u +%F', true],
  ['date:*', 'date 1231', false],
  ['date*', 'date 1231', false],
  ['date 1231', 'date 1231', true],
  ['date 12*', 'date 1231', false],
  ['hostname:*', 'hostname -f', true],
  ['hostname:*', 'hostname new', false],
  ['hostname new:*', 'hostname new', true],
  ['hostname *', 'hostname $x', false],
])('E-5 the rule (%s) allows %j: %s', (scope, line, expected) => {
  expect(allowsCommand(scope, command(line))).toBe(expected)
})

test.each<[string, Partial<ShellCommand>, boolean]>([
  ['writes nowhere', {}, true],
  ['writes into /dev/null', { writesTo: [word('/dev/null')] }, true],
  ['writes into a file', { writesTo: [word('/dev/null'), word('x')] }, false],
  ['writes into a file that is not known', { writesTo: [word('$x')] }, false],
  ['sets a variable of its own', { sets: ['a', 'x_1', '_y'] }, true],
  ['sets a variable that programs read', { sets: ['a', 'PATH'] }, false],
  ['sets a variable with a capital', { sets: ['xPATH'] }, false],
  ['sets an element of one', { sets: ['x[1]'] }, false],
  ['sets one that begins with a digit', { sets: ['1x'] }, false],
])('E-5 a command that %s leaves nothing behind: %s', (_, more, expected) => {
  expect(leavesNothing(command('ls', more))).toBe(expected)
  expect(onlyLooks(command('ls', more))).toBe(expected)
  expect(allowsCommand('ls:*', command('ls', more))).toBe(expected)
})

test.each([
  ['', true],
  ['ls -l', true],
  ['docker ps', true],
  ['docker', false],
  ['docker rm x', false],
  ['systemctl is-active x', true],
  ['systemctl -H host status', false],
  ['make', false],
  [': x', true],
  ['exit 1', true],
  ['date', true],
  ['date +%F', true],
  ['date -u +%F', true],
  ['date 1231', false],
  ['date -d yesterday +%F', true],
  ['date -ud yesterday', true],
  ['date -d yesterday 1231', false],
  ['date -d $x', false],
  ['date -s 1231', false],
  ['date --set=x', false],
  ['date x+', false],
  ['date $x', false],
  ['date +$x', false],
  ['hostname', true],
  ['hostname -f', true],
  ['hostname new', false],
  ['hostname +x', false],
  ['sort -r x', true],
  ['sort -ro x', false],
  ['sort --output x', false],
  ['sort --out x', false],
  ['sort --o x', false],
  ['sort --outputs x', false],
  ['sort --x--output', true],
  ['sort -- x', true],
  ['sort $x', false],
  ['sort -$x', false],
  ['sort --$x', false],
  ['sort x$x', true],
  ['sort x-o', true],
  ['sort --reverse-o', true],
  ['printf -v x y', false],
  ['printf x-v', true],
])('E-5 E-13 %j only reads: %s', (line, expected) => {
  expect(onlyLooks(command(line))).toBe(expected)
})

test('E-5 a long flag of one dash counts only as a whole', () => {
  const found = (line: string) => allowsCommand('find:*', command(line))
  expect(['find . -delete', 'find . -exec x'].map(found)).toEqual([false, false])
  expect(['find . -d', 'find . -name exec'].map(found)).toEqual([true, true])
})

test('E-5 a reading command does not only read when its last words come from its input', () => {
  expect(isReadOnly(command('sort', { hasMoreWords: true }))).toBe(false)
  expect(isReadOnly(command('ls', { hasMoreWords: true }))).toBe(true)
})

test('E-13 the rules of the reading commands name a program each, and none of the shell itself', () => {
  const rules = readOnlyRules('Bash')
  expect(rules.slice(0, 2)).toEqual(['Bash(basename:*)', 'Bash(cat:*)'])
  expect(rules).toContain('Bash(docker ps:*)')
  expect(rules).toContain('Bash(date:*)')
  expect(rules).not.toContain('Bash(exit:*)')
})

test('E-5 a command in words is shown as far as it is known, in at most 80 characters', () => {
  expect(commandWords(command('sudo rm a$x'))).toBe('sudo rm a…')
  expect(commandWords(command('x'.repeat(80)))).toBe('x'.repeat(80))
  expect(commandWords(command('x'.repeat(81)))).toBe(`${'x'.repeat(79)}…`)
  expect(programOf(command('/usr/bin/env x'))).toBe('env')
  expect(programOf(command('$x'))).toBeNull()
  expect(programOf(command(''))).toBeNull()
})
