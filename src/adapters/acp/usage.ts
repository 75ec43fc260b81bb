// What an ACP agent says about tokens and dollars at the end of a prompt. Each says something else, and some say nothing.
import type { Usage } from '../../core/run/events.ts'
import { type Fields, fieldsIn, numberIn } from '../fields.ts'

/** `null`: the agent does not say it. */
export function usageOf(result: Fields): Usage | null {
  const usage = fieldsIn(result.usage)
  if (usage !== null) return readUsage(usage)
  // Gemini keeps it beside the protocol, in its own words.
  const counted = fieldsIn(fieldsIn(fieldsIn(result._meta)?.quota)?.token_count)
  if (counted === null) return null
  return {
    inputTokens: countIn(counted.input_tokens),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: countIn(counted.output_tokens),
  }
}

/** Some agents count cached tokens as a part of the input: their total tells. */
export function readUsage(usage: Fields): Usage {
  const [input, output] = [countIn(usage.inputTokens), countIn(usage.outputTokens)]
  const cacheReadTokens = countIn(usage.cachedReadTokens)
  const total = countIn(usage.totalTokens)
  const includesCached = total === input + output + countIn(usage.thoughtTokens)
  return {
    inputTokens: includesCached ? Math.max(0, input - cacheReadTokens) : input,
    cacheReadTokens,
    cacheWriteTokens: countIn(usage.cachedWriteTokens),
    outputTokens: output,
  }
}

export function sumOfUsage(a: Usage | null, b: Usage): Usage {
  return {
    inputTokens: (a?.inputTokens ?? 0) + b.inputTokens,
    cacheReadTokens: (a?.cacheReadTokens ?? 0) + b.cacheReadTokens,
    cacheWriteTokens: (a?.cacheWriteTokens ?? 0) + b.cacheWriteTokens,
    outputTokens: (a?.outputTokens ?? 0) + b.outputTokens,
  }
}

/** Dollars of a `usage_update`; `null`: none, another currency, or zero, which an agent says that knows no price of the model. */
export function costInUpdate(update: Fields): number | null {
  const cost = fieldsIn(update.cost)
  const amount = cost?.currency === 'USD' ? (numberIn(cost.amount) ?? 0) : 0
  return amount > 0 ? amount : null
}

/** Tokens in the context and tokens that fit; `null`: the agent does not say both. */
export function contextIn(update: Fields): { tokens: number; window: number } | null {
  const [tokens, window] = [countIn(update.used), countIn(update.size)]
  return tokens > 0 && window > 0 ? { tokens, window } : null
}

/** A program can report anything: Reprise takes a value that is no number of tokens as not reported. */
function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
