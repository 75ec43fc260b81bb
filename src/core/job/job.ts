// Durable work: a prompt, a work dir and a policy. Its attempts are runs on a thread of its own.

import type { SandboxMode } from '../run/sandbox.ts'
import type { Trust } from '../run/trust.ts'
import type { Workspace } from '../run/workspace.ts'
import type { JobPolicy } from './job-policy.ts'
import type { Recurrence } from './recurrence.ts'
import type { JobStep } from './retry.ts'

/** How a job stands. */
export type JobStatus =
  | 'queued'
  | 'running'
  /** The job waits for its next attempt. */
  | 'waiting'
  /** The job waits until a usage limit ends. */
  | 'parked'
  | 'completed'
  /** A retry cannot help. */
  | 'failed'
  | 'cancelled'
  /** The job used up its attempts; it runs again only when a person retries it. */
  | 'dead'

export const OPEN_JOB_STATUSES: readonly JobStatus[] = ['queued', 'running', 'waiting', 'parked']

/** Durable work: a prompt, a work dir and a policy, with its state. */
export type Job = {
  readonly id: string
  /** The thread that the job owns. */
  readonly threadId: string
  readonly status: JobStatus
  readonly prompt: string
  readonly agent: string
  readonly model: string | null
  /** For a repository: the work tree of the host that made one last. */
  readonly workDir: string
  /** The host whose path `workDir` is; `null`: any host, or not known. */
  readonly host: string | null
  /** The repository that each host checks out for itself; `null`: `workDir` is a directory of `host`. */
  readonly workspace: Workspace | null
  /** A directory that several hosts share and that holds `workDir`; their workers may have the job as well. */
  readonly sharedRoot: string | null
  /** Only workers that have all of them may have the job. */
  readonly labels: readonly string[]
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** `null`: as the agent is configured. */
  readonly trust: Trust | null
  /** `null`: as the agent is configured. */
  readonly sandbox: SandboxMode | null
  readonly instructions: string | null
  /** How often, how long and how far apart its attempts are. */
  readonly policy: JobPolicy
  readonly checkpointing: 'auto' | 'off'
  /** Jobs with the same key run one after the other. */
  readonly concurrencyKey: string | null
  /** Jobs with a higher priority run first. */
  readonly priority: number
  /** When the job is repeated; `null`: never. */
  readonly schedule: Recurrence | null
  /** When the job was due: when it was submitted, or its time on the schedule. Limits of the whole job count from here. */
  readonly dueAt: number
  /** The first job of a series of repeated jobs. */
  readonly rootId: string | null
  /** When the next attempt may begin; `null` when none is planned. */
  readonly nextAttemptAt: number | null
  /** Whether the next attempt resumes the session or starts afresh. */
  readonly nextHow: 'resume' | 'fresh'
  /** What followed from the latest attempt; `null` before its end. */
  readonly step: JobStep | null
  /** The run that `step` followed from. */
  readonly settledRunId: string | null
  /** Attempts before this number do not count: a retry by a person starts the count again. */
  readonly attemptsFrom: number
  readonly cancelRequested: boolean
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** The job's status after a decided step. */
export function statusAfter(step: JobStep): JobStatus {
  switch (step.do) {
    case 'finish':
      return 'completed'
    case 'cancel':
      return 'cancelled'
    case 'retry':
      return step.while
    case 'stop':
      return step.as
  }
}

export type JobCount = { readonly status: JobStatus; readonly jobs: number }
