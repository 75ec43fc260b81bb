// The commands that another command starts, such as `env`, `sudo`, `xargs`, `find -exec`, `bash -c` or `eval`.
import { programOf, type ReadShell, type ShellCommand, type ShellWord } from './shell-line.ts'

export type StartedCommands =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'commands'; readonly commands: readonly ShellCommand[] }
  /** It starts something that cannot be known before it runs. */
  | { readonly kind: 'hidden'; readonly why: string }

type Wrapper = {
  /** Letters of options that take the next word as their value. */
  readonly valued?: string
  readonly longValued?: readonly string[]
  /** Long options that are known to have no value. */
  readonly longPlain?: readonly string[]
  /** Words before the program, such as the duration of `timeout`. */
  readonly operands?: number
  /** One more word may come before the program. */
  readonly mayHaveOperand?: true
  /** Changes nothing about what the program does: a rule for the program covers it. */
  readonly isTransparent?: true
}

const WRAPPERS = tableOf<Wrapper>({
  command: { isTransparent: true },
  nice: { valued: 'n', longValued: ['--adjustment'], isTransparent: true },
  nohup: { isTransparent: true },
  stdbuf: { valued: 'ioe', longValued: ['--input', '--output', '--error'], isTransparent: true },
  timeout: {
    valued: 'sk',
    longValued: ['--signal', '--kill-after'],
    longPlain: ['--foreground', '--preserve-status', '--verbose'],
    operands: 1,
    isTransparent: true,
  },
  builtin: {},
  busybox: {},
  chroot: { longValued: ['--userspec', '--groups'], operands: 1 },
  chrt: { operands: 1 },
  doas: { valued: 'uC' },
  env: { valued: 'uC', longValued: ['--unset', '--chdir'] },
  exec: { valued: 'a' },
  fakeroot: {},
  flock: {
    valued: 'wE',
    longValued: ['--timeout', '--conflict-exit-code'],
    longPlain: ['--shared', '--exclusive', '--unlock', '--nonblock', '--close', '--no-fork'],
    operands: 1,
  },
  i386: {},
  ionice: { valued: 'cnt' },
  linux32: {},
  linux64: {},
  nsenter: { valued: 'tSG' },
  numactl: {},
  pkexec: {},
  prlimit: {},
  runuser: { valued: 'ugG', longValued: ['--user', '--group', '--supp-group'] },
  setpriv: {},
  setarch: { mayHaveOperand: true },
  setsid: {},
  strace: { valued: 'eopPsSuEIabX' },
  sudo: { valued: 'ughpCrtTUDR', longValued: ['--user', '--group', '--host', '--chdir'] },
  'systemd-run': { valued: 'MHpEu' },
  taskset: { operands: 1 },
  time: { valued: 'fo' },
  toybox: {},
  unshare: {},
  x86_64: {},
  xargs: {
    valued: 'InPLdEsa',
    longValued: [
      '--max-args',
      '--max-procs',
      '--delimiter',
      '--arg-file',
      '--max-lines',
      '--max-chars',
    ],
  },
})

/** A map, because a program may be called `constructor`. */
function tableOf<Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(entries))
}

const SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'rbash'],
  ...['ksh93', 'lksh', 'mksh', 'oksh', 'pdksh', 'posh', 'yash'],
])
/** These shells have another grammar: only a plain command means the same in them. */
const OTHER_SHELLS: ReadonlySet<string> = new Set(['csh', 'elvish', 'fish', 'nu', 'tcsh', 'xonsh'])
const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])
/** A shell or the loader runs the content of these variables. */
export const RUNNING_VARIABLE = /^(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|LD_\w+|DYLD_\w+)$/

export function isTransparent(command: ShellCommand): boolean {
  return WRAPPERS.get(programOf(command) ?? '')?.isTransparent === true
}

