// Jobs as they go over the wire: the whole record with its attempts and checkpoints.
import { z } from '@hono/zod-openapi'
import type {
  CheckpointDiff,
  JobCheckpoint,
  JobDetails,
  ListedJob,
  Removed,
  RestoredJob,
  RestorePreview,
} from '../../api.ts'
import type { RemovedCheckpoints } from '../../core/job/checkpoint-keeping.ts'
import type { Job, JobStatus } from '../../core/job/job.ts'
import type { JobPolicy } from '../../core/job/job-policy.ts'
import type { JobStep, RetryReason, StopReason } from '../../core/job/retry.ts'
import type { WaitingInWords } from '../../core/job/waiting-for.ts'
import {
  carrySchema,
  dollars,
  id,
  listOf,
  mayBeMissing,
  orNull,
  sandboxModeSchema,
  time,
  trustSchema,
  wholeNumber,
  workspaceSchema,
} from './fields.ts'
import { recurrenceSchema } from './recurrence.ts'
import { failureSchema, runSchema } from './run.ts'

export const jobStatusSchema = z
  .enum(['queued', 'running', 'waiting', 'parked', 'completed', 'failed', 'cancelled', 'dead'])
  .openapi('JobStatus') satisfies z.ZodType<JobStatus>

const failureClass = failureSchema.shape.class

const retryReasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('interrupted'), class: failureClass }),
  z.object({ code: z.literal('outside'), class: failureClass, inARow: wholeNumber }),
  z.object({ code: z.literal('limit-resets'), resetsAt: time }),
  z.object({
    code: z.literal('not-started'),
    message: z.string(),
    hint: z.string(),
    inARow: wholeNumber,
  }),
  z.object({ code: z.literal('session-suspect'), class: failureClass }),
  z.object({ code: z.literal('resumes-fruitless'), count: wholeNumber, max: wholeNumber }),
]) satisfies z.ZodType<RetryReason>

const stopReasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('not-retried'), class: failureClass }),
  z.object({ code: z.literal('attempts-used'), class: failureClass, max: wholeNumber }),
  z.object({ code: z.literal('waits-used'), class: failureClass, max: wholeNumber }),
  z.object({ code: z.literal('budget-used'), spentUsd: dollars, budgetUsd: dollars }),
  z.object({ code: z.literal('deadline'), at: time }),
  z.object({ code: z.literal('conflicts'), detail: z.string() }),
  z.object({ code: z.literal('not-started'), message: z.string(), hint: z.string() }),
  z.object({ code: z.literal('waited-too-long'), queueTimeoutMs: z.number() }),
  z.object({ code: z.literal('given-up'), error: z.string() }),
  z.object({ code: z.literal('side-effects'), class: failureClass, toolsRan: wholeNumber }),
]) satisfies z.ZodType<StopReason>

export const stepSchema = z
  .discriminatedUnion('do', [
    z.object({ do: z.literal('finish') }),
    z.object({ do: z.literal('cancel') }),
    z.object({
      do: z.literal('retry'),
      while: z.enum(['waiting', 'parked']),
      at: time,
      how: z.enum(['resume', 'fresh']),
      reason: retryReasonSchema,
    }),
    z.object({
      do: z.literal('stop'),
      as: z.enum(['failed', 'dead']),
      reason: stopReasonSchema,
    }),
  ])
  .openapi('JobStep') satisfies z.ZodType<JobStep>

const backoffSchema = z.object({
  firstMs: z.number(),
  factor: z.number(),
  maxMs: z.number(),
  jitter: z.number(),
})

const policySchema = z
  .object({
    maxAttempts: wholeNumber,
    maxWaits: wholeNumber,
    timeoutMs: z.number(),
    idleTimeoutMs: z.number(),
    queueTimeoutMs: z.number().nullable(),
    totalTimeoutMs: z.number().nullable(),
    backoff: backoffSchema,
    resume: z.enum(['auto', 'never']),
    maxFruitlessResumes: wholeNumber,
    onSideEffects: z.enum(['brief', 'stop']),
    budgetUsd: dollars.nullable(),
    /** What an attempt gets of the conversation; absent: as the config says. */
    carry: mayBeMissing(carrySchema),
  })
  .openapi('JobPolicy') satisfies z.ZodType<JobPolicy>

