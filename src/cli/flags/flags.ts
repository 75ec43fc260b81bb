// Flags that several verbs share: their definitions, their types as commander gives them, and the options made from them.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TurnOptions } from '../../api.ts'
import { CARRIES, type Carry } from '../../core/chain/carry.ts'
import { SANDBOX_MODES, type SandboxMode } from '../../core/run/sandbox.ts'
import { TRUSTS, type Trust } from '../../core/run/trust.ts'
import {
  BROWSER_SCOPES,
  type BrowserScope,
  SCOPES,
  type Scope,
} from '../../daemon/contract/scope.ts'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'
import type { TurnOutput } from '../view/stream-turn.ts'
import { decoded } from './decoded.ts'
import { parseDuration } from './recurrence-flags.ts'

export type JsonFlag = { readonly json?: true }

/** The flags about the agent, for turns and for jobs. */
export type AgentFlags = JsonFlag & {
  readonly agent?: string
  readonly model?: string
  readonly cwd?: string
  readonly permissionMode?: string
  readonly allowTools?: readonly string[]
  readonly denyTools?: readonly string[]
  readonly instructions?: string
  readonly trust?: Trust
  readonly untrusted?: true
  readonly sandbox?: SandboxMode
}

export type TurnFlags = AgentFlags & {
  readonly freshSession?: true
  readonly carry?: Carry
  readonly ask?: true
  /** False with `--no-wait`. */
  readonly wait: boolean
  readonly streamJson?: true
}

export function addJsonFlag(command: Command): Command {
  return command.option('--json', 'print one JSON value')
}

/** `who` and `mode` describe two flags, with the default that the verb has. */
export function addAgentFlags(
  command: Command,
  words: { readonly who: string; readonly mode: string },
): Command {
  return command
    .option('-a, --agent <name>', words.who)
    .option('-m, --model <model>', 'the model the agent uses')
    .option('--cwd <dir>', 'the directory the agent works in')
    .option('--permission-mode <mode>', words.mode)
    .option(
      '--allow-tools <list>',
      'tools the agent may use without asking, separated by commas',
      addTools,
    )
    .option('--deny-tools <list>', 'tools the agent must not use, separated by commas', addTools)
    .option(
      '--instructions <file>',
      'a file with instructions for the system prompt; the thread keeps them until you give others; an empty file clears them',
    )
    .addOption(
      new Option(
        '--trust <whose>',
        'whose settings, hooks and servers the agent loads (default: project, as without Reprise)',
      ).choices(TRUSTS),
    )
    .addOption(
      new Option(
        '--untrusted',
        'the same as --trust none: the agent loads nothing from this directory by itself',
      ).conflicts('trust'),
    )
    .addOption(
      new Option(
        '--sandbox <mode>',
        "the sandbox around the agent's processes (default: none)",
      ).choices(SANDBOX_MODES),
    )
}

export function addTurnFlags(command: Command): Command {
  const streaming = addJsonFlag(command).addOption(
    new Option('--stream-json', 'print one event per line').conflicts('json'),
  )
  return addAgentFlags(streaming, {
    who: 'the agent that answers (default: the agent of the thread, or of the config)',
    mode: 'how the agent treats permissions',
  })
    .option('--fresh-session', 'do not resume: start a new session with the conversation so far')
    .addOption(
      carryOption(
        'the agent gets of the conversation; a new thread keeps it (default: as the thread says, or the config)',
      ),
    )
    .option('--ask', 'let the agent ask; answer in the terminal or with `reprise runs answer`')
    .option(
      '--no-wait',
      'fail with exit 4 when the thread is busy, instead of waiting in the queue',
    )
}

export function carryOption(what: string): Option {
  const ways =
    'whole; trimmed: long outputs cut; note: a new session; auto: the cheapest that loses nothing'
  return new Option('--carry <way>', `what ${what}: ${ways}`).choices(CARRIES)
}

