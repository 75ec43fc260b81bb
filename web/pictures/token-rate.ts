// How many tokens a run uses per minute, from what its requests have reported.
import type { Usage } from '../../src/core/run/events.ts'
import type { RunEvent } from '../../src/core/run/run-events.ts'

/** A request of the agent, and when its usage was reported last. */
export type Reported = { readonly requestId: string; readonly at: number; readonly tokens: number }

const MINUTE_MS = 60_000
const WINDOW_MS = 10 * MINUTE_MS
const STEPS = 20

/** A later report of a request replaces the one before. What is too old for the picture is left out. */
export function reportedWith(reported: readonly Reported[], event: RunEvent): readonly Reported[] {
  if (event.type !== 'usage') return reported
  const { requestId, at } = event
  const others = reported.filter(one => one.requestId !== requestId && at - one.at <= WINDOW_MS)
  return [...others, { requestId, at, tokens: tokensIn(event.usage) }]
}

/** The tokens of the last ten minutes in steps of thirty seconds, oldest first. */
export function tokenSteps(reported: readonly Reported[], now: number): readonly number[] {
  const steps = Array.from({ length: STEPS }, () => 0)
  for (const { at, tokens } of reported) {
    if (now - at > WINDOW_MS) continue
    const step = Math.floor(((at - (now - WINDOW_MS)) / WINDOW_MS) * STEPS)
    const index = Math.min(STEPS - 1, Math.max(0, step))
    steps[index] = (steps[index] ?? 0) + tokens
  }
  return steps
}

/** The tokens of all requests whose usage was reported in the last minute. */
export function tokensPerMinute(reported: readonly Reported[], now: number): number {
  const lately = reported.filter(({ at }) => now - at <= MINUTE_MS)
  return lately.reduce((sum, { tokens }) => sum + tokens, 0)
}

function tokensIn({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
}
