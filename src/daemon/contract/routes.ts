// Every route, once: the server validates by it, OpenAPI and docs/http-api.md are written from it, clients are typed by it.
import { createRoute, z } from '@hono/zod-openapi'
import { decisionSchema, explanationSchema } from './decision.ts'
import { feedSchema, runEventsSchema } from './event.ts'
import { id, pageOf } from './fields.ts'
import { agentSchema, errorSchema, healthSchema, savingsReportSchema } from './report.ts'
import {
  editSchema,
  emptySchema,
  eventsQuery,
  forkSchema,
  idempotencyHeaders,
  idParams,
  lastEventHeaders,
  messageParams,
  newThreadSchema,
  newTurnSchema,
  previewSchema,
  retrySchema,
  runsQuery,
  savingsQuery,
  sessionsQuery,
  threadsQuery,
} from './requests.ts'
import { runSchema } from './run.ts'
import { messageSchema, sessionSchema, threadSchema, threadSummarySchema } from './thread.ts'

/** The answer to a turn that was stored: from here on nothing is lost. */
export const submittedSchema = z
  .object({
    runId: id,
    messageId: id,
    /** What would be decided at this moment; the run's own record tells what was. */
    decision: decisionSchema,
  })
  .openapi('Submitted')

export type Submitted = z.infer<typeof submittedSchema>

/** The run that was stored, with the two ids that a turn answers. */
export const retriedSchema = runSchema.extend({ runId: id, messageId: id }).openapi('Retried')

function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description }
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

const errors = { default: json(errorSchema, 'What went wrong, why, and what to do') } as const

const stream = z.string().openapi({ description: 'Server-sent events' })

