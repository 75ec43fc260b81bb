// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines for a shell
// E-5 C4: rules about commands against shell lines that try to get around them, read by the real grammar.
import { expect, test } from 'vitest'
import { fenceOf, outsideOf } from '../core/fence.ts'
import { readShell } from './read-shell.ts'

const facts = { harmless: [], aliases: [], shells: ['Bash'], readShell }
const bash = (command: string) => ({ name: 'Bash', input: JSON.stringify({ command }) })
const judged = (rules: { allow?: readonly string[]; deny?: readonly string[] }, command: string) =>
  outsideOf(
    fenceOf({ allowedTools: rules.allow ?? ['Bash'], disallowedTools: rules.deny ?? [] }, facts),
    bash(command),
  )

/** Each of them runs `touch`, or may. */
const TOUCHING: readonly string[] = [
  'touch F',
  'touch\tF',
  '/usr/bin/touch F',
  './touch F',
  '>/dev/null touch F',
  '2>&1 touch F',
  '{fd}>X touch F',
  'A=1 B=2 touch F',
  'echo "$(touch F)"',
  'echo `touch F`',
  'echo `echo \\`touch F\\``',
  'echo ${X:-$(touch F)}',
  'echo "${X[$(touch F)]}"',
  'echo $((1+$(touch F)))',
  'echo ${ touch F; }',
  'X=$(touch F)',
  'A=(1 $(touch F))',
  'a[$(touch F)]=1',
  'export X=$(touch F)',
  '[[ -n $(touch F) ]]',
  '((x=$(touch F)))',
  'for ((i=$(touch F);i<1;i++)); do :; done',
  'cat <(touch F)',
  'cat <<< $(touch F)',
  'cat <<EOF\n$(touch F)\nEOF',
  "cat <<'EOF'\nx\nEOF\ntouch F",
  'echo a > $(touch F)',
  '(touch F)',
  '{ touch F; }',
  'f() { touch F; }; f',
  'function f { touch F; }; f',
  'true && touch F || true',
  'true; touch F',
  'true | touch F',
  'true & touch F',
  'true\ntouch F',
  '! touch F',
  'time touch F',
  'coproc touch F',
  'if touch F; then :; fi',
  'case x in x) touch F;; esac',
  'for i in 1; do touch F; done',
  'while touch F; do break; done',
  "t'o'uch F",
  '"touch" F',
  "$'\\x74ouch' F",
  '\\touch F',
  'to\\\nuch F',
  'env touch F',
  'env - touch F',
  'env -- A=1 touch F',
  'setpriv --reuid 0 touch F',
  '/usr/bin/time -o x touch F',
  'nsenter -t 1 -m touch F',
  'env -i -u X A=1 touch F',
  "env -S 'touch F'",
  'command touch F',
  'builtin command touch F',
  'exec -a x touch F',
  'nice -n 5 touch F',
  'timeout -k 1 5 touch F',
  'timeout --signal=KILL 5 touch F',
  'nohup setsid touch F',
  'sudo -u root -- touch F',
  'sudo -n env touch F',
  'stdbuf -oL touch F',
  'flock /tmp/x touch F',
  'busybox touch F',
  'echo F | xargs touch',
  'echo F | xargs -n 1 -I{} touch {}',
  'find . -name x -exec touch F \\;',
  'find . -exec sh -c "touch F" \\;',
  "bash -c 'touch F'",
  "bash -lc 'touch F'",
  'sh -c "sh -c \'touch F\'"',
  "eval 'touch F'",
  'eval touch F',
  "trap 'touch F' EXIT",
  "su -c 'touch F'",
  "watch -n1 'touch F'",
  'watch -n 1 touch F',
  'trap -- "touch F" EXIT',
  'flock x -c "touch F"',
  'flock -n x --command "touch F"',
  'runuser u -c "touch F"',
  'runuser -u u -- touch F',
  'setarch x86_64 touch F',
  'setarch -R touch F',
  'linux32 touch F',
  'chroot --userspec a:b / touch F',
  'chroot --users a:b / touch F',
  'timeout --sig KILL 5 touch F',
  'setpriv --reuid 0 --regid 0 touch F',
  'fish -c "touch F"',
  'mksh -c "touch F"',
  'fish -c "echo (touch F)"',
]

