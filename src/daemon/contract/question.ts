// Questions and answers as they go over the wire.
import { z } from '@hono/zod-openapi'
import type { Answer, Question } from '../../core/conversation/question.ts'
import { id, listOf, time } from './fields.ts'

export const questionStateSchema = z.enum(['open', 'answered', 'expired', 'cancelled'])

export const answerSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('choices'), choices: z.record(z.string(), z.string()) }),
    z.object({ kind: z.literal('allow') }),
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

/** `delivery`: how an answer reaches the call; `input` is the call's input as JSON text. */
export const questionSchema = z
  .object({
    runId: id,
    toolUseId: z.string(),
    kind: z.enum(['question', 'permission']),
    tool: z.string(),
    input: z.string(),
    items: listOf(itemSchema),
    state: questionStateSchema,
    delivery: z.enum(['live', 'parked', 'restated']),
    answer: answerSchema.nullable(),
    askedAt: time,
    expiresAt: time,
    closedAt: time.nullable(),
  })
  .openapi('Question') satisfies z.ZodType<Question>

const MAX_ANSWER_CHARS = 100_000

const toolUseId = z.string().min(1).max(200)
const text = z.string().max(MAX_ANSWER_CHARS)

/** Answers a question with a text or with one answer per question, and a permission with yes or no. */
export const toolResultSchema = z
  .union([
    z.strictObject({
      toolUseId,
      content: z.union([text, z.record(z.string(), z.union([text, z.array(text).max(100)]))]),
    }),
    z.strictObject({ toolUseId, allow: z.boolean(), message: text.optional() }),
  ])
  .openapi('ToolResult')