export const jobSummarySchema = z
  .object({
    id,
    threadId: id,
    status: jobStatusSchema,
    prompt: z.string(),
    agent: z.string(),
    model: z.string().nullable(),
    workDir: z.string(),
    /** The host whose path `workDir` is; null: any host, or not known. */
    host: z.string().nullable(),
    workspace: orNull(workspaceSchema),
    sharedRoot: z.string().nullable(),
    labels: listOf(z.string()),
    permissionMode: z.string(),
    allowedTools: listOf(z.string()),
    disallowedTools: listOf(z.string()),
    trust: trustSchema.nullable(),
    sandbox: sandboxModeSchema.nullable(),
    instructions: z.string().nullable(),
    policy: policySchema,
    checkpointing: z.enum(['auto', 'off']),
    concurrencyKey: z.string().nullable(),
    priority: wholeNumber,
    schedule: orNull(recurrenceSchema),
    dueAt: time,
    rootId: z.string().nullable(),
    nextAttemptAt: time.nullable(),
    nextHow: z.enum(['resume', 'fresh']),
    step: orNull(stepSchema),
    settledRunId: z.string().nullable(),
    attemptsFrom: wholeNumber,
    cancelRequested: z.boolean(),
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
  })
  .openapi('JobSummary') satisfies z.ZodType<Job>

const waiting = { since: time, words: z.string(), hint: z.string() }

export const waitingForSchema = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('no-worker'), ...waiting }),
    z.object({
      code: z.literal('work-failed'),
      failures: wholeNumber,
      error: z.string(),
      at: time,
      ...waiting,
    }),
    z.object({ code: z.literal('no-worker-for-host'), host: z.string(), ...waiting }),
    z.object({ code: z.literal('no-worker-for-root'), root: z.string(), ...waiting }),
    z.object({ code: z.literal('no-worker-with-labels'), labels: listOf(z.string()), ...waiting }),
    z.object({ code: z.literal('workers-busy'), workers: wholeNumber, ...waiting }),
    z.object({ code: z.literal('key-busy'), key: z.string(), jobId: z.string(), ...waiting }),
  ])
  .openapi('WaitingFor') satisfies z.ZodType<WaitingInWords>

export const listedJobSchema = jobSummarySchema
  .extend({ waitingFor: orNull(waitingForSchema) })
  .openapi('ListedJob') satisfies z.ZodType<ListedJob>

export const checkpointSchema = z
  .object({
    number: wholeNumber,
    kind: z.enum(['before', 'after', 'safety']),
    at: time,
    ref: z.string(),
    commit: z.string(),
    head: z.object({ commit: z.string().nullable(), branch: z.string().nullable() }),
    notKept: listOf(z.string()),
  })
  .openapi('Checkpoint') satisfies z.ZodType<JobCheckpoint>

export const jobSchema = listedJobSchema
  .extend({
    attempts: listOf(runSchema),
    failure: orNull(failureSchema),
    costUsd: dollars,
    checkpoints: listOf(checkpointSchema),
    text: z.string().nullable(),
    words: z.string().nullable(),
  })
  .openapi('Job') satisfies z.ZodType<JobDetails>

export const removedCheckpointsSchema = z
  .object({
    jobId: z.string(),
    repository: z.string(),
    state: z.enum(['removed', 'gone', 'kept']),
    count: wholeNumber,
    problem: z.string().nullable(),
  })
  .openapi('RemovedCheckpoints') satisfies z.ZodType<RemovedCheckpoints>

export const removedSchema = z
  .object({ id, checkpoints: listOf(removedCheckpointsSchema) })
  .openapi('Removed') satisfies z.ZodType<Removed>

export const prunedSchema = z
  .object({ checkpoints: listOf(removedCheckpointsSchema) })
  .openapi('PrunedCheckpoints')

export const checkpointDiffSchema = z
  .object({
    /** The number of the checkpoint before it; null: the commit that HEAD was at. */
    from: wholeNumber.nullable(),
    to: wholeNumber,
    files: listOf(
      z.object({
        path: z.string(),
        status: z.enum(['added', 'changed', 'removed']),
        /** Null for a binary file, or one that is too large to compare. */
        added: wholeNumber.nullable(),
        removed: wholeNumber.nullable(),
        /** Null for a binary file, or when it is too long. */
        patch: z.string().nullable(),
      }),
    ),
    truncated: z.boolean(),
  })
  .openapi('CheckpointDiff') satisfies z.ZodType<CheckpointDiff>

const fileChanges = listOf(
  z.object({ path: z.string(), status: z.enum(['added', 'changed', 'removed']) }),
)

export const restorePreviewSchema = z
  .object({
    checkpoint: checkpointSchema,
    changes: fileChanges,
    /** How many messages of the thread would leave the branch. */
    messages: wholeNumber,
  })
  .openapi('RestorePreview') satisfies z.ZodType<RestorePreview>

export const restoredSchema = z
  .object({
    job: jobSchema,
    checkpoint: checkpointSchema,
    safety: checkpointSchema,
    changes: fileChanges,
  })
  .openapi('RestoredJob') satisfies z.ZodType<RestoredJob>
