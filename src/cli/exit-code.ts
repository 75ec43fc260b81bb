// What the shell is told: exit codes of errors and of ended runs.
import type { Run } from '../core/run.ts'
import { RepriseError } from '../errors.ts'

/** The meaning of every exit code; documented from here. */
export const EXIT_CODES = {
  0: 'done',
  1: "the agent's work failed",
  2: 'wrong use: flags, input, config, or no usable agent',
  3: 'not found',
  4: 'conflict, or busy',
  5: 'cancelled',
  6: 'a budget or a policy stopped it',
  70: 'our fault, or a store or Node that cannot be used',
} as const

export type ExitCode = keyof typeof EXIT_CODES

export function exitCodeOf(run: Pick<Run, 'status' | 'failure'>): ExitCode {
  if (run.status === 'completed') return 0
  if (run.status === 'cancelled') return 5
  return run.failure?.class === 'budget' ? 6 : 1
}

export function asRepriseError(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new RepriseError(
    'internal',
    `unexpected: ${message}`,
    'run again with REPRISE_DEBUG=1 for the whole story, and please report it',
    error,
  )
}
