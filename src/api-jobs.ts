// What users say and see of jobs; part of api.ts.
import type { Keeping, RemovedCheckpoints } from './core/job/checkpoint-keeping.ts'
import type { Job, JobStatus } from './core/job/job.ts'
import type { JobPolicy } from './core/job/job-policy.ts'
import type { RequestKey } from './core/run/request-key.ts'
import type { Failure, Run } from './core/run/run.ts'
import type { SandboxMode } from './core/run/sandbox.ts'
import type { Trust } from './core/run/trust.ts'

export type Jobs = {
  /** Resolves when the job is stored: from then on it survives whatever happens. */
  submit(request: JobRequest): Promise<JobDetails>
  /** Throws `not-found`. */
  get(id: string): Promise<JobDetails>
  /** Newest first. */
  list(query?: {
    readonly status?: JobStatus
    readonly cursor?: string
    readonly limit?: number
  }): Promise<readonly Job[]>
  /** Once more, by hand; without `resume: false` in the same session as far as that is possible. */
  retry(id: string, options?: { readonly resume?: boolean }): Promise<JobDetails>
  /** The whole tree of a running attempt ends in bounded time. */
  cancel(id: string): Promise<JobDetails>
  /** Until it is over, or the signal aborts. */
  wait(id: string, signal?: AbortSignal): Promise<JobDetails>
  /** With its thread and its checkpoints. A running one is refused (`busy`); of a row of jobs, no other follows. */
  remove(id: string): Promise<Removed>
  /** Removes checkpoints that are older than the settings say, and those whose job is gone. */
  prune(): Promise<readonly RemovedCheckpoints[]>
  /** Files and thread as they were at a checkpoint; the next attempt goes on from there. */
  restore(id: string, checkpoint: number): Promise<RestoredJob>
}

export type JobRequest = Partial<
  Pick<
    JobPolicy,
    | 'maxAttempts'
    | 'maxWaits'
    | 'timeoutMs'
    | 'idleTimeoutMs'
    | 'queueTimeoutMs'
    | 'totalTimeoutMs'
    | 'resume'
    | 'onSideEffects'
    | 'budgetUsd'
  >
> & {
  readonly prompt: string
  readonly workDir: string
  readonly agent?: string
  readonly model?: string
  /** Default: `acceptEdits`, as nobody is there to be asked. */
  readonly permissionMode?: string
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** Default: as the agent is configured, else `project` and `none`. */
  readonly trust?: Trust
  readonly sandbox?: SandboxMode
  readonly instructions?: string
  readonly backoff?: Partial<JobPolicy['backoff']>
  /** States of a git work dir before and after each attempt; `auto` where there is a repository. */
  readonly checkpoints?: 'auto' | 'off'
  /** Jobs of one key run one after the other. */
  readonly concurrencyKey?: string
  /** Higher first. */
  readonly priority?: number
  /** It comes again, as long as nobody cancels it; never twice at a time. */
  readonly schedule?: RecurrenceRequest
  /** A job submitted again with its key is the same job. */
  readonly key?: RequestKey
}

/** Even steps from now on; or a cron expression (a text alone is one), in the time zone of the host if none is named. */
export type RecurrenceRequest =
  | string
  | { readonly everyMs: number }
  | { readonly cron: string; readonly timezone?: string }

export type JobDetails = Job & {
  /** In order. */
  readonly attempts: readonly Run[]
  /** Of the latest attempt. */
  readonly failure: Failure | null
  readonly costUsd: number
  readonly checkpoints: readonly JobCheckpoint[]
  /** What the agent said last. */
  readonly text: string | null
  /** Why it waits, or how it ended, in words. */
  readonly words: string | null
}

/** The state of a git work dir before or after an attempt, under a ref of its own. */
export type JobCheckpoint = {
  readonly number: number
  readonly kind: 'before' | 'after' | 'safety'
  readonly at: number
  readonly ref: string
  readonly commit: string
  readonly head: { readonly commit: string | null; readonly branch: string | null }
  /** Paths whose content is not in it. */
  readonly notKept: readonly string[]
}

export type RestoredJob = {
  readonly job: JobDetails
  readonly checkpoint: JobCheckpoint
  /** The state as it was a moment before. */
  readonly safety: JobCheckpoint
  readonly changes: readonly {
    readonly path: string
    readonly status: 'added' | 'changed' | 'removed'
  }[]
}

/** A thread or a job that was removed. */
export type Removed = {
  readonly id: string
  /** What became of its checkpoints, repository by repository. */
  readonly checkpoints: readonly RemovedCheckpoints[]
}

/** Checkpoints of one job in one repository. */
export type KeptCheckpoints = Pick<RemovedCheckpoints, 'jobId' | 'repository' | 'count'> & {
  /** `unknown`: this data directory knows no such job; another one may. */
  readonly keeping: Keeping | 'unknown'
}