export function startedBy(command: ShellCommand, read: ReadShell): StartedCommands {
  const variable = command.sets.find(name => RUNNING_VARIABLE.test(name))
  if (variable !== undefined) return hidden(`it sets ${variable}`)
  if (command.words.length === 0) return NOTHING
  const program = programOf(command)
  if (program === null) return hidden('the name of a program in it is known only when it runs')
  const wrapper = WRAPPERS.get(program)
  if (wrapper !== undefined) return wrapped(command, { program, wrapper, read })
  if (SHELLS.has(program)) return shellScript(command, read)
  if (OTHER_SHELLS.has(program)) return otherShellScript(command, read)
  const inside = SPECIAL.get(program)
  if (inside === undefined) return NOTHING
  return command.hasMoreWords ? FROM_INPUT : inside(command.words.slice(1), read)
}

const NOTHING: StartedCommands = { kind: 'nothing' }
const hidden = (why: string): StartedCommands => ({ kind: 'hidden', why })
const FROM_INPUT = hidden('what it starts comes from its input')

type Inside = (words: readonly ShellWord[], read: ReadShell) => StartedCommands

const SPECIAL = tableOf<Inside>({
  eval: (words, read) => scriptIn(words[0]?.text === '--' ? words.slice(1) : words, read),
  watch: (words, read) => scriptIn(words.slice(programIndex(words, WATCH)), read),
  trap: (words, read) => trapped(words, read),
  su: (words, read) =>
    afterFlag(words, { flag: '-c', read, otherwise: hidden('it starts a shell') }),
  script: (words, read) =>
    afterFlag(words, { flag: '-c', read, otherwise: hidden('it starts a shell') }),
  alias: words =>
    words.some(word => word.text === null || word.text.includes('='))
      ? hidden('it renames a command')
      : NOTHING,
  hash: words => (mayHaveFlag(words, 'p') ? hidden('it renames a command') : NOTHING),
  enable: words => (mayHaveFlag(words, 'f') ? hidden('it loads a command') : NOTHING),
  jobs: words => (mayHaveFlag(words, 'x') ? hidden('it starts a command') : NOTHING),
  compgen: words => (mayHaveFlag(words, 'CW') ? hidden('it runs a text') : NOTHING),
  complete: words => (mayHaveFlag(words, 'CW') ? hidden('it runs a text') : NOTHING),
  mapfile: words => (mayHaveFlag(words, 'C') ? hidden('it runs a callback') : NOTHING),
  readarray: words => (mayHaveFlag(words, 'C') ? hidden('it runs a callback') : NOTHING),
  parallel: () => hidden('it makes its commands from its input'),
  source: ([file]) => sourced(file),
  '.': ([file]) => sourced(file),
  find: words => foundCommands(words),
})

const WATCH: Wrapper = { valued: 'nq', longValued: ['--interval'] }

/** `trap - EXIT` takes a command away, `trap -p` shows it. */
function trapped([first, ...more]: readonly ShellWord[], read: ReadShell): StartedCommands {
  const [action] = first?.text === '--' ? more : [first]
  if (action === undefined || action.text === '-') return NOTHING
  const isOption = first?.text !== '--' && action.begins.startsWith('-')
  return isOption ? NOTHING : scriptIn([action], read)
}

function plainOnly(read: ReadShell): ReadShell {
  return line =>
    /^[\w\s./:=,@%+-]*$/.test(line) ? read(line) : { problem: 'it is for a shell other than bash' }
}

/** One of these letters among the flags, also together with others (`-tC`); a word that is not known may be it. */
function mayHaveFlag(words: readonly ShellWord[], letters: string): boolean {
  const flag = new RegExp(`^-\\w*[${letters}]`)
  return words.some(({ text, begins }) =>
    text === null ? /^(?:-\w*)?$/.test(begins) || flag.test(begins) : flag.test(begins),
  )
}

function sourced(file: ShellWord | undefined): StartedCommands {
  const isKnown = file === undefined || (file.text !== null && !isStream(file.text))
  return isKnown ? NOTHING : hidden('the file that it runs is known only when it runs')
}

