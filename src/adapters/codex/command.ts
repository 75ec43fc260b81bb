// A run as a command line of `codex exec`: constants and validated values only. The user's text is never in it.
import type { Continuation } from '../../core/decide/continuation.ts'
import { RepriseError } from '../../errors.ts'
import type { Command, RunSpec, Runtime } from '../adapter.ts'

/** The modes of codex's own sandbox, which decides what commands may do. */
export const CODEX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const

const ALWAYS = [
  'exec',
  '--json',
  '--skip-git-repo-check',
  // They ask a server at the end of every run, which takes five seconds where there is no network.
  ...['--disable', 'plugins', '--disable', 'apps'],
]

// Codex takes any other text for the name of a thread, and then begins a new one.
const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$/
/** `-` reads the prompt from stdin. */
const PROMPT = '-'

export const takesModel = (model: string): boolean => MODEL.test(model)

export function command(spec: RunSpec, runtime: Runtime): Command {
  refuseUnheld(spec)
  return {
    file: runtime.executable,
    args: [
      ...ALWAYS,
      ...(spec.model === null ? [] : ['--model', valid('model', spec.model, MODEL)]),
      // No setting of an earlier run is taken over by a resume.
      ...['--sandbox', sandboxMode(spec.permissionMode)],
      ...continuationArgs(spec.continuation),
      PROMPT,
    ],
    env: spec.env,
    workDir: spec.workDir,
  }
}

function continuationArgs(continuation: Continuation): readonly string[] {
  switch (continuation.kind) {
    case 'new':
      if (continuation.sessionId === null) return []
      throw cannot('a session id of your own', 'Leave the id to codex.')
    case 'resume':
      return ['resume', valid('session id', continuation.sessionId, THREAD_ID)]
    case 'fork':
      if (continuation.at === null)
        return ['fork', valid('session id', continuation.from, THREAD_ID)]
      throw cannot('a fork that is cut at a message', 'Continue with a new session.')
    case 'written':
      throw cannot('a session that Reprise wrote', 'Set `resume.replay: prompt` in config.yaml.')
  }
}

/** Codex knows no rules about tools. A rule that nobody obeys must not look like one. */
function refuseUnheld({ allowedTools, disallowedTools, trust, maxTurns }: RunSpec): void {
  const [rule] = [...allowedTools, ...disallowedTools]
  if (rule !== undefined) {
    throw cannot(
      `the tool rule ${JSON.stringify(rule.slice(0, 100))}`,
      `Leave tool rules out, and choose what it may do by its permission mode: ${CODEX_MODES.join(', ')}.`,
    )
  }
  if (trust !== 'project') {
    throw cannot(
      `trust ${trust}: it would still read AGENTS.md and the settings of the project`,
      'Use `--trust project` (`trust: project`) where the directory is your own.',
    )
  }
  if (maxTurns !== undefined) throw cannot('maxTurns', 'Leave `maxTurns` out.')
}

function sandboxMode(mode: string): string {
  if (CODEX_MODES.some(known => known === mode)) return mode
  throw new RepriseError(
    'bad-input',
    `codex has no permission mode ${JSON.stringify(mode.slice(0, 100))}`,
    `Use one of ${CODEX_MODES.join(', ')} as --permission-mode or \`permissionMode\`.`,
  )
}

function cannot(what: string, hint: string): RepriseError {
  return new RepriseError('bad-input', `codex cannot be held to ${what}`, hint)
}

function valid(what: string, value: string, pattern: RegExp): string {
  if (pattern.test(value)) return value
  throw new RepriseError(
    'bad-input',
    `${JSON.stringify(value.slice(0, 100))} cannot be used as ${what} of codex`,
    `Use a ${what} that matches ${pattern.source}.`,
  )
}
