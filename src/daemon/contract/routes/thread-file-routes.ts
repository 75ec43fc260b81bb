// The routes of threads that leave and enter as one file; part of ROUTES.
import { z } from '@hono/zod-openapi'
import type { ImportedThread } from '../../../api.ts'
import { REPLAYED_BECAUSE } from '../../../core/import-words.ts'
import { id, wholeNumber } from '../fields.ts'
import { absolutePath, emptySchema, idParams } from '../requests.ts'
import { FILE_TYPE } from '../scope.ts'
import { threadImportSchema, threadSchema } from '../thread.ts'
import { body, errors, json, route } from './route.ts'

const fileSchema = z.string().openapi({ format: 'binary' })

const importedSchema = z
  .object({
    threadId: id,
    /** False: the same file came in before, and this is its thread. */
    isNew: z.boolean(),
    imported: threadImportSchema,
    messages: wholeNumber,
    runs: wholeNumber,
    /** How many sessions came with it. */
    sessions: wholeNumber,
    /** Sessions that cannot be resumed here. */
    replayed: z
      .array(z.object({ agent: z.string(), because: z.enum(REPLAYED_BECAUSE) }))
      .readonly(),
  })
  .openapi('ImportedThread') satisfies z.ZodType<ImportedThread>

const yesOrNo = z.enum(['true', 'false'])

const exportQuery = z.strictObject({
  sessions: yesOrNo.optional(),
  checkpoints: yesOrNo.optional(),
  /** Only the checkpoints of its job, as a git bundle. */
  only: z.enum(['checkpoints']).optional(),
})

const importQuery = z.strictObject({
  /** Where the thread goes on; a thread of a repository needs none. */
  workDir: absolutePath.optional(),
  /** The public key of somebody whose files need no approval: needs the scope approve. */
  trustKey: z.string().max(100).optional(),
  sessions: yesOrNo.optional(),
})

export const THREAD_FILE_ROUTES = {
  exportThread: route({
    method: 'get',
    path: '/api/threads/{id}/file',
    scope: 'admin',
    summary:
      'A thread with its sessions and kept checkpoints as one signed file; session files hold what agents read, unredacted',
    request: { params: idParams, query: exportQuery },
    responses: {
      200: { content: { [FILE_TYPE]: { schema: fileSchema } }, description: 'The thread file' },
      ...errors,
    },
  }),
  importThread: route({
    method: 'post',
    path: '/api/threads/import',
    scope: 'submit',
    bytes: true,
    summary:
      'Take in a thread file as a whole or not at all; nobody can send to a thread of somebody else before it is approved',
    request: {
      query: importQuery,
      body: { content: { [FILE_TYPE]: { schema: fileSchema } }, required: true },
    },
    responses: { 201: json(importedSchema, 'The thread that came in'), ...errors },
  }),
  approveThread: route({
    method: 'post',
    path: '/api/threads/{id}/approve',
    scope: 'approve',
    person: true,
    summary: 'Let an imported thread be continued and changed',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(threadSchema, 'The thread'), ...errors },
  }),
  getPublicKey: route({
    method: 'get',
    path: '/api/key',
    scope: 'read',
    summary: 'The public key by which others can trust the thread files of this store',
    responses: {
      200: json(z.object({ publicKey: z.string() }).openapi('PublicKey'), 'The key'),
      ...errors,
    },
  }),
} as const