/** Below /dev and /proc, however the path gets there, and the names that streams have there. */
function isStream(path: string): boolean {
  const fromHere = path.replace(/^(?:\.\/+)+/, '')
  return (
    /^(?:\/|\.\.\/)[./]*(?:dev|proc)\//.test(fromHere) ||
    /(?:^|\/)(?:stdin|fd\/[^/]+|\d+)$/.test(fromHere)
  )
}

function wrapped(
  command: ShellCommand,
  { program, wrapper, read }: { program: string; wrapper: Wrapper; read: ReadShell },
): StartedCommands {
  const words = command.words.slice(1)
  if (program === 'env' && words.some(({ begins }) => /^(?:-\w*S|--split)/.test(begins))) {
    return hidden('it takes a text apart')
  }
  if (program === 'command' && words.some(({ text }) => text === '-v' || text === '-V'))
    return NOTHING
  if (program === 'runuser' && !words.some(({ begins }) => /^(?:-\w*u|--u)/.test(begins))) {
    return afterFlag(words, { flag: '-c', read, otherwise: hidden('it starts a shell') })
  }
  const places = programPlaces(words, wrapper)
  const [at] = places
  if (places.length > MAX_PLACES) return hidden('it has too many options')
  if (at === undefined && command.hasMoreWords) return FROM_INPUT
  if (at === undefined)
    return /^(?:sudo|doas|unshare|chroot|runuser)$/.test(program)
      ? hidden('it starts a shell')
      : NOTHING
  const before = words.slice(0, at)
  if (program === 'flock' && before.some(({ begins }) => /^(?:-\w*c|--co)/.test(begins))) {
    return scriptIn(words.slice(at, at + 1), read)
  }
  const variable = before.find(({ begins }) => RUNNING_VARIABLE.test(begins.split('=')[0] ?? ''))
  if (variable !== undefined) return hidden(`it sets ${variable.begins.split('=')[0]}`)
  const isXargs = program === 'xargs'
  const isReplaced = isXargs && before.some(({ begins }) => /^(?:-\w*[Ii]|--replace)/.test(begins))
  const commands = places.map(place => {
    const [name, ...rest] = words.slice(place)
    return {
      words: isReplaced ? [replacedProgram(name), ...rest.map(() => UNKNOWN)] : words.slice(place),
      sets: [],
      writesTo: [],
      hasMoreWords: isXargs || command.hasMoreWords,
    }
  })
  return { kind: 'commands', commands }
}

const MAX_PLACES = 20

/** The tables do not know every option. The word after an unknown option may be its value, so the next one may be the program. */
function programPlaces(words: readonly ShellWord[], wrapper: Wrapper): readonly number[] {
  const places: number[] = []
  const { longValued = [], longPlain = [], operands = 0, mayHaveOperand = false } = wrapper
  let at = programIndex(words, wrapper)
  const isUnknown = ({ text, begins }: ShellWord) =>
    /^--[^=]+$/.test(begins) && !isLong(text, longValued) && !isLong(text, longPlain)
  let mayBeOperand = mayHaveOperand || (operands > 0 && words.slice(0, at).some(isUnknown))
  while (at !== -1 && places.length <= MAX_PLACES) {
    places.push(at)
    const previous = words[at - 1]
    const isValue = /^-[^=]+$/.test(previous?.begins ?? '') && previous?.text !== '--'
    if (!isValue && !mayBeOperand) break
    mayBeOperand = isValue && mayBeOperand
    const next = programIndex(words.slice(at + 1), { ...wrapper, operands: 0 })
    at = next === -1 ? -1 : at + 1 + next
  }
  return places
}

/** GNU takes any beginning of a long option. */
function isLong(text: string | null, options: readonly string[]): boolean {
  return text !== null && text.length > 2 && options.some(option => option.startsWith(text))
}

const UNKNOWN: ShellWord = { text: null, begins: '' }

/** With `-I` the name of the program may be replaced as well. */
function replacedProgram(word: ShellWord | undefined): ShellWord {
  return word !== undefined && /^[a-z][\w./-]+$/.test(word.text ?? '') ? word : UNKNOWN
}

