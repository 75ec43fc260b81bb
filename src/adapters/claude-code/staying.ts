// When a process of Claude Code may take another turn, and what only a new process would read.
import { dirname, join } from 'node:path'
import type { AgentEvent } from '../../core/run/events.ts'
import type { SessionPlace } from '../adapter.ts'
import { fieldsIn, parseFields } from '../fields.ts'
import { WRITING_TOOLS } from './stream/tools.ts'

const CHECK_ID = 'reprise-listens'

/** Both versions answer it within milliseconds, and write nothing to the session file. */
export const CHECK_LINE = JSON.stringify({
  type: 'control_request',
  request_id: CHECK_ID,
  request: { subtype: 'get_binary_version' },
})

/**
 * Calls of these tools leave nothing behind in the process. Others may change its mode or its directory, or go on after the
 * result: subagents, monitors, plan mode, work trees.
 */
const LEAVES_NOTHING: ReadonlySet<string> = new Set([
  ...['Read', 'Grep', 'Glob', 'LS', 'WebFetch', 'WebSearch'],
  ...Object.keys(WRITING_TOOLS),
  ...['Bash', 'TodoWrite', 'AskUserQuestion'],
])

/** On 2.1.325 a shell begins in the directory where the last one of its process ended; in a new process it begins in the work dir. */
const MAY_MOVE = /\b(?:cd|pushd|popd|source|eval)\b/

/** Tells whether the process can rest after a result. Once it cannot, it never can again. */
export type Rest = {
  see(line: string, events: readonly AgentEvent[]): void
  isPossible(): boolean
}

export function createRest(): Rest {
  let isPossible = true
  return {
    see(line, events) {
      if (startsWork(line) || events.some(speaksAgainst)) isPossible = false
    },
    isPossible: () => isPossible,
  }
}

/** Background work goes on after the result and may begin a turn of its own. */
function startsWork(line: string): boolean {
  return line.includes('"run_in_background":true') || line.includes('"subtype":"task_')
}

function speaksAgainst(event: AgentEvent): boolean {
  switch (event.type) {
    case 'tool':
      return (
        !LEAVES_NOTHING.has(event.name) || (event.name === 'Bash' && MAY_MOVE.test(event.input))
      )
    case 'result':
      return !event.ok || event.unasked || event.atParkedCall === true
    case 'notice':
      return event.code === 'model-fallback' || event.code === 'session-writes-lost'
    case 'compacted':
      return true
    default:
      return false
  }
}

export function isCheckAnswer(line: string): boolean {
  if (!line.includes(CHECK_ID)) return false
  const answer = parseFields(line)
  return answer?.type === 'control_response' && fieldsIn(answer.response)?.request_id === CHECK_ID
}

const NOTES = ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md']
const SETTINGS = ['settings.json', 'settings.local.json', 'agents', 'commands', 'skills', 'rules']
const MANAGED = '/etc/claude-code/managed-settings.json'

/** Notes of the work dir and of all directories above it; settings of the project, of the user and of the machine. */
export function startFiles({ workDir, env }: Pick<SessionPlace, 'workDir' | 'env'>) {
  const home = env.CLAUDE_CONFIG_DIR ?? (env.HOME ? join(env.HOME, '.claude') : null)
  return [
    ...directoriesFrom(workDir).flatMap(directory => NOTES.map(name => join(directory, name))),
    ...[...SETTINGS.map(name => `.claude/${name}`), '.mcp.json'].map(name => join(workDir, name)),
    ...(home === null ? [] : ['CLAUDE.md', ...SETTINGS].map(name => join(home, name))),
    MANAGED,
  ]
}

function directoriesFrom(workDir: string): readonly string[] {
  const above = dirname(workDir)
  return above === workDir ? [workDir] : [workDir, ...directoriesFrom(above)]
}
