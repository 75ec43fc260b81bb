// When work is repeated, as it goes over the wire.
import { z } from '@hono/zod-openapi'
import type { RecurrenceRequest } from '../../api.ts'
import type { Recurrence } from '../../core/job/recurrence.ts'
import { mayBeMissing } from './fields.ts'

const everyMs = z
  .int()
  .min(1_000)
  .max(366 * 24 * 3_600_000)
const cron = z.string().min(1).max(200)
const timezone = z.string().min(1).max(100)

export const recurrenceSchema = z
  .union([z.object({ everyMs }), z.object({ cron, timezone })])
  .openapi('Recurrence') satisfies z.ZodType<Recurrence>

export const recurrenceRequestSchema = z
  .union([
    cron,
    z.strictObject({ everyMs }),
    z.strictObject({ cron, timezone: mayBeMissing(timezone) }),
  ])
  .openapi('RecurrenceRequest') satisfies z.ZodType<RecurrenceRequest>
