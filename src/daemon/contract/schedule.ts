// Schedules of chains as they go over the wire.
import { z } from '@hono/zod-openapi'
import type { Schedule } from '../../core/chain/schedule.ts'
import { newChainSchema } from './chain.ts'
import { dollars, id, orNull, time, wholeNumber, workspaceSchema } from './fields.ts'
import { recurrenceRequestSchema, recurrenceSchema } from './recurrence.ts'

export const newScheduleSchema = newChainSchema
  .omit({ title: true })
  .extend({ recurrence: recurrenceRequestSchema })
  .openapi('NewSchedule')

/** Contains the policy as it was stored, with all its defaults. */
export const scheduleSchema: z.ZodType<Schedule> = z
  .object({
    id,
    policy: z.custom<Schedule['policy']>().openapi({ type: 'object' }),
    prompt: z.string(),
    workDir: z.string().nullable(),
    workspace: orNull(workspaceSchema),
    host: z.string().nullable(),
    sharedRoot: z.string().nullable(),
    agent: z.string(),
    maxTier: wholeNumber.nullable(),
    dryRun: z.boolean(),
    budgetUsd: dollars.nullable(),
    recurrence: recurrenceSchema,
    nextAt: time,
    lastChainId: z.string().nullable(),
    skipped: wholeNumber,
    lastSkippedAt: time.nullable(),
    createdAt: time,
  })
  .openapi('Schedule')
