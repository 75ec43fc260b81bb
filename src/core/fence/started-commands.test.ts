// Which commands a command starts. A line of a table is a command, `→`, and what it starts: commands with `|` between them, a reason in
// brackets when nobody can know, or `-` for nothing. `$` stands for text that is known only when the line runs, `+` for words from the input.
import { expect, test } from 'vitest'
import { commandWords, type ReadShell, type ShellCommand, type ShellWord } from './shell-line.ts'
import { isTransparent, startedBy } from './started-commands.ts'

const TABLES = {
  'words that bash itself reads': `
eval → 
eval rm x → rm x
eval -- rm x → rm x
eval $x → (a script in it is known only when it runs)
eval 'a ?' → (it is a riddle)
watch -n 5 rm x → rm x
watch -n5 rm x → rm x
watch --interval 5 rm x → rm x
watch -d rm x → rm x
trap → -
trap 'rm x' EXIT → rm x
trap - EXIT → -
trap -p EXIT → -
trap -- 'rm x' EXIT → rm x
trap -- -p EXIT → -p
trap -- - EXIT → -
su → (it starts a shell)
su -c 'rm x' bob → rm x
su bob -c 'rm x' → rm x
su -crm → (it starts a shell)
su -c → (it starts a shell)
su -c $x → (a script in it is known only when it runs)
script -c 'rm x' out → rm x
script out → (it starts a shell)
alias → -
alias ll → -
alias ll=ls → (it renames a command)
alias $x → (it renames a command)
alias a ll=ls → (it renames a command)
hash -r → -
hash -p /bin/rm x → (it renames a command)
hash -rp /bin/rm x → (it renames a command)
hash $x → (it renames a command)
hash -$x → (it renames a command)
hash -r$x → (it renames a command)
hash a$x → -
hash x-p → -
enable -n test → -
enable -f lib x → (it loads a command)
jobs -l → -
jobs -x rm → (it starts a command)
compgen -A file → -
compgen -C rm → (it runs a text)
compgen -W x → (it runs a text)
complete -C rm x → (it runs a text)
complete -W x y → (it runs a text)
complete -A file → -
mapfile -t a → -
mapfile -C rm a → (it runs a callback)
mapfile -tC rm a → (it runs a callback)
readarray -C rm a → (it runs a callback)
readarray a → -
parallel rm → (it makes its commands from its input)
`,
  'files that a shell runs': `
source → -
source lib.sh → -
source $x → (the file that it runs is known only when it runs)
source /dev/stdin → (the file that it runs is known only when it runs)
source /proc/self/fd/0 → (the file that it runs is known only when it runs)
source ../dev/stdin → (the file that it runs is known only when it runs)
source ../../proc/x → (the file that it runs is known only when it runs)
source ./stdin → (the file that it runs is known only when it runs)
source .//./stdin → (the file that it runs is known only when it runs)
source fd/3 → (the file that it runs is known only when it runs)
source fd/33 → (the file that it runs is known only when it runs)
source dev/x → -
source /opt/dev/x → -
source /x/dev/check.sh → -
source 12 → (the file that it runs is known only when it runs)
source a12 → -
source stdin.sh → -
source x/stdin → (the file that it runs is known only when it runs)
. lib.sh → -
. /dev/fd/63 → (the file that it runs is known only when it runs)
`,
  find: `
find . → -
find . -name x → -
find . -exec rm x ; -print → rm x
find . -exec rm {} + → rm …
find . -execdir rm x → rm x
find . -ok rm ; -okdir cp a ; → rm | cp a
find . -exec a{}b c ; → … c
find . $x rm → rm
find . -e$x rm → rm
find . -n$x rm → -
find . x$x rm → -
`,
  shells: `
bash → (a shell in it gets its commands from its input)
bash -c 'rm x' → rm x
bash -c 'rm x' _ y → rm x
bash -ec 'rm x' → rm x
bash -o errexit -c 'rm x' → rm x
bash -eo pipefail -c 'rm x' → rm x
bash -oO a b -c 'rm x' → rm x
bash +O extglob -c 'rm x' → rm x
bash -c → (a shell in it gets its commands from its input)
bash -c $x → (a script in it is known only when it runs)
bash -s → (a shell in it gets its commands from its input)
bash -sc 'rm x' → rm x
bash -s y → (a shell in it gets its commands from its input)
bash script.sh → -
bash $x → (the file that it runs is known only when it runs)
bash --version → -
bash --rcfile f -c 'rm x' → (it starts a shell with options)
bash --init-file f -c 'rm x' → (it starts a shell with options)
bash -init-file f → (it starts a shell with options)
bash --login -c 'rm x' → rm x
bash -norcfile → (it starts a shell with options)
bash -abcdef 'rm x' → (it starts a shell with options)
bash -$x 'rm x' → (it starts a shell with options)
bash - script.sh → -
bash -- script.sh → -
bash -- -c 'rm x' → -
bash - -c → -
bash -- -s → -
sh -c 'rm x' → rm x
zsh script-c.sh → -
bash scr-ipt → -
fish → (a shell in it gets its commands from its input)
fish -c 'rm x' → rm x
fish -c 'rm x;' → (it is for a shell other than bash)
fish -c 'echo *' → (it is for a shell other than bash)
fish -C 'rm x' → (it starts a shell with options)
fish f.fish → -
fish f -c → -
nu -c 'a=b' → a=b
tcsh -f x → (it starts a shell with options)
`,
  'programs that start another one': `
env → -
env rm x → rm x
env A=1 B=2 rm x → rm x
env - rm x → rm x
env -i rm x → rm x | x
env -u A rm x → rm x
env -uA rm x → rm x | x
env --unset A rm x → rm x
env --unset=A rm x → rm x
env -S 'rm x' → (it takes a text apart)
env -iS 'rm x' → (it takes a text apart)
env --split-string=x → (it takes a text apart)
env x-S → x-S
env LD_PRELOAD=x rm y → (it sets LD_PRELOAD)
env PS4=x bash -c y → (it sets PS4)
env XPS4=x rm → rm
env rm PS4=x → rm PS4=x
env $x → …
env rm $x → rm …
env -- rm x → rm x
env -- -x y → -x y
sudo → (it starts a shell)
sudo rm x → rm x
sudo -u bob rm x → rm x
sudo -ubob rm x → rm x | x
sudo -nu bob rm x → rm x
sudo -x y rm → y rm | rm
sudo --user bob rm x → rm x
sudo --us bob rm x → rm x
sudo --user=bob rm x → rm x
sudo --foo bob rm x → bob rm x | rm x
sudo -- rm x → rm x
sudo -x -- rm x → rm x
sudo -l → (it starts a shell)
doas → (it starts a shell)
doas -u bob rm → rm
unshare → (it starts a shell)
unshare -r rm → rm
chroot → (it starts a shell)
chroot /x → (it starts a shell)
chroot /x rm → rm
chroot --userspec a /x rm → rm
chroot --foo a /x rm → /x rm | rm
runuser → (it starts a shell)
runuser bob -c 'rm x' → rm x
runuser -u bob rm x → rm x
runuser -lu bob rm x → rm x
runuser --user bob rm x → rm x
runuser bob-u → (it starts a shell)
runuser bob → (it starts a shell)
setarch rm → rm
setarch x86_64 rm → x86_64 rm | rm
setarch x86_64 -R rm x → x86_64 -R rm x | rm x | x
timeout 5 rm x → rm x
timeout -s KILL 5 rm → rm
timeout -k 9 5 rm → rm
timeout --signal KILL 5 rm → rm
timeout --signal=KILL 5 rm → rm
timeout --foreground 5 rm x → rm x
timeout --foo 5 rm x → rm x | x
timeout --foo bar 5 rm x → 5 rm x | rm x
timeout 5 → -
nice -n 5 rm → rm
nice -5 rm → rm
nice -n5 rm → rm
nice rm → rm
command rm x → rm x
command -v rm → -
command -V rm → -
command -p rm x → rm x | x
nice -v rm → rm
exec -a name rm → rm
flock f rm x → rm x
flock f -c 'rm x' → rm x
flock -c f 'rm x' → rm x
flock -nc f 'rm x' → rm x
flock --command f 'rm x' → rm x
flock -w 5 f rm → rm
flock --timeout 5 f rm → rm
flock --nonblock f rm x → rm x
flock x-c rm y → rm y
nohup -c rm → rm
xargs → -
xargs rm → rm +
xargs -n 1 rm x → rm x +
xargs -n1 rm → rm +
xargs -I {} rm {} → rm … +
xargs -I{} sh -c '{}' → sh … … + | … +
xargs -i rm {} → rm … + | … +
xargs -0I {} rm x → rm … +
xargs --replace rm x → rm … + | … +
xargs --replace=X rm x → rm … +
xargs -I {} {} x → … … +
xargs -I {} Rm x → … … +
xargs -I {} r x → … … +
xargs -I {} rm?x y → … … +
xargs -I {} ./rm y → … … +
xargs --max-args 1 rm → rm +
xargs --max-args=1 rm → rm +
xargs --max-a 1 rm → rm +
xargs x-I y → x-I y +
time -f x rm → rm
time -p rm → rm
strace -e open rm → rm
taskset 1 rm → rm
ionice -c 2 rm → rm
nsenter -t 1 rm → rm
stdbuf -oL rm → rm
stdbuf -o L rm → rm
systemd-run -u x rm → rm
pkexec rm x → rm x
busybox rm x → rm x
numactl --foo rm → rm
$x → (the name of a program in it is known only when it runs)
/usr/bin/sudo rm → rm
ls x → -
constructor x → -
`,
}

