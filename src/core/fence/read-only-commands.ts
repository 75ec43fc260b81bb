// Programs that only read, and the flags and operands with which they can write or start other programs.
import type { ShellCommand } from './shell-line.ts'

type Looking = { readonly words: readonly string[] }

const looking = (text: string): Looking => ({ words: text.split(' ') })

/** They write no file and start no program, whatever their arguments; the operands and flags below are the exceptions. */
const READ_ONLY: readonly Looking[] = [
  ...[
    'basename',
    'cat',
    'cd',
    'cut',
    'date',
    'df',
    'dirname',
    'du',
    'echo',
    'egrep',
    'false',
    'fgrep',
  ],
  ...[
    'free',
    'grep',
    'groups',
    'head',
    'hostname',
    'id',
    'jq',
    'ls',
    'nproc',
    'printf',
    'ps',
    'pwd',
  ],
  ...['readlink', 'realpath', 'sort', 'stat', 'tail', 'test', 'tr', 'true', 'uname', 'uptime'],
  ...['wc', 'whoami'],
  ...['docker ps', 'docker logs', 'docker inspect', 'docker images', 'docker top', 'docker stats'],
  ...['systemctl status', 'systemctl is-active', 'systemctl is-failed', 'systemctl list-units'],
].map(looking)
/** Words of the shell itself, which no rule can name. */
const SHELL_WORDS = ['[', ':', 'exit', 'break', 'continue'].map(looking)
const ALL: readonly Looking[] = [...READ_ONLY, ...SHELL_WORDS]

type Operands = {
  /** Operands that only say what to print. */
  readonly harmless?: RegExp
  /** Flags whose value is the next word. */
  readonly takingValues?: RegExp
}

/** With an operand, these set the clock or the name of the host. */
const SETTING_OPERANDS: ReadonlyMap<string, Operands> = new Map<string, Operands>([
  ['date', { harmless: /^\+/, takingValues: /^(-[A-Za-z]*[dr]|--date|--reference)$/ }],
  ['hostname', {}],
])

/** Long flags also count when they are shortened, even to one letter. */
const WRITING_FLAGS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    awk: ['-i', '-f', '-o', '-l', '--include', '--file', '--load', '--pretty-print'],
    curl: [
      ...['-o', '-O', '-J', '-T', '-K', '-D', '-c', '--output', '--output-dir', '--remote-name'],
      ...['--upload-file', '--config', '--dump-header', '--cookie-jar', '--trace', '--stderr'],
      ...['--libcurl', '--etag-save', '--hsts', '--alt-svc', '--remote-header-name'],
    ],
    date: ['-s', '--set'],
    dmesg: ['-c', '-C', '-D', '-E', '-n', '--clear', '--read-clear', '--console-level'],
    fd: ['-x', '-X', '--exec'],
    find: [
      ...['-delete', '-exec', '-execdir', '-ok', '-okdir'],
      ...['-fls', '-fprint', '-fprint0', '-fprintf'],
    ],
    git: ['--output', '--ext-diff', '--textconv', '--open-files-in-pager', '--exec', '-O'],
    hostname: ['-F', '-b', '--file', '--boot'],
    journalctl: ['--vacuum', '--rotate', '--flush', '--relinquish-var', '--update-catalog'],
    less: ['-o', '-O', '-k', '--log-file', '--LOG-FILE', '--lesskey'],
    man: ['-P', '-H', '--pager', '--html'],
    openssl: ['-out', '-engine', '-provider'],
    printf: ['-v'],
    rg: ['--pre', '--hostname-bin'],
    sed: ['-i', '--in-place'],
    sort: ['-o', '-T', '--output', '--compress-program', '--temporary-directory'],
    systemctl: ['-H', '-M', '--host', '--machine'],
    tar: [
      '-I',
      '-F',
      '--to-command',
      '--use-compress-program',
      '--checkpoint-action',
      '--rsh-command',
    ],
    tree: ['-o', '--output'],
    xxd: ['-r'],
    yq: ['-i', '--inplace'],
  }),
)

/** Rules under which the commands above may run. */
export function readOnlyRules(tool: string): readonly string[] {
  return READ_ONLY.map(({ words }) => `${tool}(${words.join(' ')}:*)`)
}

export function isReadOnly(command: ShellCommand): boolean {
  const entry = ALL.find(({ words }) => words.every((word, at) => command.words[at]?.text === word))
  return entry !== undefined && !isKnownToWrite(command, entry.words.length)
}

/** Whether an operand or a flag after the first `from` words is known to change something; a word that may turn out to be one counts. */
export function isKnownToWrite(command: ShellCommand, from: number): boolean {
  return setsByOperand(command, from) || writesByFlag(command, from)
}

function setsByOperand({ words }: ShellCommand, from: number): boolean {
  const setting = SETTING_OPERANDS.get(words[0]?.text ?? '')
  if (setting === undefined) return false
  return words.some(({ text, begins }, at) => {
    if (at < from || begins.startsWith('-')) return false
    if (text === null) return true
    const isValue = setting.takingValues?.test(words[at - 1]?.text ?? '') ?? false
    return !isValue && !(setting.harmless?.test(text) ?? false)
  })
}

function writesByFlag({ words, hasMoreWords }: ShellCommand, from: number): boolean {
  const flags = WRITING_FLAGS.get(words[0]?.text ?? '')
  if (flags === undefined) return false
  if (hasMoreWords) return true
  return words.slice(from).some(({ text, begins }) => {
    if (text === null && /^-?-?$/.test(begins)) return true
    return flags.some(flag => isFlag(begins, flag))
  })
}

function isFlag(word: string, flag: string): boolean {
  const name = word.split('=')[0] ?? ''
  if (flag.startsWith('--'))
    return name.length > 2 && (flag.startsWith(name) || name.startsWith(flag))
  if (flag.length > 2) return word === flag
  return /^-[^-]/.test(word) && word.includes(flag.slice(1))
}
