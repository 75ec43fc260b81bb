// A run as a command line of `codex exec`: constants and validated values only. The user's text is never in it.
import type { Continuation } from '../../core/decide/continuation.ts'
import type { Command, RunSpec, Runtime } from '../adapter.ts'
import { refusalsOf } from '../refused-options.ts'

const { cannot, valid, noMode, refuseUnheld } = refusalsOf('codex')

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
  refuseUnheld(spec, {
    modeChooses: 'what it may do',
    modes: CODEX_MODES,
    stillReads: 'AGENTS.md and the settings of the project',
  })
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

function sandboxMode(mode: string): string {
  if (CODEX_MODES.some(known => known === mode)) return mode
  throw noMode(mode, CODEX_MODES)
}
