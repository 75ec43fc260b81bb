// Every route, once. The server validates requests with it; OpenAPI, docs/http-api.md and the types of clients are made from it.
import { z } from '@hono/zod-openapi'
import { decisionInWordsSchema, decisionSchema, previewInWordsSchema } from '../decision.ts'
import { feedSchema, runEventsSchema, turnEventsSchema } from '../event.ts'
import { id, pageOf } from '../fields.ts'
import { removedSchema } from '../job.ts'
import { questionSchema, toolResultSchema } from '../question.ts'
import {
  adoptSchema,
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
  questionsQuery,
  retrySchema,
  runsQuery,
  sessionsQuery,
  threadsQuery,
} from '../requests.ts'
import { runFields, runSchema, sentPromptSchema } from '../run.ts'
import type { NeedsScope } from '../scope.ts'
import {
  archivedSessionSchema,
  messageSchema,
  sessionDetailsSchema,
  sessionSchema,
  threadPageSchema,
  threadSchema,
} from '../thread.ts'
import { BROWSER_ROUTES, PAGE_PATHS } from './browser-routes.ts'
import { CHAIN_ROUTES } from './chain-routes.ts'
import { JOB_ROUTES } from './job-routes.ts'
import { REPORT_ROUTES } from './report-routes.ts'
import { body, errors, events, json, route } from './route.ts'

/** The answer after a turn was stored. From then on nothing is lost. */
export const submittedSchema = z
  .object({
    runId: id,
    messageId: id,
    /** The decision as it would be at this moment; the record of the run has the final one. */
    decision: decisionSchema,
  })
  .openapi('Submitted')

export type Submitted = z.infer<typeof submittedSchema>

/** The stored run, with the two ids that the answer to a turn has. */
export const retriedSchema = runFields.extend({ runId: id, messageId: id }).openapi('Retried')

/** Only the id: a caller that may only submit must not read a thread that existed before. */
export const adoptedSchema = z.object({ id }).openapi('Adopted')

