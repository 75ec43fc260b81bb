// The arguments of a run through the Agent SDK: our own decide, and those from the caller's SDK options are added.
import { RepriseError } from '../errors.ts'

/** The SDK starts every program with these; our own arguments hold them too. */
const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']

/** Reprise decides these for each run. An SDK option that sets one would contradict the record of the run. */
const OWNED: ReadonlySet<string> = new Set([
  ...['--resume', '--continue', '--session-id', '--fork-session', '--resume-session-at'],
  ...[
    '--no-session-persistence',
    '--session-mirror',
    '--model',
    '--permission-mode',
    '--max-turns',
  ],
  ...['--allowedTools', '--disallowedTools', '--tools', '--max-budget-usd', '--json-schema'],
  ...['--settings', '--setting-sources', '--strict-mcp-config', '--append-system-prompt-file'],
  ...['--dangerously-skip-permissions', '--allow-dangerously-skip-permissions', '--print'],
])

const PERMISSION_PROMPTS = '--permission-prompt-tool'

export function withSdkArguments(
  ours: readonly string[],
  sdks: readonly string[],
): readonly string[] {
  const added = withoutBase(sdks)
  const flags = added.map(argument => argument.split('=', 1)[0] ?? '')
  const owned = flags.find(flag => OWNED.has(flag))
  if (owned) {
    const what = `the options of the Agent SDK set ${owned}, which Reprise decides for each run`
    throw new RepriseError(
      'bad-input',
      what,
      'Set it in the options of the query or of the agent in Reprise.',
    )
  }
  if (flags.includes(PERMISSION_PROMPTS) && ours.includes(PERMISSION_PROMPTS)) {
    const what = 'the turn lets the agent ask the user, and so does canUseTool of the Agent SDK'
    throw new RepriseError(
      'bad-input',
      what,
      'Leave out canUseTool, or send with questions: "none".',
    )
  }
  return [...ours, ...added]
}

function withoutBase(args: readonly string[]): readonly string[] {
  const isBase = BASE.every((argument, index) => args[index] === argument)
  if (isBase) return args.slice(BASE.length)
  const what = `the Agent SDK starts its program in a way that we do not know: ${args.join(' ').slice(0, 200)}`
  throw new RepriseError(
    'agent-unusable',
    what,
    'Use version 0.3.327 of the SDK, or Claude Code without it.',
  )
}

/** A line of the protocol between program and SDK; `null` for all other lines, which Reprise and the SDK both read. */
export function readerOf(line: string, ours: readonly string[]): 'sdk' | 'reprise' | null {
  // To search a line is much faster than to parse it, and some are long.
  if (!line.includes('"control_')) return null
  const { type, request } = fieldsOf(parsed(line))
  if (typeof type !== 'string' || !type.startsWith('control_')) return null
  const isPermission = fieldsOf(request).subtype === 'can_use_tool'
  return isPermission && ours.includes(PERMISSION_PROMPTS) ? 'reprise' : 'sdk'
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null // It is not a line of the protocol.
  }
}
