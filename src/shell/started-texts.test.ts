// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// E-5: lines whose command is in an option, in the input of xargs, or in a text that a builtin of bash runs.
import { expect, test } from 'vitest'
import { fenceOf, outsideOf } from '../core/fence/fence.ts'
import { readShell } from './read-shell.ts'

const facts = { harmless: [], aliases: [], shells: ['Bash'], readShell }
const judged = (rules: { allow: string; deny: readonly string[] }, command: string) =>
  outsideOf(fenceOf({ allowedTools: [rules.allow], disallowedTools: rules.deny }, facts), {
    name: 'Bash',
    input: JSON.stringify({ command }),
  })

test.each([
  "bash -c -o errexit 'touch F'",
  "bash -c +O extglob 'touch F'",
  "bash -oc errexit 'touch F'",
  "bash -euo pipefail -c 'touch F'",
  "bash -norc -c 'touch F'",
  'eval -- touch F',
  'find . "$X" touch F \';\'',
])('E-5 a tier that forbids Bash(touch:*) is left by %j', command => {
  expect(judged({ allow: 'Bash', deny: ['Bash(touch:*)'] }, command)).not.toBeNull()
})

test.each([
  "mapfile -tC 'touch' -c 1 a < f",
  "compgen -W '$(touch F)'",
  'hash -rp /usr/bin/touch x; x F',
  'jobs -x touch F',
  'bash --rcfile <(echo touch F) -ic :',
  'bash -rcfile f -i',
  "bash -$X 'touch F'",
  "bash -noprofile -c 'touch F'",
  'bash -norc -s < f',
  "fish -C 'touch F' f",
  'echo touch F | xargs env',
  'echo touch F | xargs timeout 5',
  'cat f | xargs sh -c',
  'echo . -exec touch F | xargs find',
  "printf -v PS4 '$(touch F)'; set -x; true",
  "printf -vPS4 '$(touch F)'; set -x; true",
  'read -r PS4 < f; set -x; true',
  "mapfile -t PS4 <<< '$(touch F)'; set -x; true",
  "unset X; : ${PS4:='$(touch F)'}; set -x; true",
  "find . $X touch F ';'",
  'find . {-exec,touch} F \\;',
  '. //dev/stdin < f',
  'cd /dev; . ./stdin < f',
  'bash ../../dev/fd/0 < f',
])('E-5 nobody can judge %j, so a tier with rules about commands refuses it', command => {
  const found = judged({ allow: 'Bash', deny: ['Bash(helm:*)'] }, command)
  expect(found).toMatchObject({ why: 'unreadable' })
  expect(judged({ allow: 'Bash(ls:*)', deny: [] }, command)).not.toBeNull()
})

test.each([
  'bash -eu -o pipefail ./dev/check.sh "$x"; bash -c \'echo "$1"\' _ "touch ("',
  'find {src,test} -name *.ts',
  'find "$dir" -name "*.log" -mtime "$n" -exec grep -l touch {} +',
  'ls | xargs -n 5 grep -l x; ls | xargs; jobs -l; mapfile -t lines < f',
])('E-5 a tier that forbids Bash(touch:*) lets %j through', command => {
  expect(judged({ allow: 'Bash', deny: ['Bash(touch:*)'] }, command)).toBeNull()
})
