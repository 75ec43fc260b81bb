// A run as a command line: constants and validated values only. The user's text is never in it.

import type { Continuation } from '../../core/decide/continuation.ts'
import { RepriseError } from '../../errors.ts'
import type { Command, RunSpec, Runtime } from '../adapter.ts'
import { refusalsOf } from '../refused-options.ts'
import { RECORDS_SYSTEM_PROMPT } from './abilities.ts'
import { GUARD_ENV } from './guard.ts'
import { ASK_ARGS } from './questions.ts'
import { trustArgs, trustEnv } from './trust.ts'

const { valid, noMode } = refusalsOf('Claude Code')

export const PERMISSION_MODES = [
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'auto',
  'bypassPermissions',
] as const

/** In the other modes an agent runs tools that no rule allows. */
export const TIER_MODES = ['dontAsk', 'default', 'acceptEdits', 'plan'] as const

const ALWAYS = [
  '--print',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--input-format',
  'stream-json',
]

const ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Gateways may report names that nobody could give as an argument. */
export const takesModel = (model: string): boolean => MODEL.test(model)

const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}(\[1m\])?$/
// A tool's name, and in brackets what it is limited to: `Bash(docker restart:*)`, `mcp__files__read`.
const TOOL_RULE = /^[A-Za-z][A-Za-z0-9_.*-]{0,199}(\([^\p{Cc}\p{Cs}()]{1,500}\))?$/u
// Absolute, so that it cannot be taken for a flag.
const FILE = /^\/[^\p{Cc}\p{Cs}]{1,4000}$/u

export function command(spec: RunSpec, runtime: Runtime): Command {
  return {
    file: runtime.executable,
    args: [
      ...ALWAYS,
      ...(spec.model === null ? [] : ['--model', valid('model', spec.model, MODEL)]),
      ...['--permission-mode', permissionMode(spec.permissionMode)],
      ...continuationArgs(spec.continuation),
      ...toolArgs('--allowedTools', [...spec.allowedTools, ...readRules(spec.outputsDirs)]),
      ...toolArgs('--disallowedTools', spec.disallowedTools),
      ...instructionsArgs(spec.instructionsFile),
      ...snapshotArgs(spec.continuation, runtime),
      ...(spec.asks ? ASK_ARGS : []),
      ...settingsArgs(spec.parkFiles.questions),
      ...settingsArgs(spec.parkFiles.deferral),
      ...(spec.answerSchema === undefined ? [] : ['--json-schema', spec.answerSchema]),
      ...maxTurnsArgs(spec.maxTurns),
      ...trustArgs(spec, runtime),
    ],
    env: { ...spec.env, ...trustEnv(spec), ...(spec.isGuarded && GUARD_ENV) },
    workDir: spec.workDir,
  }
}

function continuationArgs(continuation: Continuation): readonly string[] {
  switch (continuation.kind) {
    case 'new':
      return newIdArgs(continuation.sessionId)
    case 'resume':
    case 'written':
      return ['--resume', valid('session id', continuation.sessionId, ID)]
    case 'fork':
      return [
        ...['--resume', valid('session id', continuation.from, ID)],
        '--fork-session',
        ...newIdArgs(continuation.sessionId),
        ...cutArgs(continuation.at),
      ]
  }
}

function cutArgs(at: string | null): readonly string[] {
  return at === null ? [] : ['--resume-session-at', valid('anchor', at, ID)]
}

function newIdArgs(sessionId: string | null): readonly string[] {
  return sessionId === null ? [] : ['--session-id', valid('new session id', sessionId, UUID)]
}

/** One `--flag=rule` per rule: the flag takes many values and would swallow what follows it. */
function toolArgs(flag: string, rules: readonly string[]): readonly string[] {
  return rules.map(rule => `${flag}=${valid('tool rule', rule, TOOL_RULE)}`)
}

/** An absolute path without characters that a rule would take for a pattern, or for its own end. */
const PLAIN = /^\/[^*?[\]{}!()\\\p{Cc}\p{Cs}]{1,400}$/u

/**
 * Claude Code reads outside of the work dir only with permission. An added directory would give too much: the agent could write there,
 * and settings or notes that it left there would count in its next run.
 */
function readRules(directories: readonly string[] = []): readonly string[] {
  return directories.filter(name => PLAIN.test(name)).map(name => `Read(/${name}/**)`)
}

function instructionsArgs(file: string | null): readonly string[] {
  if (file === null) return []
  return ['--append-system-prompt-file', valid('instructions file', file, FILE)]
}

/**
 * Sets the current instructions on every run. Each resume needs the flag, changed or not: without it the agent returns
 * to the instructions that it recorded first. Unchanged instructions cost nothing, because they are in the prompt cache.
 */
function snapshotArgs({ kind }: Continuation, { quirks }: Runtime): readonly string[] {
  if (kind === 'new' || !quirks.includes(RECORDS_SYSTEM_PROMPT)) return []
  return ['--system-prompt-snapshot', 'off']
}

function maxTurnsArgs(maxTurns: number | undefined): readonly string[] {
  if (maxTurns === undefined) return []
  if (Number.isInteger(maxTurns) && maxTurns > 0) return ['--max-turns', String(maxTurns)]
  const what = `maxTurns is ${maxTurns}, not a whole number over 0`
  throw new RepriseError('bad-input', what, 'Leave `maxTurns` out, so that the agent has no limit.')
}

function settingsArgs(file: string | undefined): readonly string[] {
  return file === undefined ? [] : ['--settings', valid('settings file', file, FILE)]
}

function permissionMode(mode: string): string {
  if (PERMISSION_MODES.some(known => known === mode)) return mode
  throw noMode(mode, PERMISSION_MODES)
}
