// How many tokens a run uses per minute, from the usage events that were heard lately.
import type { RunEvent } from '../../src/core/run/run-events.ts'

const WINDOW_MS = 60_000
const STEPS = 12

/** The tokens of the last minute in steps of five seconds, oldest first; each request counts when it was heard last. */
export function tokenSteps(
  events: readonly RunEvent[],
  runId: string,
  now: number,
): readonly number[] {
  const steps = Array.from({ length: STEPS }, () => 0)
  for (const { at, tokens } of requestsOf(events, runId, now).values()) {
    const step = Math.floor(((at - (now - WINDOW_MS)) / WINDOW_MS) * STEPS)
    const index = Math.min(STEPS - 1, Math.max(0, step))
    steps[index] = (steps[index] ?? 0) + tokens
  }
  return steps
}

/** The tokens of all requests whose usage was heard in the last minute; `null` when nothing was heard. */
export function tokensPerMinute(
  events: readonly RunEvent[],
  runId: string,
  now: number,
): number | null {
  const latest = requestsOf(events, runId, now)
  if (latest.size === 0) return null
  return [...latest.values()].reduce((sum, { tokens }) => sum + tokens, 0)
}

type Heard = { readonly at: number; readonly tokens: number }

function requestsOf(
  events: readonly RunEvent[],
  runId: string,
  now: number,
): ReadonlyMap<string, Heard> {
  const latest = new Map<string, Heard>()
  for (const event of events) {
    if (event.runId !== runId || event.type !== 'usage' || now - event.at > WINDOW_MS) continue
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event.usage
    const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
    const known = latest.get(event.requestId)
    // A later event of a request replaces the one before, whichever stands first in the list.
    if (known === undefined || known.at <= event.at) {
      latest.set(event.requestId, { at: event.at, tokens })
    }
  }
  return latest
}