/** Where the program stands behind the options of a wrapper; -1: there is none. */
function programIndex(
  words: readonly ShellWord[],
  { valued = '', longValued = [], operands = 0 }: Wrapper,
): number {
  let left = operands
  let optionsAreOver = false
  for (let at = 0; at < words.length; at += 1) {
    const { text, begins } = words[at] ?? UNKNOWN
    if (text === '--') optionsAreOver = true
    else if (/^[A-Za-z_]\w*=/.test(begins) || text === '-') {
      // A variable for the program, or `env -`.
    } else if (!optionsAreOver && begins.startsWith('--')) {
      if (isLong(text, longValued)) at += 1
    } else if (!optionsAreOver && begins.startsWith('-')) {
      const letter = [...begins.slice(1)].findIndex(sign => valued.includes(sign))
      if (letter !== -1 && letter === begins.length - 2) at += 1
    } else if (left > 0) left -= 1
    else return at
  }
  return -1
}

function shellScript({ words }: ShellCommand, read: ReadShell): StartedCommands {
  let letters = ''
  let at = 1
  for (let more = true; more && /^[-+]/.test(words[at]?.begins ?? ''); at += 1) {
    const text = words[at]?.text ?? null
    if (text === '--version') return NOTHING
    if (text === null || STRANGE_OPTION.test(text)) return hidden('it starts a shell with options')
    more = text !== '-' && text !== '--'
    if (!more || text.startsWith('--')) continue
    letters += text.slice(1)
    // The name of an option stands in the next word, also behind `-c`.
    at += text.replaceAll(/[^oO]/g, '').length
  }
  const operand = words[at]
  if (operand === undefined || (letters.includes('s') && !letters.includes('c'))) {
    return hidden('a shell in it gets its commands from its input')
  }
  return letters.includes('c') ? scriptIn([operand], read) : sourced(operand)
}

/** The option also runs a file, or is a long option of bash with a single `-`. */
const STRANGE_OPTION = /^--?(?:rcfile|init-file)|^[-+]\w{6}/

/** Their other options differ: only `-c` is known to be the same. */
function otherShellScript(command: ShellCommand, read: ReadShell): StartedCommands {
  const isStrange = ({ text, begins }: ShellWord) => begins.startsWith('-') && text !== '-c'
  if (command.words.slice(1).some(isStrange)) return hidden('it starts a shell with options')
  return shellScript(command, plainOnly(read))
}

function afterFlag(
  words: readonly ShellWord[],
  { flag, read, otherwise }: { flag: string; read: ReadShell; otherwise: StartedCommands },
): StartedCommands {
  const at = words.findIndex(({ begins }) => begins.startsWith(flag))
  const script = words[at]?.text === flag ? words[at + 1] : undefined
  return script === undefined ? otherwise : scriptIn([script], read)
}

/** Words that a shell reads once more as a line of its own. */
function scriptIn(words: readonly ShellWord[], read: ReadShell): StartedCommands {
  if (words.some(({ text }) => text === null)) {
    return hidden('a script in it is known only when it runs')
  }
  const line = read(words.map(({ text }) => text ?? '').join(' '))
  return 'problem' in line ? hidden(line.problem) : { kind: 'commands', commands: line.commands }
}

function foundCommands(words: readonly ShellWord[]): StartedCommands {
  const commands: ShellCommand[] = []
  words.forEach((word, at) => {
    if (!mayRun(word)) return
    const rest = words.slice(at + 1)
    const end = rest.findIndex(word => word.text === ';' || word.text === '+')
    const inner = (end === -1 ? rest : rest.slice(0, end)).map(word =>
      word.text?.includes('{}') ? UNKNOWN : word,
    )
    commands.push({ words: inner, sets: [], writesTo: [], hasMoreWords: false })
  })
  return commands.length === 0 ? NOTHING : { kind: 'commands', commands }
}

/** A word that is not known may turn out to be `-exec`. */
function mayRun({ text, begins }: ShellWord): boolean {
  if (text !== null) return FIND_RUNS.has(text)
  return [...FIND_RUNS].some(flag => flag.startsWith(begins))
}
