// The schema of a policy in a file or a request: it validates with hints and adds the defaults.
import { z } from 'zod'
import { CARRIES } from '../core/chain/carry.ts'
import type { Policy } from '../core/chain/policy.ts'
import { parseRule } from '../core/fence/tool-rules.ts'
import { type Budget, NO_BUDGET } from '../core/money/budget.ts'
import { SANDBOX_MODES } from '../core/run/sandbox.ts'
import { TRUSTS } from '../core/run/trust.ts'
import { variable } from './schema.ts'

const line = (maxChars: number) =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .regex(/^[^\p{Cc}]+$/u, 'must be one line of text')

const rule = z
  .string()
  .refine(
    text => parseRule(text) !== null,
    'not a tool rule such as `Read` or `Bash(docker restart:*)`',
  )

const dollars = z.number().gt(0)

const budgetSchema = z
  .strictObject({
    usd: dollars,
    tokens: z.int().positive(),
    runs: z.int().positive(),
    wallClockMs: z.int().positive(),
  })
  .partial()

const tierSchema = z.strictObject({
  name: line(60),
  role: line(300),
  // Which models, modes and rules a tier may have depends on its agent.
  agent: line(64).optional(),
  model: line(200).optional(),
  permissionMode: line(60).optional(),
  allowedTools: z.array(rule).max(100),
  disallowedTools: z.array(rule).max(100).optional(),
  actions: z.array(line(80)).max(20).optional(),
  cooldownMs: z.int().min(0).optional(),
  dryRun: z.boolean().optional(),
  budgetUsd: dollars.optional(),
  budget: budgetSchema.optional(),
  contextThreshold: z.number().gt(0).lte(1).optional(),
  approval: z.enum(['auto', 'ask']).optional(),
  carry: z.enum(CARRIES).optional(),
  trust: z.enum(TRUSTS).optional(),
  sandbox: z.enum(SANDBOX_MODES).optional(),
})

export const policySchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'letters, digits, `.`, `_` and `-`'),
    agent: line(64).optional(),
    maxTier: z.int().min(1).optional(),
    contextThreshold: z.number().gt(0).lte(1).optional(),
    whenForbidden: z.enum(['refuse', 'defer']).optional(),
    trust: z.enum(TRUSTS).optional(),
    sandbox: z.enum(SANDBOX_MODES).optional(),
    passEnv: z.array(variable).max(100).optional(),
    mcpServers: z.array(line(100)).max(100).optional(),
    subagents: z.array(line(100)).max(100).optional(),
    budgetUsd: dollars.optional(),
    budget: budgetSchema.optional(),
    tiers: z.array(tierSchema).min(1).max(10),
  })
  .refine(({ maxTier, tiers }) => (maxTier ?? 1) <= tiers.length, {
    path: ['maxTier'],
    message: 'there are fewer tiers than that',
  })

export type PolicyInput = z.infer<typeof policySchema>

export function policyOf(input: PolicyInput): Policy {
  return {
    name: input.name,
    agent: input.agent ?? null,
    maxTier: input.maxTier ?? input.tiers.length,
    contextThreshold: input.contextThreshold ?? null,
    ...(input.whenForbidden && { whenForbidden: input.whenForbidden }),
    ...(input.trust && { trust: input.trust }),
    ...(input.sandbox && { sandbox: input.sandbox }),
    ...(input.passEnv && { passEnv: input.passEnv }),
    ...(input.mcpServers && { mcpServers: input.mcpServers }),
    ...(input.subagents && { subagents: input.subagents }),
    budget: budgetOf(input),
    tiers: input.tiers.map(tier => ({
      name: tier.name,
      role: tier.role,
      ...(tier.agent && { agent: tier.agent }),
      model: tier.model ?? null,
      permissionMode: tier.permissionMode ?? null,
      allowedTools: tier.allowedTools,
      disallowedTools: tier.disallowedTools ?? [],
      actions: tier.actions ?? [],
      cooldownMs: tier.cooldownMs ?? 0,
      dryRun: tier.dryRun ?? false,
      budget: budgetOf(tier),
      contextThreshold: tier.contextThreshold ?? null,
      approval: tier.approval ?? 'auto',
      ...(tier.carry && { carry: tier.carry }),
      ...(tier.trust && { trust: tier.trust }),
      ...(tier.sandbox && { sandbox: tier.sandbox }),
    })),
  }
}

function budgetOf(input: Pick<PolicyInput, 'budget' | 'budgetUsd'>): Budget {
  const { usd, tokens, runs, wallClockMs } = input.budget ?? {}
  return {
    ...NO_BUDGET,
    usd: usd ?? input.budgetUsd ?? null,
    tokens: tokens ?? null,
    runs: runs ?? null,
    wallClockMs: wallClockMs ?? null,
  }
}
