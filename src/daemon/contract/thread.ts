// Threads, their messages and their sessions as they go over the wire.
import { z } from '@hono/zod-openapi'
import type { ArchivedSession, SessionDetails, SessionDiagnosis, ThreadDetails } from '../../api.ts'
import type { Message, ToolUse } from '../../core/conversation/messages.ts'
import type { Session } from '../../core/conversation/session.ts'
import { DAMAGE_KINDS } from '../../core/conversation/session-damage.ts'
import type {
  ThreadImport,
  ThreadKind,
  ThreadRecord,
  ThreadSummary,
} from '../../core/conversation/thread.ts'
import type { MessageVersions } from '../../core/conversation/versions.ts'
import { retiredBecauseSchema, sessionFileSchema } from './decision.ts'
import {
  carrySchema,
  dollars,
  id,
  listOf,
  mayBeMissing,
  orNull,
  pageOf,
  sandboxModeSchema,
  time,
  trustSchema,
  wholeNumber,
  workspaceSchema,
} from './fields.ts'
import { runSchema } from './run.ts'

export const toolUseSchema = z.object({
  id: z.string(),
  name: z.string(),
  input: z.string(),
  result: z.string().nullable(),
  isError: z.boolean(),
}) satisfies z.ZodType<ToolUse>

export const messageSchema = z
  .object({
    id,
    role: z.enum(['user', 'assistant']),
    agent: z.string().nullable(),
    text: z.string(),
    tools: listOf(toolUseSchema),
    interrupted: z.boolean(),
    hash: z.string(),
    runId: z.string().nullable(),
    createdAt: time,
  })
  .openapi('Message') satisfies z.ZodType<Message>

export const versionsSchema = z
  .object({
    position: wholeNumber,
    count: wholeNumber,
    previousId: id.nullable(),
    nextId: id.nullable(),
  })
  .openapi('MessageVersions') satisfies z.ZodType<MessageVersions>

export const branchMessageSchema = messageSchema
  .extend({ versions: versionsSchema.optional() })
  .openapi('BranchMessage')

export const sessionSchema = z
  .object({
    id,
    sessionId: z.string(),
    threadId: z.string(),
    agent: z.string(),
    pointer: z.enum(['announced', 'confirmed', 'retired']),
    state: z.enum(['created', 'active', 'paused', 'completed', 'expired', 'archived']),
    retiredBecause: retiredBecauseSchema.nullable(),
    confirmedAt: time.nullable(),
    /** What proved that the agent saved it. */
    evidence: z.enum(['file', 'protocol', 'word']).nullable(),
    workDir: z.string(),
    model: z.string().nullable(),
    runtime: z.string(),
    forkedFrom: z.string().nullable(),
    seen: listOf(
      z.object({ hash: z.string(), anchor: z.string().nullable(), isPart: z.boolean() }),
    ),
    /** How many messages the session has seen. */
    messageCount: wholeNumber,
    knownEnd: z.string().nullable(),
    instructionsHash: z.string().nullable(),
    contextTokens: wholeNumber.nullable(),
    contextWindow: wholeNumber.nullable(),
    reportedCostUsd: dollars,
    fruitlessResumes: wholeNumber,
    failedResumes: wholeNumber,
    createdAt: time,
    lastMessageAt: time,
    turnCount: wholeNumber,
    inputTokens: wholeNumber,
    outputTokens: wholeNumber,
    lastStopReason: z.string().nullable(),
  })
  .openapi('Session') satisfies z.ZodType<Session>

export const sessionDetailsSchema = sessionSchema
  .extend({ file: sessionFileSchema, keptBytes: wholeNumber, wakeCostUsd: dollars.nullable() })
  .openapi('SessionDetails') satisfies z.ZodType<SessionDetails>

export const archivedSessionSchema = sessionSchema
  .extend({ path: z.string() })
  .openapi('ArchivedSession') satisfies z.ZodType<ArchivedSession>

