// What users say and see of jobs; part of api.ts.
import type { Keeping, RemovedCheckpoints } from './core/job/checkpoint-keeping.ts'
import type { TreeDiff } from './core/job/file-diff.ts'
import type { Job, JobStatus } from './core/job/job.ts'
import type { JobPolicy } from './core/job/job-policy.ts'
import type { WaitingInWords } from './core/job/waiting-for.ts'
import type { Optional } from './core/optional.ts'
import type { PermissionMode } from './core/run/permission-mode.ts'
import type { RequestKey } from './core/run/request-key.ts'
import type { Failure, Run } from './core/run/run.ts'
import type { EventPlace, RunEvent } from './core/run/run-events.ts'
import type { SandboxMode } from './core/run/sandbox.ts'
import type { Trust } from './core/run/trust.ts'
import type { WorkPlace } from './core/run/workspace.ts'
import type { TraceContext } from './core/trace/trace-context.ts'

/** Durable work: prompts that are retried until they are done. */
export type Jobs = {
  /** Resolves when the job is stored. From then on the job survives any crash. */
  submit(request: JobRequest): Promise<JobDetails>
  /** Throws `not-found`. */
  get(id: string): Promise<JobDetails>
  /** Lists jobs, newest first. */
  list(
    query?: Optional<{
      readonly status: JobStatus
      /** Only jobs that were submitted at this time or later, in milliseconds since 1970. */
      readonly since: number
      readonly cursor: string
      readonly limit: number
    }>,
  ): Promise<readonly ListedJob[]>
  /** Tries once more, by hand. It resumes the session where possible, unless `resume` is false. */
  retry(id: string, options?: Optional<{ readonly resume: boolean }>): Promise<JobDetails>
  /** Ends a running attempt with all its processes in bounded time, and the job with it. */
  cancel(id: string): Promise<JobDetails>
  /** Resolves when the job is over, or, when the signal aborts, with the job as it is then. */
  wait(id: string, signal?: AbortSignal): Promise<JobDetails>
  /**
   * Gives the events of all attempts, in order and each once, until the job is over or the signal aborts. Between two
   * attempts it waits, over restarts of the process that works on the job. `after` is the place of the last event that
   * was read. It only reads: unlike `wait`, it does not make this process a worker.
   */
  follow(
    id: string,
    options?: Optional<{ readonly after: EventPlace; readonly signal: AbortSignal }>,
  ): AsyncIterable<RunEvent>
  /**
   * Removes the job with its thread and its checkpoints. Throws `busy` while it runs. A repeated job is not repeated
   * any more.
   */
  remove(id: string): Promise<Removed>
  /** Removes checkpoints that are older than the settings say, and checkpoints whose job is gone. */
  prune(): Promise<readonly RemovedCheckpoints[]>
  /** Compares a checkpoint with the one before it; the first one with the commit that HEAD was at. Throws `not-found`. */
  diff(id: string, checkpoint: number): Promise<CheckpointDiff>
  /** Says what `restore` would change now: files, and messages that would leave the branch. It changes nothing. */
  previewRestore(id: string, checkpoint: number): Promise<RestorePreview>
  /** Restores files and thread as they were at a checkpoint. The next attempt continues from there. */
  restore(id: string, checkpoint: number): Promise<RestoredJob>
}

/** What a job is submitted with. */
export type JobRequest = Optional<
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
    | 'carry'
  >
