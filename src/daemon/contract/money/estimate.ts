// Tokens by kind, what a turn is expected to use before it is sent, and how good such estimates were.
import { z } from '@hono/zod-openapi'
import type { CacheState } from '../../../core/money/cache-state.ts'
import type { Estimate } from '../../../core/money/estimate.ts'
import type { EstimateQuality } from '../../../core/money/estimate-error.ts'
import type { Usage } from '../../../core/run/events.ts'
import { dollars, wholeNumber } from '../fields.ts'

export const usageSchema = z
  .object({
    inputTokens: wholeNumber,
    cacheReadTokens: wholeNumber,
    cacheWriteTokens: wholeNumber,
    outputTokens: wholeNumber,
  })
  .openapi('Usage') satisfies z.ZodType<Usage>

const cacheSchema = z
  .object({
    state: z.enum(['warm', 'cold']),
    because: z.enum(['in-time', 'too-old', 'other-model', 'tools-changed', 'never-used']),
    /** How long ago the agent made its last request; null: it made none. */
    ageMs: z.number().nullable(),
    lifeMs: z.number(),
  })
  .openapi('CacheState') satisfies z.ZodType<CacheState>

export const estimateSchema = z
  .object({
    /** What the first request reads. */
    tokens: wholeNumber,
    /** How many of these tokens are read from the prompt cache. */
    cachedTokens: wholeNumber,
    /** Tokens of the whole turn, by kind. */
    usage: usageSchema,
    /** Of the whole turn; null: the price of the model is not known. */
    costUsd: dollars.nullable(),
    cache: cacheSchema,
    /** What it rests on: so many runs of this thread, of the same agent in other threads, or of the same tier in earlier chains. */
    basis: z.object({ runs: wholeNumber, of: z.enum(['thread', 'agent', 'tier']) }),
  })
  .openapi('Estimate') satisfies z.ZodType<Estimate>

const errors = z.object({
  runs: wholeNumber,
  median: z.number().nullable(),
  p90: z.number().nullable(),
})

/** Errors are shares of what was reported. */
export const estimateQualitySchema = z
  .object({ costUsd: errors, tokens: errors })
  .openapi('EstimateQuality') satisfies z.ZodType<EstimateQuality>
