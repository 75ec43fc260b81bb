// Events as they go over the wire: in JSON lists, and as `data:` of server-sent events. The same as in `core/run/run-events.ts`.
import { z } from '@hono/zod-openapi'
import type { RunEvent } from '../../core/run/run-events.ts'
import { chainStepSchema } from './chain-step.ts'
import { decisionSchema } from './decision.ts'
import { id, listOf, mayBeMissing, orNull, time, wholeNumber } from './fields.ts'
import { usageSchema } from './money/estimate.ts'
import { answerSchema, itemSchema, permissionRuleSchema } from './question.ts'
import { failureSchema } from './run.ts'

const place = { runId: id, seq: wholeNumber, at: time }

function event<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.object({ ...place, type: z.literal(type), ...fields })
}

const text = z.string()
const textOrNull = text.nullable()
const tokens = z.record(
  z.string(),
  z.object({ usage: usageSchema, costUsd: z.number(), contextWindow: z.number().nullable() }),
)

const events = z.discriminatedUnion('type', [
  event('queued', { behind: textOrNull, words: text }),
  event('started', { decision: decisionSchema }),
  event('session', {
    sessionId: text,
    model: textOrNull,
    version: textOrNull,
    tools: listOf(text),
    permissionMode: textOrNull,
    servers: mayBeMissing(listOf(text)),
    agents: mayBeMissing(listOf(text)),
    plugins: mayBeMissing(listOf(text)),
  }),
  event('hook', { name: text }),
  event('text', { text }),
  event('thinking', { text }),
  event('block', { anchor: text }),
  event('tool', { id: text, name: text, input: text, parentId: textOrNull }),
  event('tool-result', {
    id: text,
    isError: z.boolean(),
    denied: z.boolean(),
    outcomeUnknown: mayBeMissing(z.literal(true)),
    text,
  }),
  event('usage', { requestId: text, model: text, usage: usageSchema, main: z.boolean() }),
  event('retry', {
    attempt: z.number(),
    maxAttempts: z.number(),
    delayMs: z.number(),
    status: z.number().nullable(),
    error: text,
  }),
  event('compacted', { trigger: text, tokensBefore: z.number().nullable() }),
  event('limit', { rejected: z.boolean(), resetsAt: z.number().nullable() }),
  event('notice', { code: text, text }),
  event('question', {
    toolUseId: text,
    kind: z.enum(['question', 'permission']),
    tool: text,
    input: text,
    items: listOf(itemSchema),
    rule: mayBeMissing(permissionRuleSchema),
    requestId: textOrNull,
  }),
  event('answer', {
    id: text,
    state: z.enum(['answered', 'expired', 'cancelled']),
    answer: orNull(answerSchema),
  }),
  event('result', {
    ok: z.boolean(),
    subtype: text,
    sessionId: textOrNull,
    text: textOrNull,
    errors: listOf(text),
    apiErrorStatus: z.number().nullable(),
    errorKind: textOrNull,
    stopReason: textOrNull,
    terminalReason: textOrNull,
    turns: z.number(),
    durationMs: z.number().nullable(),
    totalCostUsd: z.number().nullable(),
    models: tokens,
    modelsSinceLastResult: tokens.nullable(),
    usage: usageSchema,
    context: mayBeMissing(z.object({ tokens: z.number(), window: z.number() })),
    structured: mayBeMissing(z.unknown()),
    atParkedCall: mayBeMissing(z.literal(true)),
    unasked: z.boolean(),
  }),
  event('unknown', { kind: text, raw: text }),
  event('fallback', { nextRunId: id, words: text }),
  event('supervised', { step: chainStepSchema, nextRunId: id.nullable(), words: text }),
  event('ended', {
    status: z.enum(['completed', 'failed', 'interrupted', 'cancelled']),
    failure: orNull(failureSchema),
    continuedBy: id.nullable(),
  }),
])

/** Does not compile unless the schema and the type of `core` are the same. */
type Same<Left extends Right, Right> = Left
type WireEvent = Same<RunEvent, Same<z.infer<typeof events>, RunEvent>>

/** `type` says which fields there are. New types may be added: readers must ignore unknown ones. */
export const runEventSchema: z.ZodType<WireEvent> = events.openapi('RunEvent')

/** `position` counts the events of all runs; it is the `id:` in the stream of all events. */
export const feedEventSchema = z
  .intersection(
    z.object({
      position: wholeNumber,
      threadId: z.string().nullable(),
      chainId: z.string().nullable(),
      jobId: z.string().nullable(),
    }),
    runEventSchema,
  )
  .openapi('FeedEvent')

/** `ended`: the run is over and these are its last events. */
export const runEventsSchema = z
  .object({ items: listOf(runEventSchema), nextCursor: z.string().nullable(), ended: z.boolean() })
  .openapi('RunEvents')

/** `nextCursor` is a place `run:seq`; `ended`: the turn is over and these are its last events. */
export const turnEventsSchema = z
  .object({ items: listOf(runEventSchema), nextCursor: z.string().nullable(), ended: z.boolean() })
  .openapi('TurnEvents')

/** `nextCursor` is a place `run:seq`; `ended`: the job is over and these are its last events. */
export const jobEventsSchema = z
  .object({ items: listOf(runEventSchema), nextCursor: z.string().nullable(), ended: z.boolean() })
  .openapi('JobEvents')

/**
 * A frame `changed` in the stream of all events: a thread, a chain, a job or a schedule was created, changed or removed,
 * perhaps without an event of a run. A schedule changes when it starts or skips a chain. After a reconnection, some may come again. Lists of events do not hold them.
 */
export const changedSchema = z
  .object({
    kind: z.enum(['thread', 'chain', 'job', 'schedule', 'worker']),
    id: z.string(),
    at: time,
  })
  .openapi('Changed')

export type Changed = z.infer<typeof changedSchema>

/** `nextCursor` is always there: use it to ask for later events. */
export const feedSchema = z
  .object({ items: listOf(feedEventSchema), nextCursor: z.string() })
  .openapi('Feed')

/**
 * The reader missed events or named an unknown place, and must load the state again. Events after `after` follow, on
 * this stream or on the next; it is a place as in `id:`, or `0` for the beginning.
 */
export const resyncSchema = z
  .object({ reason: z.enum(['unknown-id', 'too-slow']), after: z.union([wholeNumber, z.string()]) })
  .openapi('Resync')

export type Resync = z.infer<typeof resyncSchema>

/** The first frame of the stream of all events, named `ready`: the position from which the stream begins. */
export const readySchema = z.object({ after: wholeNumber }).openapi('Ready')

type Ready = z.infer<typeof readySchema>

/** The `data:` of a frame, by reference: a union of schemas would repeat every event here. */
function dataOf<Data>(
  name: string,
  kinds: readonly string[],
  description: string,
): z.ZodType<Data> {
  const oneOf = kinds.map(kind => ({ $ref: `#/components/schemas/${kind}` }))
  return z.any().openapi(name, { oneOf, description })
}

/** What frames hold in the stream of a run, a turn or a job. */
export const runStreamSchema = dataOf<RunEvent | Resync>(
  'RunStreamData',
  ['RunEvent', 'Resync'],
  'A frame named `resync` holds a Resync; every other frame holds a RunEvent.',
)

/** What frames hold in the stream of all events. */
export const feedStreamSchema = dataOf<z.infer<typeof feedEventSchema> | Changed | Ready | Resync>(
  'FeedStreamData',
  ['FeedEvent', 'Changed', 'Ready', 'Resync'],
  'Frames named `ready`, `changed` and `resync` hold a Ready, a Changed and a Resync; every other frame holds a FeedEvent.',
)