const THREAD_ROUTES = {
  createThread: route({
    method: 'post',
    path: '/api/threads',
    scope: 'submit',
    summary: 'Create a thread',
    request: { headers: idempotencyHeaders, body: body(newThreadSchema) },
    responses: { 201: json(threadSchema, 'The thread'), ...errors },
  }),
  adoptThread: route({
    method: 'post',
    path: '/api/threads/adopt',
    scope: 'submit',
    summary:
      'Create a thread from a conversation that began elsewhere; for a known session, gives the thread that has it',
    request: { headers: idempotencyHeaders, body: body(adoptSchema) },
    responses: { 201: json(adoptedSchema, 'The thread'), ...errors },
  }),
  listThreads: route({
    method: 'get',
    path: '/api/threads',
    scope: 'read',
    summary:
      'List threads, latest first; `q` searches titles, directories and messages, or is the beginning of an id; `status` and `action` are those of the last run',
    request: { query: threadsQuery },
    responses: { 200: json(threadPageSchema, 'A page of threads'), ...errors },
  }),
  getThread: route({
    method: 'get',
    path: '/api/threads/{id}',
    scope: 'read',
    summary: 'A thread with the messages of its branch, its runs and its sessions',
    request: { params: idParams },
    responses: { 200: json(threadSchema, 'The thread'), ...errors },
  }),
  removeThread: route({
    method: 'delete',
    path: '/api/threads/{id}',
    scope: 'submit',
    summary: 'Remove a thread and everything that belongs to it',
    request: { params: idParams },
    responses: { 200: json(removedSchema, 'What became of its checkpoints'), ...errors },
  }),
  sendTurn: route({
    method: 'post',
    path: '/api/threads/{id}/turns',
    scope: 'submit',
    summary: 'Send a prompt; it waits in the queue while a run is going',
    request: { params: idParams, headers: idempotencyHeaders, body: body(newTurnSchema) },
    responses: { 202: json(submittedSchema, 'Stored; the run follows'), ...errors },
  }),
  previewTurn: route({
    method: 'post',
    path: '/api/threads/{id}/preview',
    scope: 'read',
    summary: 'Say what would be decided for a turn now and what it would cost; runs nothing',
    request: { params: idParams, body: body(previewSchema) },
    responses: {
      200: json(previewInWordsSchema, 'The decision in words, with its price'),
      ...errors,
    },
  }),
  forkThread: route({
    method: 'post',
    path: '/api/threads/{id}/fork',
    scope: 'submit',
    summary: 'Create a thread with the messages up to and including `at`',
    request: { params: idParams, body: body(forkSchema) },
    responses: { 201: json(threadSchema, 'The new thread'), ...errors },
  }),
  editMessage: route({
    method: 'patch',
    path: '/api/threads/{id}/messages/{messageId}',
    scope: 'submit',
    summary: 'Edit a message in place; later messages stay',
    request: { params: messageParams, body: body(editSchema) },
    responses: { 200: json(messageSchema, 'The new message'), ...errors },
  }),
  truncateThread: route({
    method: 'delete',
    path: '/api/threads/{id}/messages/{messageId}',
    scope: 'submit',
    summary: 'Drop a message and all later ones',
    request: { params: messageParams },
    responses: { 204: { description: 'Dropped' }, ...errors },
  }),
  retryMessage: route({
    method: 'post',
    path: '/api/threads/{id}/messages/{messageId}/retry',
    scope: 'submit',
    summary: 'Drop a message and all later ones, and ask again',
    request: { params: messageParams, headers: idempotencyHeaders, body: body(retrySchema) },
    responses: { 202: json(retriedSchema, 'Stored; the run as it is now'), ...errors },
  }),
  selectMessage: route({
    method: 'post',
    path: '/api/threads/{id}/messages/{messageId}/select',
    scope: 'submit',
    summary: 'Show another version of a message: its branch becomes the current one',
    request: { params: messageParams, body: body(emptySchema) },
    responses: { 200: json(threadSchema, 'The thread'), ...errors },
  }),
  listRuns: route({
    method: 'get',
    path: '/api/runs',
    scope: 'read',
    summary: 'List runs, newest first',
    request: { query: runsQuery },
    responses: { 200: json(pageOf(runSchema), 'A page of runs'), ...errors },
  }),
  getRun: route({
    method: 'get',
    path: '/api/runs/{id}',
    scope: 'read',
    summary: 'A run',
    request: { params: idParams },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  whyRun: route({
    method: 'get',
    path: '/api/runs/{id}/why',
    scope: 'read',
    summary: 'The decision of a run in words, with what every guard saw',
    request: { params: idParams },
    responses: { 200: json(decisionInWordsSchema, 'The decision in words'), ...errors },
  }),
  runPrompt: route({
    method: 'get',
    path: '/api/runs/{id}/prompt',
    scope: 'read',
    summary: 'What the agent of a run was given: the prompt as it was sent, and its arguments',
    request: { params: idParams },
    responses: { 200: json(sentPromptSchema, 'Prompt and arguments'), ...errors },
  }),
  runEvents: route({
    method: 'get',
    path: '/api/runs/{id}/events',
    scope: 'read',
    summary: 'Live events of a run (`id:` is its `seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        runEventsSchema,
        'Events after `Last-Event-ID` or `after`; the stream ends with the run',
      ),
      ...errors,
    },
  }),
  turnEvents: route({
    method: 'get',
    path: '/api/turns/{id}/events',
    scope: 'read',
    summary:
      'Live events of all runs of a turn, from any of its runs on (`id:` is `run:seq`), or a list with Accept: application/json',
    request: { params: idParams, query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        turnEventsSchema,
        'Events after `Last-Event-ID` or `after`; the stream ends with the turn',
      ),
      ...errors,
    },
  }),
  cancelRun: route({
    method: 'post',
    path: '/api/runs/{id}/cancel',
    scope: 'submit',
    summary: 'Cancel a run and end all its processes; gives the run as it is after the request',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(runSchema, 'The run'), ...errors },
  }),
  runQuestions: route({
    method: 'get',
    path: '/api/runs/{id}/questions',
    scope: 'read',
    summary: 'List the questions of a run, oldest first',
    request: { params: idParams },
    responses: { 200: json(pageOf(questionSchema), 'All questions of the run'), ...errors },
  }),
  answerQuestion: route({
    method: 'post',
    path: '/api/runs/{id}/tool-result',
    scope: 'approve',
    summary:
      'Answer a question of a run. Its process continues; if the process has ended, the run in `continuedBy` continues the turn',
    request: { params: idParams, body: body(toolResultSchema) },
    responses: { 200: json(runSchema, 'The run that asked'), ...errors },
  }),
  listQuestions: route({
    method: 'get',
    path: '/api/questions',
    scope: 'read',
    summary: 'List the questions of all runs, oldest first',
    request: { query: questionsQuery },
    responses: { 200: json(pageOf(questionSchema), 'Questions'), ...errors },
  }),
} as const

