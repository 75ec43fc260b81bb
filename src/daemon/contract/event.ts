// Events as they go over the wire: in JSON lists, and as `data:` of server-sent events.
import { z } from '@hono/zod-openapi'
import { id, listOf, time, wholeNumber } from './fields.ts'

/** What was said or done; `type` tells which fields there are. Types may be added: pass unknown ones by. */
export const eventBodySchema = z.looseObject({ type: z.string() }).openapi('EventBody')

/** `seq` counts from 1 without gaps within a run. `started` is the first, `ended` the last of a run that began. */
export const runEventSchema = z
  .object({ runId: id, seq: wholeNumber, at: time, type: z.string(), event: eventBodySchema })
  .openapi('RunEvent')

/** `position` grows over all runs; it is the `id:` of the feed of everything. */
export const feedEventSchema = runEventSchema
  .extend({ position: wholeNumber, threadId: z.string().nullable() })
  .openapi('FeedEvent')

/** `ended`: the run is over and these are its last events. */
export const runEventsSchema = z
  .object({ items: listOf(runEventSchema), nextCursor: z.string().nullable(), ended: z.boolean() })
  .openapi('RunEvents')

/** `nextCursor` is always there: ask again with it for what happened since. */
export const feedSchema = z
  .object({ items: listOf(feedEventSchema), nextCursor: z.string() })
  .openapi('Feed')

/**
 * The reader missed something or asked for what is not known: load the state again.
 * Events after `after` follow, on this stream or on the next.
 */
export const resyncSchema = z
  .object({ reason: z.enum(['unknown-id', 'too-slow']), after: wholeNumber })
  .openapi('Resync')

export type RunEvent = z.infer<typeof runEventSchema>
export type FeedEvent = z.infer<typeof feedEventSchema>
export type Resync = z.infer<typeof resyncSchema>
