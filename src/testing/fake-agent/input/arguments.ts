// The command line of the fake agent, as Claude Code reads it.

export type Arguments = {
  readonly version: boolean
  readonly help: boolean
  readonly print: boolean
  readonly outputFormat: string
  readonly inputFormat: string
  readonly verbose: boolean
  readonly partialMessages: boolean
  readonly forkSession: boolean
  readonly noPersistence: boolean
  readonly resume: string | null
  readonly resumeAt: string | null
  readonly sessionId: string | null
  readonly model: string | null
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly instructions: string | null
  readonly instructionsFile: string | null
  /** The agent keeps the instructions of a session's first run. */
  readonly keepsSnapshot: boolean
  /** The agent asks for permissions over stdin and has tools that ask the user. */
  readonly asks: boolean
  readonly settings: string | null
  readonly jsonSchema: string | null
  /** Words that belong to no flag. */
  readonly prompt: string | null
}

type Flag = {
  readonly takes: 'nothing' | 'one' | 'many'
  readonly hidden?: true
  readonly help: string
}

const FLAGS: Readonly<Record<string, Flag>> = {
  '--print': { takes: 'nothing', help: 'Print the answer and exit' },
  '--verbose': { takes: 'nothing', help: 'All events' },
  '--output-format': { takes: 'one', help: 'text, json or stream-json' },
  '--input-format': { takes: 'one', help: 'text or stream-json' },
  '--replay-user-messages': { takes: 'nothing', help: 'Messages come back on stdout' },
  '--include-partial-messages': { takes: 'nothing', help: 'Pieces of messages as they arrive' },
  '--model': { takes: 'one', help: 'Model of this session' },
  '--permission-mode': { takes: 'one', help: 'Permission mode' },
  '--session-id': { takes: 'one', help: 'Id of the new session (a UUID)' },
  '--resume': { takes: 'one', help: 'Continue a session by its id' },
  '--fork-session': { takes: 'nothing', help: 'With --resume: continue in a new session' },
  '--no-session-persistence': { takes: 'nothing', help: 'Write no session file' },
  '--allowedTools': { takes: 'many', help: 'Tools that may run' },
  '--disallowedTools': { takes: 'many', help: 'Tools that may not run' },
  '--append-system-prompt': { takes: 'one', help: 'Instructions after the system prompt' },
  '--system-prompt-snapshot': { takes: 'one', help: 'on or off: keep to the first system prompt' },
  '--json-schema': { takes: 'one', help: 'Schema of the structured output' },
  '--settings': { takes: 'one', help: 'Settings, a file or JSON' },
  '--setting-sources': { takes: 'one', help: 'Which settings are read' },
  '--strict-mcp-config': { takes: 'nothing', help: 'Only MCP servers from --mcp-config' },
  '--mcp-config': { takes: 'many', help: 'MCP servers' },
  '--add-dir': { takes: 'many', help: 'More directories for tools' },
  '--fallback-model': { takes: 'one', help: 'Model when the first is overloaded' },
  '--version': { takes: 'nothing', help: 'Version' },
  '--help': { takes: 'nothing', help: 'This text' },
  '--append-system-prompt-file': { takes: 'one', hidden: true, help: '' },
  '--permission-prompt-tool': { takes: 'one', hidden: true, help: '' },
  '--resume-session-at': { takes: 'one', hidden: true, help: '' },
  '--max-turns': { takes: 'one', hidden: true, help: '' },
}

const SHORT: Readonly<Record<string, string>> = {
  '-p': '--print',
  '-r': '--resume',
  '-v': '--version',
  '-h': '--help',
}

/** Whether the input is lines of JSON, which may come at any time. */
export function takesLines(args: readonly string[]): boolean {
  return args.some((word, at) => word === 'stream-json' && args[at - 1] === '--input-format')
}

export function helpText(without: readonly string[]): string {
  const lines = Object.entries(FLAGS)
    .filter(([name, flag]) => flag.hidden !== true && !without.includes(name))
    .map(([name, flag]) => `  ${shortOf(name)}${name}${placeOf(flag)}  ${flag.help}`)
  return ['Usage: claude [options] [prompt]', '', 'Options:', ...lines].join('\n')
}

export function parseArguments(
  args: readonly string[],
  without: readonly string[],
): Arguments | { readonly problem: string } {
  const values = new Map<string, string[]>()
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const [name, inline] = splitFlag(args[at] ?? '')
    if (name === '--') {
      words.push(...args.slice(at + 1))
      break
    }
    if (!name.startsWith('-')) {
      words.push(args[at] ?? '')
      continue
    }
    const flag = without.includes(name) ? undefined : FLAGS[name]
    if (flag === undefined) return { problem: `error: unknown option '${args[at]}'` }
    const taken = inline === null ? takeValues(flag, args.slice(at + 1)) : [inline]
    if (taken === null) return { problem: `error: option '${name} <value>' argument missing` }
    values.set(name, [...(values.get(name) ?? []), ...taken])
    if (inline === null) at += taken.length
  }
  return argumentsOf(values, words)
}

function argumentsOf(values: ReadonlyMap<string, string[]>, words: string[]): Arguments {
  const one = (name: string) => values.get(name)?.at(-1) ?? null
  const many = (name: string) => (values.get(name) ?? []).flatMap(value => value.split(/[ ,]+/))
  return {
    version: values.has('--version'),
    help: values.has('--help'),
    print: values.has('--print'),
    outputFormat: one('--output-format') ?? 'text',
    inputFormat: one('--input-format') ?? 'text',
    verbose: values.has('--verbose'),
    partialMessages: values.has('--include-partial-messages'),
    forkSession: values.has('--fork-session'),
    noPersistence: values.has('--no-session-persistence'),
    resume: one('--resume'),
    resumeAt: one('--resume-session-at'),
    sessionId: one('--session-id'),
    model: one('--model'),
    permissionMode: one('--permission-mode') ?? 'default',
    allowedTools: many('--allowedTools'),
    disallowedTools: many('--disallowedTools'),
    instructions: one('--append-system-prompt'),
    instructionsFile: one('--append-system-prompt-file'),
    keepsSnapshot: one('--system-prompt-snapshot') !== 'off',
    asks: one('--permission-prompt-tool') === 'stdio',
    settings: one('--settings'),
    jsonSchema: one('--json-schema'),
    prompt: words.length === 0 ? null : words.join(' '),
  }
}

/** `null` when a value is missing. */
function takeValues(flag: Flag, rest: readonly string[]): readonly string[] | null {
  if (flag.takes === 'nothing') return []
  const end = rest.findIndex(word => word.startsWith('-'))
  const available = end === -1 ? rest : rest.slice(0, end)
  if (available.length === 0) return null
  return flag.takes === 'one' ? available.slice(0, 1) : available
}

function splitFlag(word: string): readonly [name: string, inline: string | null] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  if (equals !== -1) return [word.slice(0, equals), word.slice(equals + 1)]
  return [SHORT[word] ?? word, null]
}

function shortOf(name: string): string {
  const short = Object.keys(SHORT).find(key => SHORT[key] === name)
  return short === undefined ? '    ' : `${short}, `
}

function placeOf(flag: Flag): string {
  if (flag.takes === 'nothing') return ''
  return flag.takes === 'one' ? ' <value>' : ' <values...>'
}