test.each(TOUCHING)('C4 a tier that forbids Bash(touch:*) is left by %j', command => {
  expect(judged({ deny: ['Bash(touch:*)'] }, command)).not.toBeNull()
})

/** What each of them starts is known only when it runs, or not at all. */
const HIDING: readonly string[] = [
  '{touch,FILE}',
  '$X F',
  '${X}touch F',
  '$(echo touch) F',
  'to* F',
  '/usr/bin/tou?h F',
  '@(touch) F',
  'env $X F',
  'sudo $X',
  'sudo -s',
  'xargs -I{} {} F',
  'bash -c "$X"',
  'echo touch F | sh',
  'echo touch F | bash -s x',
  'bash /dev/stdin < x',
  'su -ctouch',
  'bash',
  "bash <<'X'\ntouch F\nX",
  'eval "$X"',
  '. <(echo touch F)',
  'source "$X"',
  'alias x=touch\nx F',
  'hash -p /usr/bin/touch x; x F',
  "PS4='$(touch F)'; set -x; true",
  'BASH_ENV=./x bash y',
  'LD_PRELOAD=./x.so ls',
  'env LD_PRELOAD=./x.so ls',
  "[ -v 'a[$(touch F)]' ]",
  "[[ 'a[$(touch F)]' -eq 1 ]]",
  "x='a[$(touch F)]'; ((x))",
  "compgen -C 'touch F'",
  "mapfile -C 'touch' -c 1 a < f",
  'parallel ::: touch',
  "echo 'open",
  'if true; then',
  'echo "$(touch F"',
  'ls )',
  'x'.repeat(20_000),
  'echo '.concat('{a,'.repeat(2_000)),
]

test.each(HIDING)(
  'C4 nobody can judge %j, so a tier with rules about commands refuses it',
  command => {
    expect(judged({ deny: ['Bash(helm:*)'] }, command)).toMatchObject({ why: 'unreadable' })
    expect(judged({ allow: ['Bash(ls:*)'] }, command)).not.toBeNull()
  },
)

test.each([
  'echo touch F',
  "echo 'touch F; $(touch F)'",
  'echo "a && touch F"',
  'echo hi \\; touch F',
  "cat <<'EOF'\n$(touch F)\nEOF",
  'ls # touch F',
  'grep -r touch .',
  'command -v touch',
  'timeout --foreground 5 grep touch f',
  'trap - EXIT',
  'docker ps --format "{{.Names}}" | grep web',
  'for f in *.log; do tail -5 "$f"; done',
  "awk '{ print $1 }' f | sort | uniq -c",
  'git commit -m "touch up"',
  'constructor --toString; __proto__ x',
  'cd src && npm test 2>&1 | tail -20',
  'if [ -f x ]; then cat x; fi',
  'X=1; echo $X ${X:-2} $((X+1))',
])('C4 a tier that forbids Bash(touch:*) lets %j through', command => {
  expect(judged({ deny: ['Bash(touch:*)'] }, command)).toBeNull()
})

test.each([
  ['docker restart:*', 'docker restart web', true],
  ['docker restart:*', 'docker restart', true],
  ['docker restart:*', 'docker -H tcp://x restart web', true],
  ['docker restart:*', 'docker --context=x restart web', true],
  ['docker restart:*', 'docker $VERB web', true],
  ['docker restart:*', 'docker {restart,web}', true],
  ['docker restart:*', 'echo restart web | xargs docker', true],
  ['docker restart:*', 'docker restarted', false],
  ['docker restart:*', 'docker logs restart', false],
  ['docker restart:*', 'docker logs $ID', false],
  ['docker restart *', 'docker restart web', true],
  ['kubectl delete:*', 'kubectl -n "$NS" get pods', false],
  ['kubectl delete:*', 'kubectl -n prod delete pod x', true],
  ['git push:*', 'git -C /x push', true],
  ['git status', '/usr/bin/git status', true],
  ['git status', 'git status -s', false],
  ['git log*', 'git log -1', true],
  ['rm -rf /:*', 'rm -rf /', true],
  ['rm -rf /:*', 'rm -rf ./build', false],
])('E-5 a deny rule (%s) is about %j: %s', (scope, command, expected) => {
  expect(judged({ deny: [`Bash(${scope})`] }, command) !== null).toBe(expected)
})

