// Tokens as codex counts them: its input includes what came from the cache.
import type { Usage } from '../../core/run/events.ts'
import { fieldsIn, numberIn } from '../fields.ts'

export function usageIn(value: unknown): Usage {
  const fields = fieldsIn(value) ?? {}
  const count = (name: string) => numberIn(fields[name]) ?? 0
  const [cacheReadTokens, cacheWriteTokens] = [
    count('cached_input_tokens'),
    count('cache_write_input_tokens'),
  ]
  return {
    inputTokens: Math.max(0, count('input_tokens') - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count('output_tokens'),
  }
}
