// The routes of jobs; part of ROUTES.
import { z } from '@hono/zod-openapi'
import { jobEventsSchema, runStreamSchema } from '../event.ts'
import { placeSample } from '../event-samples.ts'
import { id, pageOf } from '../fields.ts'
import {
  checkpointDiffSchema,
  jobSchema,
  jobStatusSchema,
  listedJobSchema,
  prunedSchema,
  removedSchema,
  restoredSchema,
  restorePreviewSchema,
} from '../job.ts'
import { recurrenceRequestSchema } from '../recurrence.ts'
import {
  emptySchema,
  eventsQuery,
  idParams,
  lastEventHeaders,
  milliseconds,
  page,
  place,
  submissionHeaders,
  turnOptions,
} from '../requests.ts'
import { body, errors, events, json, route } from './route.ts'

const ms = z
  .number()
  .int()
  .min(1)
  .max(365 * 24 * 3_600_000)
const {
  agent,
  model,
  permissionMode,
  allowedTools,
  disallowedTools,
  trust,
  sandbox,
  instructions,
  budgetUsd,
  carry,
} = turnOptions
const options = {
  agent,
  model,
  permissionMode,
  allowedTools,
  disallowedTools,
  trust,
  sandbox,
  instructions,
  budgetUsd,
  carry,
}

export const newJobSchema = z
  .strictObject({
    prompt: z.string(),
    ...place,
    ...options,
    timeoutMs: ms.optional(),
    idleTimeoutMs: ms.optional(),
    queueTimeoutMs: ms.optional(),
    totalTimeoutMs: ms.optional(),
    maxAttempts: z.number().int().min(1).max(1_000).optional(),
    maxWaits: z.number().int().min(1).max(10_000).optional(),
    backoff: z
      .strictObject({
        firstMs: ms.optional(),
        factor: z.number().min(1).max(10).optional(),
        maxMs: ms.optional(),
        jitter: z.number().min(0).max(1).optional(),
      })
      .optional(),
    schedule: recurrenceRequestSchema.optional(),
    resume: z.enum(['auto', 'never']).optional(),
    onSideEffects: z.enum(['brief', 'stop']).optional(),
    checkpoints: z.enum(['auto', 'off']).optional(),
    labels: z.array(z.string().min(1).max(64)).max(16).optional(),
    concurrencyKey: z.string().min(1).max(200).optional(),
    priority: z.number().int().min(-1_000).max(1_000).optional(),
  })
  .openapi('NewJob')

const jobsQuery = z.strictObject({
  status: jobStatusSchema.optional(),
  since: milliseconds.optional(),
  ...page,
})
const retryQuery = z.strictObject({ resume: z.enum(['true', 'false']).default('true') })
const waitQuery = z.strictObject({ ms: z.coerce.number().int().min(0).max(30_000).default(20_000) })
const checkpointParams = z.strictObject({ id, number: z.coerce.number().int().min(1) })

export const JOB_ROUTES = {
  submitJob: route({
    method: 'post',
    path: '/api/jobs',
    scope: 'submit',
    summary: 'Submit a job: work that continues after crashes, limits and restarts',
    request: { headers: submissionHeaders, body: body(newJobSchema) },
    responses: { 202: json(jobSchema, 'Stored; its attempts follow'), ...errors },
  }),
  listJobs: route({
    method: 'get',
    path: '/api/jobs',
    scope: 'read',
    summary: 'List jobs, newest first',
    request: { query: jobsQuery },
    responses: { 200: json(pageOf(listedJobSchema), 'A page of jobs'), ...errors },
  }),
  getJob: route({
    method: 'get',
    path: '/api/jobs/{id}',
    scope: 'read',
    summary: 'A job with its attempts and checkpoints',
    request: { params: idParams },
    responses: { 200: json(jobSchema, 'The job'), ...errors },
  }),
  waitForJob: route({
    method: 'get',
    path: '/api/jobs/{id}/wait',
    scope: 'read',
    summary: 'Wait until the job is over, at most `ms` milliseconds; gives the job as it is then',
    request: { params: idParams, query: waitQuery },
    responses: { 200: json(jobSchema, 'The job'), ...errors },
  }),
  jobEvents: route({
    method: 'get',
    path: '/api/jobs/{id}/events',
    scope: 'read',
    summary:
      'Live events of all attempts of a job (`id:` is `run:seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        { data: runStreamSchema, idOf: placeSample },
        jobEventsSchema,
        'Events after `Last-Event-ID` or `after`; the stream ends with the job',
      ),
      ...errors,
    },
  }),
  retryJob: route({
    method: 'post',
    path: '/api/jobs/{id}/retry',
    scope: 'submit',
    summary:
      'Try a job once more; `resume=false` starts a new session that learns what is already done',
    request: { params: idParams, query: retryQuery, body: body(emptySchema) },
    responses: { 202: json(jobSchema, 'Back in the queue'), ...errors },
  }),
  cancelJob: route({
    method: 'post',
    path: '/api/jobs/{id}/cancel',
    scope: 'submit',
    summary: 'Cancel a job and end the whole process tree of its attempt',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(jobSchema, 'The job as it is then'), ...errors },
  }),
  removeJob: route({
    method: 'delete',
    path: '/api/jobs/{id}',
    scope: 'submit',
    summary: 'Remove a job that is not running, with its thread and its checkpoints',
    request: { params: idParams },
    responses: { 200: json(removedSchema, 'What became of its checkpoints'), ...errors },
  }),
  pruneCheckpoints: route({
    method: 'post',
    path: '/api/jobs/prune',
    scope: 'submit',
    summary: 'Remove checkpoints that are older than `checkpoints.keepDays`, or whose job is gone',
    request: { body: body(emptySchema) },
    responses: { 200: json(prunedSchema, 'What became of them'), ...errors },
  }),
  checkpointDiff: route({
    method: 'get',
    path: '/api/jobs/{id}/checkpoints/{number}/diff',
    scope: 'read',
    summary:
      'What changed between a checkpoint and the one before it; `truncated` when files or patches were left out',
    request: { params: checkpointParams },
    responses: { 200: json(checkpointDiffSchema, 'The files with their patches'), ...errors },
  }),
  previewRestore: route({
    method: 'get',
    path: '/api/jobs/{id}/checkpoints/{number}/restore',
    scope: 'read',
    summary: 'What restoring a checkpoint would change now; it changes nothing',
    request: { params: checkpointParams },
    responses: { 200: json(restorePreviewSchema, 'Files and messages'), ...errors },
  }),
  restoreJob: route({
    method: 'post',
    path: '/api/jobs/{id}/checkpoints/{number}/restore',
    scope: 'submit',
    summary: 'Restore the files of the work dir and the thread to a checkpoint',
    request: { params: checkpointParams, body: body(emptySchema) },
    responses: { 200: json(restoredSchema, 'What was changed'), ...errors },
  }),
} as const
