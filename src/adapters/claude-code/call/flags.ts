// The command line of Claude Code: which of its flags take values, as its own parser reads them.

/** `maybe`: a value follows if the next word is none of the flags. */
type Takes = 'one' | 'many' | 'maybe'

const TAKES: Readonly<Record<Takes, readonly string[]>> = {
  one: [
    ...['--agent', '--agents', '--append-subagent-system-prompt', '--append-system-prompt'],
    ...['--append-subagent-system-prompt-file', '--append-system-prompt-file', '--autocompact'],
    ...['--debug-file', '--effort', '--environment', '--fallback-model', '--input-format'],
    ...['--json-schema', '--managed-settings', '--max-budget-usd', '--max-thinking-tokens'],
    ...['--max-turns', '--model', '--name', '--output-format', '--parent-session-id'],
    ...['--permission-mode', '--permission-prompt-tool', '--permission-prompts', '--plugin-url'],
    ...['--plugin-dir'],
    ...['--remote-control-session-name-prefix', '--resume-drops-turn', '--resume-session-at'],
    ...['--rewind-files', '--sdk-url', '--session-id', '--setting-sources', '--settings'],
    ...['--system-prompt', '--system-prompt-file', '--system-prompt-snapshot', '--task-budget'],
    ...['--thinking', '--thinking-display', '--workload'],
  ],
  many: [
    ...['--add-dir', '--allowedTools', '--betas', '--channels', '--disallowedTools', '--file'],
    ...['--mcp-config', '--tools'],
  ],
  maybe: [
    ...['--cloud', '--debug', '--from-pr', '--prompt-suggestions', '--remote-control'],
    ...['--resume', '--teleport', '--tmux', '--worktree'],
  ],
}

/** Other names of the same flags. */
const NAMES: Readonly<Record<string, string>> = {
  '-c': '--continue',
  '-d': '--debug',
  '-h': '--help',
  '-n': '--name',
  '-p': '--print',
  '-r': '--resume',
  '-v': '--version',
  '-w': '--worktree',
  '--allowed-tools': '--allowedTools',
  '--background': '--bg',
  '--disallowed-tools': '--disallowedTools',
}

const KIND_OF = new Map<string, Takes>(
  Object.entries(TAKES).flatMap(([takes, names]) =>
    names.map(name => [name, takes === 'one' || takes === 'many' ? takes : 'maybe'] as const),
  ),
)

/** Flags with their values, in the order of the command line, and the words that belong to no flag. */
export type ReadFlags = {
  readonly flags: ReadonlyMap<string, readonly string[]>
  readonly words: readonly string[]
}

export function readFlags(args: readonly string[]): ReadFlags {
  const flags = new Map<string, string[]>()
  const words: string[] = []
  let rest = spread(args)
  while (rest.length > 0) {
    const [word = '', ...others] = rest
    if (word === '--') return { flags, words: [...words, ...others] }
    if (!isFlag(word)) {
      words.push(word)
      rest = others
      continue
    }
    const [name, inline] = named(word)
    const taken = inline === null ? valuesOf(name, others) : []
    flags.set(name, [...(flags.get(name) ?? []), ...(inline === null ? taken : [inline])])
    rest = others.slice(taken.length)
  }
  return { flags, words }
}

function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-')
}

function named(word: string): readonly [name: string, inline: string | null] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  const name = equals < 0 ? word : word.slice(0, equals)
  return [NAMES[name] ?? name, equals < 0 ? null : word.slice(equals + 1)]
}

function valuesOf(name: string, others: readonly string[]): readonly string[] {
  const takes = KIND_OF.get(name)
  if (takes === undefined) return []
  if (takes === 'one') return others.slice(0, 1)
  const end = others.findIndex(isFlag)
  const values = end < 0 ? others : others.slice(0, end)
  return takes === 'many' ? values : values.slice(0, 1)
}

/** `-pc` is `-p -c`, and `-rID` is `-r ID`. */
function spread(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  const before = end < 0 ? args : args.slice(0, end)
  return [...before.flatMap(spreadWord), ...(end < 0 ? [] : args.slice(end))]
}

function spreadWord(word: string): readonly string[] {
  if (!/^-[A-Za-z]./.test(word)) return [word]
  const short = word.slice(0, 2)
  const after = word.slice(2)
  return KIND_OF.has(NAMES[short] ?? short) ? [short, after] : [short, ...spreadWord(`-${after}`)]
}