const damageSchema = z
  .object({
    kind: z.enum(DAMAGE_KINDS),
    /** Counts from 1; null: it is about the file as a whole. */
    line: wholeNumber.nullable(),
    words: z.string(),
    /** What a repair does about it. */
    remedy: z.string(),
  })
  .openapi('SessionDamage')

const copyProofSchema = z
  .discriminatedUnion('state', [
    /** A process that got no prompt resumed the copy and found its last message. */
    z.object({ state: z.literal('resumed'), version: z.string() }),
    z.object({ state: z.literal('not-asked'), why: z.string() }),
  ])
  .openapi('CopyProof')

const repairedSchema = z
  .object({
    /** The agent's own id of the copy. */
    sessionId: z.string(),
    path: z.string(),
    lines: z.object({
      kept: wholeNumber,
      changed: wholeNumber,
      dropped: wholeNumber,
      added: wholeNumber,
    }),
    proof: copyProofSchema,
    /** Our id, when the thread goes on with the copy. */
    session: id.nullable(),
  })
  .openapi('RepairedSession')

export const sessionDiagnosisSchema = z
  .object({
    sessionId: id,
    read: z.enum(['file', 'copy', 'nothing']),
    path: z.string().nullable(),
    /** Empty: the file is sound. */
    found: listOf(damageSchema),
    repairable: z.boolean(),
    /** Null: no repair was asked for, or there was nothing to repair. */
    repaired: z.union([repairedSchema, z.null()]),
  })
  .openapi('SessionDiagnosis') satisfies z.ZodType<SessionDiagnosis>

export const threadKindSchema = z.enum(['chat', 'chain', 'job']) satisfies z.ZodType<ThreadKind>

const storedThread = z.object({
  id,
  kind: threadKindSchema,
  title: z.string().nullable(),
  agent: z.string(),
  workDir: z.string(),
  /** The host whose path `workDir` is; null: any host, or not known. */
  host: z.string().nullable(),
  workspace: orNull(workspaceSchema),
  view: z.enum(['all', 'own']),
  forkedFrom: z.string().nullable(),
  /** Text for the system prompt, until a turn brings other instructions. */
  instructions: z.string().nullable(),
  trust: trustSchema.nullable(),
  sandbox: sandboxModeSchema.nullable(),
  /** What its turns get of the conversation; absent: as the config says. */
  carry: mayBeMissing(carrySchema),
  createdAt: time,
  updatedAt: time,
}) satisfies z.ZodType<ThreadRecord>

/** Absent: the thread began here. */
export const threadImportSchema = z
  .object({
    threadId: z.string(),
    /** Whose key signed the file. */
    signature: z.enum(['own', 'trusted', 'foreign', 'none']),
    key: z.string().nullable(),
    importedAt: time,
    /** Null: nobody can send to it before a person approves it. */
    approvedAt: time.nullable(),
  })
  .openapi('ThreadImport') satisfies z.ZodType<ThreadImport>

/** A thread as it is in a file: it says nothing about an earlier import. */
export const threadRecordSchema = storedThread

const thread = storedThread.extend({ imported: mayBeMissing(threadImportSchema) })

export const threadSummarySchema = thread
  .omit({ instructions: true })
  .extend({
    turnCount: wholeNumber,
    costUsd: dollars,
    savedUsd: dollars,
    lastRun: orNull(runSchema),
  })
  .openapi('ThreadSummary') satisfies z.ZodType<ThreadSummary>

/** `total` counts the threads of all pages. */
export const threadPageSchema = pageOf(threadSummarySchema).extend({ total: wholeNumber })

export const threadSchema = thread
  .extend({
    messages: listOf(branchMessageSchema),
    runs: listOf(runSchema),
    sessions: listOf(sessionSchema),
    costUsd: dollars,
  })
  .openapi('Thread') satisfies z.ZodType<ThreadDetails>
