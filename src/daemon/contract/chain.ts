// Chains as they go over the wire: requests and answers.
import { z } from '@hono/zod-openapi'
import type { Chain, TierSummary } from '../../api.ts'
import { policySchema } from '../../config/policy-schema.ts'
import type { ChainPreview } from '../../core/chain/chain-preview.ts'
import type { PolicyReport } from '../../core/chain/policy-report.ts'
import { chainReasonSchema, chainStatusSchema } from './chain-step.ts'
import { pricedWaySchema } from './decision.ts'
import {
  carrySchema,
  dollars,
  id,
  listOf,
  orNull,
  sandboxModeSchema,
  time,
  trustSchema,
  wholeNumber,
  workspaceSchema,
} from './fields.ts'
import { estimateSchema } from './money/estimate.ts'
import { milliseconds, page, place } from './requests.ts'
import { runSchema, runStatusSchema } from './run.ts'

const name = z.string().min(1).max(200)

export const newChainSchema = z
  .strictObject({
    /** The name of a policy in the daemon's config, or a policy itself, which needs the scope `approve`. */
    policy: z.union([name, policySchema]),
    prompt: z.string(),
    ...place,
    /** Of the tiers that name none. */
    agent: name.optional(),
    maxTier: z.int().min(1).optional(),
    dryRun: z.boolean().optional(),
    /** Replaces the sandbox of the policy. `none` and `auto` need the scope `approve`. */
    sandbox: sandboxModeSchema.optional(),
    budgetUsd: z.number().gt(0).optional(),
    title: z.string().max(1_000).optional(),
  })
  .openapi('NewChain')

export const tierPreviewSchema = z
  .object({
    tier: wholeNumber,
    name: z.string(),
    agent: z.string(),
    /** Null: the agent chooses. */
    model: z.string().nullable(),
    /** What the policy says; null: nothing, so the tier gets the whole conversation. */
    carry: carrySchema.nullable(),
    /** How the conversation can reach the tier, each way with its price; the chosen one first. */
    ways: listOf(pricedWaySchema),
    /** Of the chosen way; null: not known. */
    estimate: orNull(estimateSchema),
    /** Of this tier and all below; null: not known. */
    upToHereUsd: dollars.nullable(),
  })
  .openapi('TierPreview')

export const chainPreviewSchema = z
  .object({
    policy: z.string(),
    /** That of the first tier. */
    agent: z.string(),
    tiers: listOf(tierPreviewSchema),
    /** How many earlier chains of the policy tell how much is cut and how long notes are. */
    earlierChains: wholeNumber,
  })
  .openapi('ChainPreview') satisfies z.ZodType<ChainPreview>

export const chainsQuery = z.strictObject({
  status: chainStatusSchema.optional(),
  policy: name.optional(),
  since: milliseconds.optional(),
  ...page,
})

const tierSchema = z
  .object({
    tier: wholeNumber,
    name: z.string(),
    agent: z.string(),
    model: z.string().nullable(),
    /** Of the runs that report their cost; null: none of them does. */
    costUsd: dollars.nullable(),
    /** How many runs have ended and do not report their cost. */
    runsWithoutCost: wholeNumber,
    costDisputed: z.boolean(),
    durationMs: z.number(),
    tokens: wholeNumber,
    runs: wholeNumber,
    status: runStatusSchema,
    trust: trustSchema,
    sandbox: z.enum(['bwrap', 'namespace', 'none']).nullable(),
  })
  .openapi('TierSummary') satisfies z.ZodType<TierSummary>

const tierReport = z
  .object({
    number: wholeNumber,
    name: z.string(),
    role: z.string(),
    /** null: the agent of the chain. */
    agent: z.string().nullable(),
    model: z.string().nullable(),
    permissionMode: z.string().nullable(),
    allowedTools: listOf(z.string()),
    disallowedTools: listOf(z.string()),
    cooldownMs: z.number(),
    dryRun: z.boolean(),
    approval: z.enum(['auto', 'ask']),
    budgetUsd: dollars.nullable(),
  })
  .openapi('TierReport')

export const chainSchema: z.ZodType<Chain> = z
  .object({
    id,
    status: chainStatusSchema,
    threadId: id,
    /** Of the tiers that name none. */
    agent: z.string(),
    workDir: z.string(),
    /** The host whose path `workDir` is; null: any host, or not known. */
    host: z.string().nullable(),
    workspace: orNull(workspaceSchema),
    prompt: z.string(),
    policy: z.string(),
    tier: wholeNumber,
    maxTier: wholeNumber,
    dryRun: z.boolean(),
    budgetUsd: dollars.nullable(),
    because: chainReasonSchema,
    words: z.string(),
    runs: listOf(runSchema),
    totals: z.object({
      costUsd: dollars.nullable(),
      /** How many runs have ended and do not report their cost: the chain cost more than `costUsd`. */
      runsWithoutCost: wholeNumber,
      durationMs: z.number(),
      tokens: wholeNumber,
    }),
    byTier: listOf(tierSchema),
    tiers: listOf(tierReport),
    scheduleId: z.string().nullable(),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .openapi('Chain')

export const policyReportSchema = z
  .object({
    name: z.string(),
    agent: z.string().nullable(),
    maxTier: wholeNumber,
    budgetUsd: dollars.nullable(),
    tiers: listOf(tierReport),
    problem: z.string().nullable(),
  })
  .openapi('PolicyReport') satisfies z.ZodType<PolicyReport>