test.each([
  ['git diff:*', 'git diff HEAD~1', true],
  ['git diff:*', 'git diff HEAD~1 | head -5', true],
  ['git diff:*', 'cd src && git diff 2>/dev/null', true],
  ['git diff:*', 'timeout 5 git diff', true],
  ['git diff:*', 'git diff --output=F', false],
  ['git diff:*', 'git diff --outp=F', false],
  ['git diff:*', 'git diff --output F', false],
  ['git diff:*', 'git diff $X', false],
  ['git diff:*', 'git diff --ext-diff', false],
  ['git diff:*', 'git diff > F', false],
  ['git diff:*', 'git diff >> F', false],
  ['git diff:*', 'git diff | tee F', false],
  ['git diff:*', '{ git diff; } > F', false],
  ['git diff:*', 'GIT_EXTERNAL_DIFF=./x git diff', false],
  ['git diff:*', 'PATH=.; git diff', false],
  ['git diff:*', 'for PATH in .; do git diff; done', false],
  ['git diff:*', './git diff', false],
  ['git diff:*', 'git -c core.pager=x diff', false],
  ['git diff:*', 'git push', false],
  ['git diff:*', 'git diff; git push', false],
  ['git diff:*', 'git diff $(git push)', false],
  ['git diff:*', 'echo $(touch F)', false],
  ['git diff:*', 'xargs git diff', false],
  ['find:*', 'find . -name x', true],
  ['find:*', 'find . -delete', false],
  ['find:*', 'find . -exec rm {} +', false],
  ['sort:*', 'sort -ro F F', false],
  ['ls:*', 'ls && echo done', true],
  ['ls:*', 'ls | sort -o F', false],
  ['ls:*', 'ls | sort --o=F', false],
  ['ls:*', 'ls | sort --o F', false],
  ['sort:*', 'sort --o=F f', false],
  ['sort:*', 'sort -- f', true],
  ['ls:*', 'date -s 12:00', false],
  ['ls:*', 'date --s=12:00', false],
  ['ls:*', 'printf -v PATH x', false],
  ['npm run *', 'npm run build', true],
  ['git log*', 'git log -1', true],
  ['git log*', 'git log --output=F', false],
  ['constructor:*', 'constructor x', true],
  ['stdbuf:*', 'stdbuf -oL ls', true],
  ['ls:*', 'stdbuf -oL grep x', true],
  ['npm run *', 'npm install x', false],
])('C4 an allow rule (%s) lets %j through: %s', (scope, command, expected) => {
  expect(judged({ allow: [`Bash(${scope})`] }, command) === null).toBe(expected)
})

/** Each shape is repeated; the time may not grow faster than its length. */
const GROWING: readonly (readonly [string, string])[] = [
  ['commands', 'a;'],
  ['substitutions', '$('],
  ['braces', '{a,'],
  ['groups', '{ '],
  ['backticks', '`a` '],
  ['here-documents', '<<A '],
  ['quotes', '"a" '],
  ['spaces', ' '],
  ['wrappers', 'nice '],
  ['options of wrappers', 'sudo -x y '],
  ['scripts', 'eval '],
  ['finds', 'find -exec '],
  ['arithmetic', '$((1+'],
  ['globs', 'a*a'],
  ['flags', '--o '],
  ['backslashes', '\\'],
]

test.each(GROWING)('C4 D1 the time to judge %s grows no faster than the line', (_, piece) => {
  const tier = fenceOf(
    {
      allowedTools: ['Bash(git diff:*)', 'Bash(a*a*a*b)'],
      disallowedTools: ['Bash(x*y*z*w)', 'Bash(rm -rf:*)'],
    },
    facts,
  )
  const timed = (chars: number) => {
    const line = `git diff ${piece.repeat(Math.ceil(chars / piece.length))}`
    const runs = Array.from({ length: 3 }, () => {
      // Of this thread alone: other programs on the machine do not count.
      const before = process.threadCpuUsage()
      outsideOf(tier, bash(line))
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
    return Math.min(...runs)
  }
  timed(1_000)
  // Eight times as long may take eight times as long, and as much again; under 100 ms nobody waits.
  expect(timed(15_900)).toBeLessThan(Math.max(100, 16 * timed(1_987)))
})