/** All options but the directory: a turn takes it from its thread by default. */
export function agentOptionsOf(io: Io, flags: AgentFlags) {
  return {
    ...(flags.agent !== undefined && { agent: flags.agent }),
    ...(flags.model !== undefined && { model: flags.model }),
    ...(flags.permissionMode !== undefined && { permissionMode: flags.permissionMode }),
    ...(flags.allowTools && { allowedTools: flags.allowTools }),
    ...(flags.denyTools && { disallowedTools: flags.denyTools }),
    ...(flags.instructions !== undefined && { instructions: readText(io, flags.instructions) }),
    ...confinesFlags(flags),
  }
}

/** Trust and sandbox, for a new thread and for each turn. */
export function confinesFlags(flags: Pick<AgentFlags, 'trust' | 'untrusted' | 'sandbox'>) {
  const trust = flags.untrusted ? 'none' : flags.trust
  return {
    ...(trust !== undefined && { trust }),
    ...(flags.sandbox !== undefined && { sandbox: flags.sandbox }),
  }
}

export function turnOptionsOf(io: Io, flags: TurnFlags): TurnOptions {
  return {
    ...agentOptionsOf(io, flags),
    ...(flags.cwd !== undefined && { workDir: resolve(io.cwd, flags.cwd) }),
    ...(flags.freshSession && { freshSession: true }),
    ...(flags.carry !== undefined && { carry: flags.carry }),
    ...(flags.ask && { questions: 'ask' as const }),
    whenBusy: flags.wait ? 'queue' : 'fail',
  }
}

export function outputOf(flags: TurnFlags): TurnOutput {
  if (flags.streamJson) return 'stream-json'
  return flags.json ? 'json' : 'text'
}

export function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000.')
}

export function parseSequence(text: string): number {
  const sequence = Number(text)
  if (Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  throw new InvalidArgumentError('It must be a whole number.')
}

/** A date, or a time before now such as 2h. Gives milliseconds since 1970. */
export function parseSince(text: string): number {
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Date.now() - parseDuration(text)
  if (Number.isFinite(date)) return Math.max(0, date)
  throw new InvalidArgumentError('It must be a date such as 2026-01-31.')
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new InvalidArgumentError('It must be a whole number from 1 on.')
}

export function parseDollars(text: string): number {
  const dollars = Number(text)
  if (Number.isFinite(dollars) && dollars > 0) return dollars
  throw new InvalidArgumentError('It must be a number of dollars over 0.')
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

export function parseScopes(text: string): readonly Scope[] {
  return scopesIn(text, SCOPES)
}

export function parseBrowserScopes(text: string): readonly BrowserScope[] {
  return scopesIn(text, BROWSER_SCOPES)
}

function scopesIn<S extends Scope>(text: string, known: readonly S[]): readonly S[] {
  const given = text.split(',').map(scope => scope.trim())
  const wrong = given.find(scope => !known.some(one => one === scope))
  if (wrong === undefined) return known.filter(scope => given.includes(scope))
  throw new InvalidArgumentError(`\`${wrong}\` is not one of ${known.join(', ')}.`)
}

export function readText(io: Io, file: string): string {
  return decoded(readBytes(resolve(io.cwd, file), file), file)
}

function readBytes(path: string, file: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new RepriseError(
      'bad-input',
      `${file} cannot be read: ${why}`,
      'Check the path: it is relative to the current directory.',
      error,
    )
  }
}

function addTools(list: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitTools(list)]
}

/**
 * Splits at commas outside parentheses: `Bash(git add:*, git commit:*),Read` are two tools.
 * An unclosed parenthesis stays with its tool and is refused later: `Bash` alone would allow far more than `Bash(ls`.
 */
export function splitTools(list: string): readonly string[] {
  const tools = list.match(/(?:\([^)]*(?:\)|$)|[^,(])+/g) ?? []
  return tools.map(tool => tool.trim()).filter(tool => tool !== '')
}

/** Adds one `question=answer`, for example `Which database?=Postgres`. */
export function addChoice(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.lastIndexOf('=')
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
  throw new InvalidArgumentError('It must be the question, `=` and the answer.')
}