> &
  WorkPlace & {
    /** The task. */
    readonly prompt: string
    /** Default: the default agent. */
    readonly agent?: string | undefined
    /** Default: the one in the config of the agent, else that of the session which continues, else the agent chooses. */
    readonly model?: string | undefined
    /** Default: a mode of the agent in which it asks nobody, such as `acceptEdits`. */
    readonly permissionMode?: PermissionMode | undefined
    /** Tools that the agent may use without asking, as rules in its own words. */
    readonly allowedTools?: readonly string[] | undefined
    /** Tools that the agent may not use, as rules in its own words. */
    readonly disallowedTools?: readonly string[] | undefined
    /** Whose settings take part; default: as the agent is configured, else `project`. */
    readonly trust?: Trust | undefined
    /** What holds the processes; default: as the agent is configured, else `none`. */
    readonly sandbox?: SandboxMode | undefined
    /** Text for the system prompt. */
    readonly instructions?: string | undefined
    /** How long to wait between attempts after an outage. */
    readonly backoff?: Optional<JobPolicy['backoff']> | undefined
    /** Stores the state of a git work dir before and after each attempt; `auto` (default) where there is a repository. */
    readonly checkpoints?: 'auto' | 'off' | undefined
    /** Only workers that have all of these labels may have the job. */
    readonly labels?: readonly string[] | undefined
    /** Jobs with the same key run one after the other. */
    readonly concurrencyKey?: string | undefined
    /** Jobs with a higher priority run first; default: 0. */
    readonly priority?: number | undefined
    /** Repeats the job until somebody cancels it, never twice at a time. */
    readonly schedule?: RecurrenceRequest | undefined
    /** The trace that it belongs to; default: the active span, when telemetry is on. A malformed one is ignored. */
    readonly trace?: TraceContext | undefined
    /** A job that is submitted again with its key is the same job. */
    readonly key?: RequestKey | undefined
  }

/**
 * When work is repeated: in even steps from now on, or by a cron expression (a text alone is one) in a time zone
 * (default: that of the host).
 */
export type RecurrenceRequest =
  | string
  | { readonly everyMs: number }
  | { readonly cron: string; readonly timezone?: string | undefined }

/** A job, and why no worker takes it. */
export type ListedJob = Job & {
  /** Why no worker takes the job although it is due; `null` when one works on it or will at once. */
  readonly waitingFor: WaitingInWords | null
}

/** A job with its attempts and checkpoints. */
export type JobDetails = ListedJob & {
  /** In order. */
  readonly attempts: readonly Run[]
  /** Why the latest attempt failed; `null` when it did not. */
  readonly failure: Failure | null
  /** The sum over all attempts. */
  readonly costUsd: number
  readonly checkpoints: readonly JobCheckpoint[]
  /** What the agent said last. */
  readonly text: string | null
  /** Why the job waits or how it ended, in words. */
  readonly words: string | null
}

/** The state of a git work dir before or after an attempt, under a ref of our own. */
export type JobCheckpoint = {
  /** Counts from 1 within the job. */
  readonly number: number
  /** `safety`: taken before the files were restored to another checkpoint. */
  readonly kind: 'before' | 'after' | 'safety'
  /** When it was taken, in milliseconds. */
  readonly at: number
  readonly ref: string
  readonly commit: string
  /** Where HEAD was. */
  readonly head: { readonly commit: string | null; readonly branch: string | null }
  /** Paths whose content is not in the checkpoint. */
  readonly notKept: readonly string[]
}

/** What changed in a work dir up to a checkpoint. Secrets that can be recognised are left out of the patches. */
export type CheckpointDiff = TreeDiff & {
  /** The number of the checkpoint before it; `null`: the commit that HEAD was at. */
  readonly from: number | null
  readonly to: number
}

/** What restoring a checkpoint would change. */
export type RestorePreview = Pick<RestoredJob, 'checkpoint' | 'changes'> & {
  /** How many messages of the thread would leave the branch. */
  readonly messages: number
}

/** What restoring a checkpoint changed. */
export type RestoredJob = {
  readonly job: JobDetails
  readonly checkpoint: JobCheckpoint
  /** The state of the work dir just before. */
  readonly safety: JobCheckpoint
  /** What restoring did to the files. */
  readonly changes: readonly {
    readonly path: string
    readonly status: 'added' | 'changed' | 'removed'
  }[]
}

/** A thread or a job that was removed. */
export type Removed = {
  readonly id: string
  /** What happened to its checkpoints, repository by repository. */
  readonly checkpoints: readonly RemovedCheckpoints[]
}

/** Checkpoints of one job in one repository. */
export type KeptCheckpoints = Pick<RemovedCheckpoints, 'jobId' | 'repository' | 'count'> & {
  /** `unknown`: this data directory does not know the job; another one may. */
  readonly keeping: Keeping | 'unknown'
}
