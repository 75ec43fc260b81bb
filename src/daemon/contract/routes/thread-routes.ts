// The routes of threads, their messages and their turns; part of ROUTES.
import { z } from '@hono/zod-openapi'
import { decisionSchema, previewInWordsSchema } from '../decision.ts'
import { id } from '../fields.ts'
import { removedSchema } from '../job.ts'
import {
  adoptSchema,
  editSchema,
  emptySchema,
  forkSchema,
  idempotencyHeaders,
  idParams,
  messageParams,
  newThreadSchema,
  newTurnSchema,
  previewSchema,
  preWarmSchema,
  renameSchema,
  retrySchema,
  submissionHeaders,
  threadsQuery,
} from '../requests.ts'
import { runFields } from '../run.ts'
import { messageSchema, threadPageSchema, threadSchema } from '../thread.ts'
import { body, errors, json, route } from './route.ts'

export const preWarmedSchema = z
  .object({
    waits: z.boolean(),
    ticket: z.string().optional().openapi({
      description: 'With it, `DELETE` of the same path gives the process back.',
    }),
    why: z
      .enum(['off', 'not-kept', 'busy', 'not-resumed', 'full', 'too-often'])
      .optional()
      .openapi({
        description:
          'Why no process waits. `off`: processes are not kept. `not-kept`: those of this thread are not, such as in a sandbox or in a repository. `busy`: a run is going. `not-resumed`: the turn would not resume a session. `full`: as many as may be kept wait already. `too-often`: one was started a moment ago.',
      }),
  })
  .openapi('PreWarmed')

export const preWarmEndedSchema = z
  .object({
    ended: z.boolean().openapi({ description: 'Whether there was such a process' }),
  })
  .openapi('PreWarmEnded')

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

export const THREAD_ROUTES = {
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
  renameThread: route({
    method: 'patch',
    path: '/api/threads/{id}',
    scope: 'submit',
    summary: 'Give a thread another title, also while a run is going',
    request: { params: idParams, body: body(renameSchema) },
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
    request: { params: idParams, headers: submissionHeaders, body: body(newTurnSchema) },
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
  preWarm: route({
    method: 'post',
    path: '/api/threads/{id}/warm',
    scope: 'submit',
    summary:
      'Start the process for the next turn before its prompt is sent, if the turn would resume; sends nothing to a model',
    request: { params: idParams, body: body(preWarmSchema) },
    responses: { 200: json(preWarmedSchema, 'Whether a process waits now'), ...errors },
  }),
  endPreWarm: route({
    method: 'delete',
    path: '/api/threads/{id}/warm',
    scope: 'submit',
    summary:
      'End the process that was started before a prompt, unless a turn has used it or a later request waits for it',
    request: { params: idParams, query: z.strictObject({ ticket: z.string().min(1).max(100) }) },
    responses: { 200: json(preWarmEndedSchema, 'Whether a process has ended'), ...errors },
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
    request: { params: messageParams, headers: submissionHeaders, body: body(retrySchema) },
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
} as const
