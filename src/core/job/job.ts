// Durable work: a prompt, a work dir and a policy. Its attempts are runs on a thread of its own.

import type { SandboxMode } from '../run/sandbox.ts'
import type { Trust } from '../run/trust.ts'
import type { JobPolicy } from './job-policy.ts'
import type { Recurrence } from './recurrence.ts'
import type { JobStep } from './retry.ts'

export type JobStatus =
  | 'queued'
  | 'running'
  /** For the next attempt. */
  | 'waiting'
  /** Until a usage limit ends. */
  | 'parked'
  | 'completed'
  /** Trying again cannot help. */
  | 'failed'
  | 'cancelled'
  /** Out of attempts; stays so until somebody retries it. */
  | 'dead'

export const OPEN_JOB_STATUSES: readonly JobStatus[] = ['queued', 'running', 'waiting', 'parked']

export type Job = {
  readonly id: string
  /** The thread it owns. */
  readonly threadId: string
  readonly status: JobStatus
  readonly prompt: string
  readonly agent: string
  readonly model: string | null
  readonly workDir: string
  readonly permissionMode: string
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** `null`: as its agent is configured. */
  readonly trust: Trust | null
  readonly sandbox: SandboxMode | null
  readonly instructions: string | null
  readonly policy: JobPolicy
  readonly checkpointing: 'auto' | 'off'
  /** Jobs of one key run one after the other. */
  readonly concurrencyKey: string | null
  /** Higher first. */
  readonly priority: number
  /** When it comes again; `null`: once. */
  readonly schedule: Recurrence | null
  /** When it was to begin: when it was submitted, or its time on the schedule. Limits of the whole job count from here. */
  readonly dueAt: number
  /** The first job of a row that comes again and again. */
  readonly rootId: string | null
  readonly nextAttemptAt: number | null
  readonly nextHow: 'resume' | 'fresh'
  /** What the latest attempt led to; `null` before its end. */
  readonly step: JobStep | null
  /** The run that `step` was made of. */
  readonly settledRunId: string | null
  /** Runs before this many belong to an earlier life: a retry by hand counts anew. */
  readonly attemptsFrom: number
  readonly cancelRequested: boolean
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** After a step that was decided. */
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
