// A run as a command line of pi: constants and validated values only. The user's text is never in it.
import type { Continuation } from '../../core/decide/continuation.ts'
import type { Command, RunSpec, Runtime } from '../adapter.ts'
import { refusalsOf } from '../refused-options.ts'

const { cannot, valid, noMode, refuseUnheld } = refusalsOf('pi')

/** Pi has no permissions: a tool that it does not offer cannot be called. */
const TOOLS_BY_MODE: Readonly<Record<string, readonly string[]>> = {
  'read-only': ['--tools', 'read,grep,find,ls'],
  'all-tools': [],
}

export const PI_MODES: readonly string[] = Object.keys(TOOLS_BY_MODE)

// Pi takes a part of an id for any session that begins with it.
const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$/

export const takesModel = (model: string): boolean => MODEL.test(model)

export function command(spec: RunSpec, runtime: Runtime): Command {
  refuseUnheld(spec, {
    modeChooses: 'its tools',
    modes: PI_MODES,
    stillReads: 'the settings of the user',
  })
  return {
    file: runtime.executable,
    args: [
      ...['--mode', 'json'],
      ...(spec.model === null ? [] : ['--model', valid('model', spec.model, MODEL)]),
      ...toolsOf(spec.permissionMode),
      ...continuationArgs(spec.continuation),
    ],
    env: spec.env,
    workDir: spec.workDir,
  }
}

function continuationArgs(continuation: Continuation): readonly string[] {
  switch (continuation.kind) {
    case 'new':
      if (continuation.sessionId === null) return []
      throw cannot('a session id of your own', 'Leave the id to pi.')
    case 'resume':
      return ['--session', valid('session id', continuation.sessionId, SESSION_ID)]
    case 'fork':
      if (continuation.at === null)
        return ['--fork', valid('session id', continuation.from, SESSION_ID)]
      throw cannot('a fork that is cut at a message', 'Continue with a new session.')
    case 'written':
      throw cannot('a session that Reprise wrote', 'Set `resume.replay: prompt` in config.yaml.')
  }
}

function toolsOf(mode: string): readonly string[] {
  const tools = Object.hasOwn(TOOLS_BY_MODE, mode) ? TOOLS_BY_MODE[mode] : undefined
  if (tools) return tools
  throw noMode(mode, PI_MODES)
}