const OTHER_ROUTES = {
  listSessions: route({
    method: 'get',
    path: '/api/sessions',
    scope: 'read',
    summary: "List the agents' sessions, newest first",
    request: { query: sessionsQuery },
    responses: { 200: json(pageOf(sessionSchema), 'A page of sessions'), ...errors },
  }),
  getSession: route({
    method: 'get',
    path: '/api/sessions/{id}',
    scope: 'read',
    summary: 'A session, with the state of its file and what it would cost to wake it',
    request: { params: idParams },
    responses: { 200: json(sessionDetailsSchema, 'The session'), ...errors },
  }),
  archiveSession: route({
    method: 'post',
    path: '/api/sessions/{id}/archive',
    scope: 'submit',
    summary: 'Write a session to files; it can still be continued',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(archivedSessionSchema, 'The session and where it was put'), ...errors },
  }),
  events: route({
    method: 'get',
    path: '/api/events',
    scope: 'read',
    summary:
      'Live events of all runs (`id:` is the position), or a list with Accept: application/json',
    request: { query: eventsQuery, headers: lastEventHeaders },
    responses: {
      200: events(
        feedSchema,
        'Events after `Last-Event-ID` or `after`; without either, from now on',
      ),
      ...errors,
    },
  }),
} as const

/** Composed of named parts, because the full type is too long for the compiler. */
type Routes = typeof THREAD_ROUTES &
  typeof JOB_ROUTES &
  typeof CHAIN_ROUTES &
  typeof OTHER_ROUTES &
  typeof REPORT_ROUTES &
  typeof BROWSER_ROUTES

export const ROUTES: Routes = {
  ...THREAD_ROUTES,
  ...JOB_ROUTES,
  ...CHAIN_ROUTES,
  ...OTHER_ROUTES,
  ...REPORT_ROUTES,
  ...BROWSER_ROUTES,
}

/** These paths need no token; all others do. */
export const PUBLIC_PATHS: readonly string[] = Object.values<NeedsScope>(ROUTES)
  .filter(({ scope }) => scope === null)
  .map(({ path }) => path)

const BY_ROUTE = new Map<string, NeedsScope>([
  ...Object.values(ROUTES).map(
    route => [`${route.method.toUpperCase()} ${route.getRoutingPath()}`, route] as const,
  ),
  ...PAGE_PATHS.map(path => [`GET ${path}`, { path, scope: 'read', page: true }] as const),
])

/** The scope that a route needs, by the path it was registered with; `null` for an unknown route. */
export function needsOf(method: string, routingPath: string): NeedsScope | null {
  return BY_ROUTE.get(`${method} ${routingPath}`) ?? null
}

export function loginPath(code: string): string {
  return `${ROUTES.login.path}?code=${code}`
}
