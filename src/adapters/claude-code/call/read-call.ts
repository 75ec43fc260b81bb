// What a caller of `claude` asks for, read from its arguments; and the same arguments for a session that Reprise names.
import type { AgentCalls, CalledSession } from '../../agent-call.ts'
import { type ReadFlags, readFlags } from './flags.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** They print something about the program, work elsewhere, or keep no session. */
const OTHER_FLAGS = [
  ...['--help', '--version', '--bg', '--cloud', '--desktop', '--environment', '--init-only'],
  ...['--no-session-persistence', '--remote-control', '--rewind-files', '--sdk-url', '--teleport'],
]

/** The program takes each of them for a sub-command when it is the first word, also after `--print`. */
const SUB_COMMANDS = new Set([
  ...['agents', 'attach', 'auth', 'auto-mode', 'config', 'doctor', 'gateway', 'import', 'install'],
  ...['kill', 'logs', 'mcp', 'migrate-installer', 'plugin', 'plugins', 'project', 'purge'],
  ...['remote-control', 'respawn', 'rm', 'setup-token', 'stop', 'ultrareview', 'update', 'upgrade'],
])

export const readArguments: AgentCalls['read'] = (args, toTerminal) => {
  const read = readFlags(args)
  const { flags, words } = read
  if (OTHER_FLAGS.some(name => flags.has(name))) return { kind: 'other' }
  if (SUB_COMMANDS.has(words[0] ?? '')) return { kind: 'other' }
  const session = sessionOf(read)
  // Without a terminal the program prints in any case; the Agent SDK relies on it.
  if (!flags.has('--print') && toTerminal) return { kind: 'terminal', session }
  const output = flags.get('--output-format')?.at(-1) ?? 'text'
  const input = flags.get('--input-format')?.at(-1) ?? 'text'
  if (output !== 'text' && output !== 'json' && output !== 'stream-json') return { kind: 'other' }
  if (input !== 'text' && input !== 'stream-json') return { kind: 'other' }
  return {
    kind: 'print',
    session,
    output,
    input,
    prompt: words[0] ?? null,
    model: flags.get('--model')?.at(-1) ?? null,
    permissionMode: flags.get('--permission-mode')?.at(-1) ?? null,
    allowedTools: toolsIn(flags.get('--allowedTools')),
    disallowedTools: toolsIn(flags.get('--disallowedTools')),
  }
}

function sessionOf({ flags }: ReadFlags): CalledSession {
  const sessionId = flags.get('--session-id')?.at(-1) ?? null
  const resume = flags.get('--resume')?.at(-1)
  if (flags.has('--from-pr')) return { kind: 'unnamed' }
  if (flags.has('--continue')) {
    // A work tree has sessions of its own.
    if (flags.has('--resume') || flags.has('--worktree')) return { kind: 'unnamed' }
    if (flags.has('--fork-session')) return { kind: 'latest', fork: { sessionId } }
    // The program refuses an id for a session that has one.
    return sessionId === null ? { kind: 'latest', fork: null } : { kind: 'unnamed' }
  }
  if (!flags.has('--resume')) return { kind: 'new', sessionId }
  if (resume === undefined || !UUID.test(resume)) return { kind: 'unnamed' }
  if (flags.has('--fork-session')) return { kind: 'fork', from: resume, sessionId }
  return { kind: 'resume', sessionId: resume }
}

function toolsIn(values: readonly string[] = []): readonly string[] {
  return values.flatMap(splitRules)
}

/** A rule such as `Bash(git log:*)` may hold spaces and commas inside of its brackets. */
function splitRules(value: string): readonly string[] {
  const rules: string[] = ['']
  let depth = 0
  for (const letter of value) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (depth <= 0 && (letter === ',' || letter.trim() === '')) rules.push('')
    else rules.push(`${rules.pop() ?? ''}${letter}`)
  }
  return rules.filter(rule => rule !== '')
}

/** In front: a flag that takes many values would otherwise take these, too. */
export const withSessionId: AgentCalls['withSessionId'] = (args, sessionId) => [
  '--session-id',
  sessionId,
  ...args,
]

export const withFork: AgentCalls['withFork'] = (args, sessionId) =>
  withSessionId(['--fork-session', ...args], sessionId)
