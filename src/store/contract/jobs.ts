// What a store does for jobs. A job's row is the truth about it; the engine only wakes a worker.
import type { Job, JobCount, JobStatus } from '../../core/job/job.ts'
import type { JobStep } from '../../core/job/retry.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { TraceContext } from '../../core/trace/trace-context.ts'
import type { Enlistment } from './work.ts'

export type NewJob = Pick<
  Job,
  | 'id'
  | 'threadId'
  | 'prompt'
  | 'agent'
  | 'model'
  | 'workDir'
  | 'host'
  | 'sharedRoot'
  | 'labels'
  | 'workspace'
  | 'permissionMode'
  | 'allowedTools'
  | 'disallowedTools'
  | 'trust'
  | 'sandbox'
  | 'instructions'
  | 'policy'
  | 'checkpointing'
  | 'concurrencyKey'
  | 'priority'
  | 'schedule'
  | 'dueAt'
  | 'rootId'
  | 'nextAttemptAt'
  | 'createdAt'
> & {
  /** The trace that its attempts belong to. */
  readonly trace?: TraceContext | null
}

export type JobVerbs = {
  /**
   * Stores the job, its thread and the work that the engine enlists in one transaction: the acknowledgement.
   * Gives the job's id; with a key that was used before, the id of the job submitted then.
   */
  submitJob(job: NewJob, enlist: Enlistment, key?: RequestKey): Promise<string>
  job(id: string): Promise<Job | null>
  /** The job that owns a thread. */
  jobOfThread(threadId: string): Promise<Job | null>
  /** Newest first; `cursor` is the id of the last item. */
  listJobs(query: {
    readonly status?: JobStatus
    /** Only jobs that were submitted at this time or later. */
    readonly since?: number
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly Job[]>
  /** Oldest first. */
  openJobIds(): Promise<readonly string[]>
  countJobs(): Promise<readonly JobCount[]>
  /** Records that an attempt begins. False when the job is over or somebody cancelled it. */
  startAttempt(id: string, now: number): Promise<boolean>
  /** Records the step after a run. A run is settled once, and a job that is over stays over. */
  settleJob(
    id: string,
    settled: { readonly runId: string | null; readonly step: JobStep; readonly now: number },
  ): Promise<boolean>
  /** Puts the job back into the queue with all its attempts, and the work that the engine enlists. False while it is running. */
  requeueJob(
    id: string,
    again: {
      readonly how: Job['nextHow']
      /** Attempts before this number no longer count, even a run that is not settled. */
      readonly attemptsFrom: number
      readonly settledRunId: string | null
      readonly now: number
    },
    enlist: Enlistment,
  ): Promise<boolean>
  /** Ends a job at once unless it is running; then the engine notifies its worker. Gives the status seen. */
  requestJobCancel(id: string, now: number): Promise<JobStatus | null>
}
