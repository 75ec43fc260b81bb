// The additional fields of a run of a chain: its verdict, the supervisor's decision, the handover note.
// The schemas have named types, because the declarations of the routes would otherwise be too long for the compiler.
import { z } from '@hono/zod-openapi'
import type { HandoverNote } from '../../core/chain/handover-note.ts'
import { CHAIN_STATUSES, type ChainReason, type ChainStep } from '../../core/chain/supervise.ts'
import type { Verdict } from '../../core/chain/verdict.ts'
import { failureClassSchema } from './failure-class.ts'
import { listOf, mayBeMissing, time, wholeNumber } from './fields.ts'

const finding = z.object({ service: z.string(), status: z.string(), detail: z.string() })

export const verdictSchema: z.ZodType<Verdict> = z
  .object({
    verdict: z.enum(['resolved', 'escalate', 'failed']),
    summary: z.string(),
    reason: z.string().nullable(),
    findings: listOf(finding),
  })
  .openapi('Verdict')

export const chainStatusSchema = z.enum(CHAIN_STATUSES).openapi('ChainStatus')

const tier = wholeNumber
const spoken = z.string().nullable()

export const chainReasonSchema: z.ZodType<ChainReason> = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('begun'), tier }),
    z.object({ code: z.literal('agent-resolved'), tier }),
    z.object({ code: z.literal('agent-failed'), tier, reason: spoken }),
    z.object({ code: z.literal('agent-asked'), tier, reason: spoken }),
    z.object({ code: z.literal('approved'), tier }),
    z.object({ code: z.literal('chain-cancelled'), tier }),
    z.object({ code: z.literal('continued'), tier, runId: z.string() }),
    z.object({ code: z.literal('verdict-malformed'), tier, problem: z.string() }),
    z.object({ code: z.literal('no-higher-tier'), tier, ceiling: wholeNumber }),
    z.object({
      code: z.literal('tier-cooling'),
      tier,
      lastEnteredAt: time,
      cooldownMs: z.number(),
    }),
    z.object({
      code: z.literal('budget-spent'),
      of: z.enum(['chain', 'tier']),
      tier,
      kind: z.enum(['usd', 'tokens', 'runs', 'wallClockMs']),
      spent: z.number(),
      limit: z.number(),
    }),
    z.object({ code: z.literal('approval-needed'), tier }),
    z.object({
      code: z.literal('tier-agent-missing'),
      tier,
      agent: z.string(),
      problem: z.string(),
    }),
    z.object({
      code: z.enum(['run-failed', 'run-interrupted', 'run-cancelled']),
      tier,
      class: failureClassSchema,
      message: z.string(),
      toolsRan: wholeNumber,
    }),
  ])
  .openapi('ChainReason')

export const chainStepSchema: z.ZodType<ChainStep> = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('enter'), tier, because: chainReasonSchema }),
    z.object({ kind: z.literal('ask-verdict'), tier, because: chainReasonSchema }),
    z.object({ kind: z.literal('continue'), tier, because: chainReasonSchema }),
    z.object({
      kind: z.literal('end'),
      status: z.enum(['resolved', 'exhausted', 'failed', 'held', 'cancelled']),
      because: chainReasonSchema,
    }),
  ])
  .openapi('ChainStep')

export const handoverNoteSchema: z.ZodType<HandoverNote> = z
  .object({
    version: z.literal(1),
    task: z.string(),
    tiers: listOf(
      z.object({
        tier,
        name: z.string(),
        verdict: z.enum(['resolved', 'escalate', 'failed']).nullable(),
        summary: z.string(),
        reason: z.string(),
        findings: listOf(finding),
        tools: listOf(z.object({ name: z.string(), input: z.string(), result: z.string() })),
        toolsLeftOut: wholeNumber,
      }),
    ),
    /** The latest turns of a thread; absent in a chain. */
    turns: mayBeMissing(
      listOf(
        z.object({
          turn: wholeNumber,
          asked: z.string(),
          agent: z.string().nullable(),
          answered: z.string(),
          interrupted: z.boolean(),
          tools: listOf(z.object({ name: z.string(), input: z.string(), result: z.string() })),
          toolsLeftOut: wholeNumber,
        }),
      ),
    ),
    turnsLeftOut: mayBeMissing(wholeNumber),
  })
  .openapi('HandoverNote')
