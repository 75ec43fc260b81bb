// The exit codes of errors, and of runs, chains and jobs that have ended.
import type { Chain } from '../../api.ts'
import type { Job } from '../../core/job/job.ts'
import type { Run } from '../../core/run/run.ts'
import { type ErrorCode, RepriseError } from '../../errors.ts'

/** The meaning of every exit code; docs/cli.md is made from it. */
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
  return run.failure && ['budget', 'policy-violation'].includes(run.failure.class) ? 6 : 1
}

/** A chain that ended by a rule of its policy is not a failure of the agent. */
export function exitCodeOfChain({ status, because }: Pick<Chain, 'status' | 'because'>): ExitCode {
  if (status === 'resolved' || status === 'running') return 0
  if (status === 'cancelled') return 5
  if (status === 'held' || status === 'exhausted') return 6
  const stopped = 'class' in because && ['policy-violation', 'budget'].includes(because.class)
  return stopped ? 6 : 1
}

/** 5 for a job that is not over: only the waiting has ended. */
export function exitCodeOfJob({ status, step }: Pick<Job, 'status' | 'step'>): ExitCode {
  if (status === 'completed') return 0
  if (status !== 'failed' && status !== 'dead') return 5
  const reason = step?.do === 'stop' ? step.reason : null
  const isBudget =
    reason?.code === 'budget-used' || (reason?.code === 'not-retried' && reason.class === 'budget')
  return isBudget ? 6 : 1
}

export function asRepriseError(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error
  const message = error instanceof Error ? error.message : String(error)
  const disk = DISK_ERRORS[codeOf(error)]
  if (disk) return new RepriseError(disk.code, `${disk.why}: ${message}`, disk.hint, error)
  return new RepriseError(
    'internal',
    `unexpected: ${message}`,
    'run again with REPRISE_DEBUG=1 for the whole story, and please report it',
    error,
  )
}

type DiskError = { readonly code: ErrorCode; readonly why: string; readonly hint: string }

const FULL: DiskError = {
  code: 'store-full',
  why: 'there is no space left on a disk',
  hint: 'Run `df -h` to see which one, free some space and run the command again; nothing that was acknowledged is lost.',
}

const NOT_OURS: DiskError = {
  code: 'store-unusable',
  why: 'a file cannot be used',
  hint: 'Run `reprise doctor`; make the file and its directory readable and writable for you: `chmod u+rw`.',
}

/** What the file system refuses is no fault of ours. */
const DISK_ERRORS: Readonly<Record<string, DiskError>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: NOT_OURS,
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