export const ROUTES = {
  createThread: createRoute({
    method: 'post',
    path: '/api/threads',
    summary: 'Create a thread',
    request: { headers: idempotencyHeaders, body: body(newThreadSchema) },
    responses: { 201: json(threadSchema, 'The thread'), ...errors },
  }),
  listThreads: createRoute({
    method: 'get',
    path: '/api/threads',
    summary: 'List threads, latest first; `q` looks in titles and messages',
    request: { query: threadsQuery },
    responses: { 200: json(pageOf(threadSummarySchema), 'A page of threads'), ...errors },
  }),
  getThread: createRoute({
    method: 'get',
    path: '/api/threads/{id}',
    summary: 'A thread with the messages of its branch, its runs and its sessions',
    request: { params: idParams },
    responses: { 200: json(threadSchema, 'The thread'), ...errors },
  }),
  removeThread: createRoute({
    method: 'delete',
    path: '/api/threads/{id}',
    summary: 'Remove a thread and everything that belongs to it',
    request: { params: idParams },
    responses: { 204: { description: 'Removed' }, ...errors },
  }),
  sendTurn: createRoute({
    method: 'post',
    path: '/api/threads/{id}/turns',
    summary: 'Send a prompt; it waits in the queue while a run is going',
    request: { params: idParams, headers: idempotencyHeaders, body: body(newTurnSchema) },
    responses: { 202: json(submittedSchema, 'Stored; the run follows'), ...errors },
  }),
  previewTurn: createRoute({
    method: 'post',
    path: '/api/threads/{id}/preview',
    summary: 'What would be decided now; runs nothing',
    request: { params: idParams, body: body(previewSchema) },
    responses: { 200: json(explanationSchema, 'The decision in words'), ...errors },
  }),
  forkThread: createRoute({
    method: 'post',
    path: '/api/threads/{id}/fork',
    summary: 'A new thread with the messages up to and including `at`',
    request: { params: idParams, body: body(forkSchema) },
    responses: { 201: json(threadSchema, 'The new thread'), ...errors },
  }),
  editMessage: createRoute({
    method: 'patch',
    path: '/api/threads/{id}/messages/{messageId}',
    summary: 'Edit a message in place; later messages stay',
    request: { params: messageParams, body: body(editSchema) },
    responses: { 200: json(messageSchema, 'The new message'), ...errors },
  }),
  truncateThread: createRoute({
    method: 'delete',
    path: '/api/threads/{id}/messages/{messageId}',
    summary: 'Drop a message and what follows',
    request: { params: messageParams },
    responses: { 204: { description: 'Dropped' }, ...errors },
  }),
  retryMessage: createRoute({
    method: 'post',
    path: '/api/threads/{id}/messages/{messageId}/retry',
    summary: 'Drop a message and what follows, and ask again',
    request: { params: messageParams, body: body(retrySchema) },
    responses: { 202: json(retriedSchema, 'Stored; the run as it is now'), ...errors },
  }),
  listRuns: createRoute({
    method: 'get',
    path: '/api/runs',
    summary: 'List runs, newest first',
    request: { query: runsQuery },
    responses: { 200: json(pageOf(runSchema), 'A page of runs'), ...errors },
  }),
  getRun: createRoute({
    method: 'get',
    path: '/api/runs/{id}',
    summary: 'A run',
    request: { params: idParams },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  whyRun: createRoute({
    method: 'get',
    path: '/api/runs/{id}/why',
    summary: 'The decision of a run in words, with what every guard saw',
    request: { params: idParams },
    responses: { 200: json(explanationSchema, 'The decision in words'), ...errors },
  }),
  runEvents: createRoute({
    method: 'get',
    path: '/api/runs/{id}/events',
    summary: 'Live events of a run (`id:` is its `seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: {
        content: {
          'text/event-stream': { schema: stream },
          'application/json': { schema: runEventsSchema },
        },
        description: 'Events after `Last-Event-ID` or `after`; the stream ends with the run',
      },
      ...errors,
    },
  }),
  cancelRun: createRoute({
    method: 'post',
    path: '/api/runs/{id}/cancel',
    summary: 'End a run with all its processes; gives the run after the request',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  listSessions: createRoute({
    method: 'get',
    path: '/api/sessions',
    summary: "List the agents' sessions, newest first",
    request: { query: sessionsQuery },
    responses: { 200: json(pageOf(sessionSchema), 'A page of sessions'), ...errors },
  }),
  getSession: createRoute({
    method: 'get',
    path: '/api/sessions/{id}',
    summary: 'A session',
    request: { params: idParams },
    responses: { 200: json(sessionSchema, 'The session'), ...errors },
  }),
  listAgents: createRoute({
    method: 'get',
    path: '/api/agents',
    summary: 'Agents: found, version, abilities, quirks in force',
    responses: { 200: json(pageOf(agentSchema), 'All agents'), ...errors },
  }),
  savings: createRoute({
    method: 'get',
    path: '/api/savings',
    summary: 'Measured tokens and cost against the cold-start estimate',
    request: { query: savingsQuery },
    responses: { 200: json(savingsReportSchema, 'The report'), ...errors },
  }),
  events: createRoute({
    method: 'get',
    path: '/api/events',
    summary:
      'Live events of everything (`id:` is the position), or a list with Accept: application/json',
    request: { query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: {
        content: {
          'text/event-stream': { schema: stream },
          'application/json': { schema: feedSchema },
        },
        description: 'Events after `Last-Event-ID` or `after`; without either, from now on',
      },
      ...errors,
    },
  }),
  health: createRoute({
    method: 'get',
    path: '/health',
    summary: 'Is it well? The only route without a token',
    security: [],
    responses: { 200: json(healthSchema, 'Well'), 503: json(healthSchema, 'Not well') },
  }),
  metrics: createRoute({
    method: 'get',
    path: '/metrics',
    summary: 'Figures in the text format of Prometheus',
    responses: {
      200: { content: { 'text/plain': { schema: z.string() } }, description: 'Figures' },
      ...errors,
    },
  }),
} as const

/** Answered without a token; everything else needs one. */
export const PUBLIC_PATHS: readonly string[] = [ROUTES.health.path]
