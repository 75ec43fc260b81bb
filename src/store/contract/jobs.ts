// What a store does for jobs. A job's row is the truth about it; the engine only wakes who looks at it.
import type { Job, JobCount, JobStatus } from '../../core/job/job.ts'
import type { JobStep } from '../../core/job/retry.ts'
import type { RequestKey } from '../../core/run/request-key.ts'
import type { Enlistment } from './work.ts'

export type NewJob = Pick<
  Job,
  | 'id'
  | 'threadId'
  | 'prompt'
  | 'agent'
  | 'model'
  | 'workDir'
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
>

export type JobVerbs = {
  /**
   * The job, its thread and the work that the engine enlists, in one transaction: the acknowledgement.
   * Gives the id: with a key that was used before, of the job submitted then.
   */
  submitJob(job: NewJob, enlist: Enlistment, key?: RequestKey): Promise<string>
  job(id: string): Promise<Job | null>
  /** The job that owns a thread. */
  jobOfThread(threadId: string): Promise<Job | null>
  /** Newest first; `cursor` is the id of the last item. */
  listJobs(query: {
    readonly status?: JobStatus
    readonly cursor?: string
    readonly limit: number
  }): Promise<readonly Job[]>
  /** Those that are not over and that no work stands for, oldest first. */
  forgottenJobs(queue: string): Promise<readonly Job[]>
  countJobs(): Promise<readonly JobCount[]>
  /** An attempt begins. False when the job is over or shall be cancelled. */
  startAttempt(id: string, now: number): Promise<boolean>
  /** What a run led to; a run is settled once, and a job that is over stays so. */
  settleJob(
    id: string,
    settled: { readonly runId: string | null; readonly step: JobStep; readonly now: number },
  ): Promise<boolean>
  /** Back to the queue, with all its attempts before it and the work that the engine enlists. False while it is running. */
  requeueJob(
    id: string,
    again: {
      readonly how: Job['nextHow']
      /** What was before counts no more, also a run that has not been settled. */
      readonly attemptsFrom: number
      readonly settledRunId: string | null
      readonly now: number
    },
    enlist: Enlistment,
  ): Promise<boolean>
  /** Ends at once what does not run; who runs it is told by the engine. Gives the status seen. */
  requestJobCancel(id: string, now: number): Promise<JobStatus | null>
}
