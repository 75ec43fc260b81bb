// Token counts as the Messages API and the result event write them, in our words.
import type { ModelUsage, Usage } from '../../../core/run/events.ts'
import { type Fields, fieldsIn, numberIn } from '../../fields.ts'

/** Missing counts are taken from `before`: a later report may hold only what changed. */
export function usageIn(value: unknown, before?: Usage): Usage {
  const fields = fieldsIn(value) ?? {}
  return {
    inputTokens: count(fields.input_tokens) ?? before?.inputTokens ?? 0,
    cacheReadTokens: count(fields.cache_read_input_tokens) ?? before?.cacheReadTokens ?? 0,
    cacheWriteTokens: count(fields.cache_creation_input_tokens) ?? before?.cacheWriteTokens ?? 0,
    outputTokens: count(fields.output_tokens) ?? before?.outputTokens ?? 0,
  }
}

export function modelsIn(value: unknown): Readonly<Record<string, ModelUsage>> {
  const entries = Object.entries(fieldsIn(value) ?? {})
  return Object.fromEntries(entries.map(([model, usage]) => [model, modelUsage(fieldsIn(usage))]))
}

function modelUsage(fields: Fields | null): ModelUsage {
  return {
    usage: {
      inputTokens: count(fields?.inputTokens) ?? 0,
      cacheReadTokens: count(fields?.cacheReadInputTokens) ?? 0,
      cacheWriteTokens: count(fields?.cacheCreationInputTokens) ?? 0,
      outputTokens: count(fields?.outputTokens) ?? 0,
    },
    costUsd: numberIn(fields?.costUSD) ?? 0,
    contextWindow: count(fields?.contextWindow),
  }
}

function count(value: unknown): number | null {
  const number = numberIn(value)
  return number !== null && number >= 0 ? number : null
}
