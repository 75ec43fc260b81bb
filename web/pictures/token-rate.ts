// How many tokens a run uses per minute, from the usage events that were heard lately.
import type { RunEvent } from '../../src/core/run/run-events.ts'

const WINDOW_MS = 60_000

/** The tokens of all requests whose usage was heard in the last minute; `null` when nothing was heard. */
export function tokensPerMinute(
  events: readonly RunEvent[],
  runId: string,
  now: number,
): number | null {
  const latest = new Map<string, number>()
  for (const event of events) {
    if (event.runId !== runId || event.type !== 'usage' || now - event.at > WINDOW_MS) continue
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event.usage
    const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
    // A later event of a request replaces the one before.
    latest.set(event.requestId, tokens)
  }
  if (latest.size === 0) return null
  return [...latest.values()].reduce((sum, tokens) => sum + tokens, 0)
}