const word = (text: string): ShellWord =>
  text.includes('$')
    ? { text: null, begins: text.slice(0, text.indexOf('$')) }
    : { text, begins: text }

const commandOf = (words: readonly string[], more: Partial<ShellCommand> = {}): ShellCommand => ({
  words: words.map(word),
  sets: [],
  writesTo: [],
  hasMoreWords: false,
  ...more,
})

/** Splits at blanks; the tests of `src/shell` cover the real grammar. */
const read: ReadShell = line =>
  line.includes('?')
    ? { problem: 'it is a riddle' }
    : { commands: line.split(' ; ').map(part => commandOf(part.trim().split(/ +/))) }

function started(line: string, more: Partial<ShellCommand> = {}): string {
  const words = (line.match(/'[^']*'|\S+/g) ?? []).map(text => text.replaceAll("'", ''))
  const found = startedBy(commandOf(words, more), read)
  if (found.kind === 'nothing') return '-'
  if (found.kind === 'hidden') return `(${found.why})`
  return found.commands
    .map(command => `${commandWords(command)}${command.hasMoreWords ? ' +' : ''}`)
    .join(' | ')
}

for (const [subject, table] of Object.entries(TABLES)) {
  const rows = table
    .trim()
    .split('\n')
    .map(row => row.split(/ → ?/))
  test.each(rows)(`E-5 ${subject}: %s starts %s`, (line = '', expected = '') => {
    expect(started(line)).toBe(expected)
  })
}

test.each<[string, Partial<ShellCommand>, string]>([
  ['', {}, '-'],
  ['ls', { sets: ['A', 'PS4'] }, '(it sets PS4)'],
  ['', { sets: ['LD_PRELOAD'] }, '(it sets LD_PRELOAD)'],
  ['ls', { sets: ['XENV', 'ENVX'] }, '-'],
  ['ls', { hasMoreWords: true }, '-'],
  ['eval rm', { hasMoreWords: true }, '(what it starts comes from its input)'],
  ['find .', { hasMoreWords: true }, '(what it starts comes from its input)'],
  ['env', { hasMoreWords: true }, '(what it starts comes from its input)'],
  ['env rm', { hasMoreWords: true }, 'rm +'],
])('E-5 %j with %j starts %s', (line, more, expected) => {
  expect(started(line, more)).toBe(expected)
})

test('E-5 a program behind twenty unknown options is found, and more options are too many', () => {
  const places = (options: number) => started(`sudo ${'-x y '.repeat(options)}`).split(' | ')
  expect(places(20)).toHaveLength(20)
  expect(places(21)).toEqual(['(it has too many options)'])
})

test('E-5 a rule for a program covers it behind those that change nothing about what it does', () => {
  const clear = ['command', 'nice', 'nohup', 'stdbuf', '/usr/bin/timeout']
  const others = ['sudo', 'env', 'xargs', 'bash', 'ls', '$', '']
  expect(clear.map(name => isTransparent(commandOf([name])))).toEqual(clear.map(() => true))
  expect(others.map(name => isTransparent(commandOf([name])))).toEqual(others.map(() => false))
  expect(isTransparent(commandOf([]))).toBe(false)
})
