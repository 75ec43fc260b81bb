// Reports: agents, savings, health, and the one shape of every error.
import { z } from '@hono/zod-openapi'
import type { AgentReport, SavingsReport } from '../../api.ts'
import { WORKER_STATES, type Worker } from '../../core/job/worker.ts'
import type { ErrorCode } from '../../errors.ts'
import { CONSEQUENCES } from '../../errors.ts'
import { actionSchema, reasonCodeSchema } from './decision.ts'
import { dollars, id, listOf, time, wholeNumber } from './fields.ts'
import { estimateQualitySchema, usageSchema } from './money/estimate.ts'
import { SCOPES } from './scope.ts'

export const agentSchema = z
  .object({
    name: z.string(),
    adapter: z.string(),
    configured: z.boolean(),
    executable: z.string(),
    found: z.boolean(),
    version: z.string().nullable(),
    abilities: z.record(z.string(), z.boolean()),
    quirks: listOf(z.string()),
    /** Whether `carry: trimmed` and `carry: auto` can cut long outputs. */
    writesSessions: z.boolean(),
    /** The command that installs its program; `null`: the program is there. */
    install: z.string().nullable(),
    env: z.object({
      trusted: listOf(z.string()),
      untrusted: listOf(z.string()),
      withheld: listOf(z.string()),
    }),
    /** Whether it has a key or a login; `how` names the variable or the file, never its content. */
    login: z.object({
      state: z.enum(['found', 'missing', 'unknown']),
      how: z.string().nullable(),
    }),
    problem: z.string().nullable(),
    hint: z.string().nullable(),
  })
  .openapi('Agent') satisfies z.ZodType<AgentReport>

export const workerSchema = z
  .object({
    id,
    host: z.string(),
    pid: wholeNumber,
    version: z.string(),
    labels: listOf(z.string()),
    sharedRoots: listOf(z.string()),
    agents: listOf(z.string()),
    /** How many jobs it works on at a time, and how many now. */
    concurrency: wholeNumber,
    active: wholeNumber,
    startedAt: time,
    beatAt: time,
    state: z.enum(WORKER_STATES),
  })
  .openapi('Worker') satisfies z.ZodType<Worker>

/** With it a page can show, before a request is refused, what its caller may not do. */
export const meSchema = z
  .object({
    name: z.string(),
    scopes: listOf(z.enum(SCOPES)),
    /** The version of the daemon. */
    version: z.string(),
    /** The token lies in the data directory, so the caller may not decide what needs a person. */
    isExposed: z.boolean(),
  })
  .openapi('Me')

export type Me = z.infer<typeof meSchema>

const usageRow = z
  .object({
    key: z.string(),
    runs: wholeNumber,
    resumed: wholeNumber,
    usage: usageSchema,
    costUsd: dollars,
    coldCostUsd: dollars,
    savedUsd: dollars,
  })
  .openapi('UsageRow')

export const savingsReportSchema = z
  .object({
    by: z.enum(['day', 'thread', 'agent']),
    rows: listOf(usageRow),
    total: usageRow,
    /** How runs continued, and why not by a resume; the most frequent first. */
    reasons: listOf(
      z.object({
        action: actionSchema,
        code: reasonCodeSchema.nullable(),
        words: z.string(),
        runs: wholeNumber,
        share: z.number(),
      }),
    ),
    hitRate: z.number().nullable(),
    /** How good the estimates were that runs had before they started. */
    estimates: estimateQualitySchema,
    formula: z.string(),
  })
  .openapi('SavingsReport') satisfies z.ZodType<SavingsReport>

export const healthSchema = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    uptimeMs: z.number(),
    /** `slow`: it did not answer in time; `away`: its database does not answer. */
    store: z.enum(['ok', 'slow', 'failing', 'away']),
    /** Since when the database has been away, in milliseconds since 1970; `null` while it is there. */
    awaySince: time.nullable(),
  })
  .openapi('Health')

export type Health = z.infer<typeof healthSchema>

export const stoppingSchema = z
  .object({ pid: wholeNumber, drainMs: wholeNumber })
  .openapi('Stopping')

export type Stopping = z.infer<typeof stoppingSchema>

const codes = Object.keys(CONSEQUENCES) as [ErrorCode, ...ErrorCode[]]

export const errorSchema = z
  .object({ error: z.object({ code: z.enum(codes), message: z.string(), hint: z.string() }) })
  .openapi('Error')

export type ErrorBody = z.infer<typeof errorSchema>
