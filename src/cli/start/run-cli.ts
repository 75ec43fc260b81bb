// From arguments to an exit code: parses the arguments, runs the verb, prints errors.
import { CommanderError } from 'commander'
import { RepriseError } from '../../errors.ts'
import { printJson } from '../view/print.ts'
import { printError } from '../view/print-trouble.ts'
import { sanitise } from '../view/sanitise.ts'
import { asRepriseError } from './exit-code.ts'
import type { Io } from './io.ts'
import { buildProgram, GROUPS } from './program.ts'

export async function runCli(args: readonly string[], io: Io): Promise<number> {
  let exitCode = 0
  const keep = (code: number) => {
    exitCode = code
  }
  const program = buildProgram(io, keep)
  try {
    await program.parseAsync(withDefaultVerb(args), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? 0 : 2
    return refuse(args, io, error instanceof CommanderError ? usageError(error) : error)
  }
}

/** Prints an error as text or JSON, as the arguments ask, and returns the exit code. */
export function refuse(args: readonly string[], io: Io, error: unknown): number {
  const known = asRepriseError(error)
  report(io, known, wantsJson(args))
  return known.exitCode
}

/** `reprise threads` means `reprise threads ls`, `reprise config` means `reprise config show`. */
function withDefaultVerb(args: readonly string[]): string[] {
  const [group, verb] = args
  const standard = group !== undefined && Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined
  if (group === undefined || standard === undefined) return [...args]
  if (verb === '--help' || verb === '-h') return [...args]
  return verb === undefined || verb.startsWith('-')
    ? [group, standard, ...args.slice(1)]
    : [...args]
}

function isHelp(error: CommanderError): boolean {
  return error.exitCode === 0 || error.code === 'commander.help'
}

function usageError(error: CommanderError): RepriseError {
  const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ')
  return new RepriseError('bad-input', message, HINTS[error.code] ?? DEFAULT_HINT, error)
}

const DEFAULT_HINT = 'see `reprise help`, or `--help` after the verb'
const HINTS: Readonly<Record<string, string>> = {
  'commander.unknownOption':
    'see `--help` after the verb; text that starts with `-` goes after `--`',
  'commander.excessArguments': 'put quotes around text with spaces',
}

/** Did the caller ask for JSON? Works also when the arguments cannot be parsed. */
function wantsJson(args: readonly string[]): 'json' | 'text' {
  const end = args.indexOf('--')
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.includes('--json') || flags.includes('--stream-json') ? 'json' : 'text'
}

function report(io: Io, error: RepriseError, as: 'json' | 'text'): void {
  if (io.env.REPRISE_DEBUG) io.stderr.write(`${sanitise(String(error.stack))}\n`)
  const { code, message, hint } = error
  if (as === 'json') {
    printJson(io, { error: { code, message, hint } })
    return
  }
  printError(io, error)
}
