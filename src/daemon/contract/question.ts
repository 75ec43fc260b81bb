// Questions and answers as they go over the wire.
import { z } from '@hono/zod-openapi'
import type { PermissionRule } from '../../core/calls/permission-rule.ts'
import type { Answer, Question } from '../../core/conversation/question.ts'
import { id, listOf, mayBeMissing, pageOf, time, wholeNumber } from './fields.ts'

export const questionStateSchema = z.enum(['open', 'answered', 'expired', 'cancelled'])

/** What "allow for this run" allows: later calls with the same `kind`, `tool` and `value`. `words` says it to a person. */
export const permissionRuleSchema = z
  .object({
    kind: z.enum(['command', 'change', 'read', 'page', 'call']),
    tool: z.string(),
    value: z.string(),
    words: z.string(),
  })
  .openapi('PermissionRule') satisfies z.ZodType<PermissionRule>

/** `forRun`: every call of the rule is allowed until the run ends. `by: rule`: nobody was asked about this call. */
export const answerSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('choices'), choices: z.record(z.string(), z.string()) }),
    z.object({
      kind: z.literal('allow'),
      forRun: mayBeMissing(z.object({ rule: permissionRuleSchema, by: z.enum(['user', 'rule']) })),
    }),
    z.object({ kind: z.literal('deny'), message: z.string() }),
  ])
  .openapi('Answer') satisfies z.ZodType<Answer>

export const itemSchema = z
  .object({
    question: z.string(),
    header: z.string(),
    options: listOf(z.object({ label: z.string(), description: z.string() })),
    multiSelect: z.boolean(),
  })
  .openapi('QuestionItem')

/**
 * `delivery`: how an answer reaches the call; `input` is the call's input as JSON text; `rule` is what `for: 'run'` would
 * allow, and is absent when the call can be allowed only once.
 */
export const questionSchema = z
  .object({
    runId: id,
    toolUseId: z.string(),
    kind: z.enum(['question', 'permission']),
    tool: z.string(),
    input: z.string(),
    items: listOf(itemSchema),
    rule: mayBeMissing(permissionRuleSchema),
    state: questionStateSchema,
    delivery: z.enum(['live', 'parked', 'restated']),
    answer: answerSchema.nullable(),
    askedAt: time,
    expiresAt: time,
    closedAt: time.nullable(),
  })
  .openapi('Question') satisfies z.ZodType<Question>

/** `total` counts the questions of all pages. */
export const questionPageSchema = pageOf(questionSchema).extend({ total: wholeNumber })

const MAX_ANSWER_CHARS = 100_000

const toolUseId = z.string().min(1).max(200)
const text = z.string().max(MAX_ANSWER_CHARS)

/**
 * Answers a question with a text or with one answer per question, and a permission with yes or no. With `for: 'run'`, a yes
 * holds for every call of the question's `rule` until the run ends.
 */
export const toolResultSchema = z
  .union([
    z.strictObject({
      toolUseId,
      content: z.union([text, z.record(z.string(), z.union([text, z.array(text).max(100)]))]),
    }),
    z.strictObject({ toolUseId, allow: z.boolean(), message: text.optional() }),
    z.strictObject({ toolUseId, allow: z.literal(true), for: z.literal('run') }),
  ])
  .openapi('ToolResult')
