// The tokens of one run, whatever the agent's own numbers cover.
import { NO_USAGE, type Usage } from '../run/events.ts'
import { type ModelTokens, type Request, totalUsage } from '../run/observe.ts'

export type UsageReport = {
  /** What the usage covers that the agent reports: each model request, the turn, or the session since its beginning. */
  readonly means: 'request' | 'turn' | 'session'
  /** Every model request of the run that is known. */
  readonly requests: readonly Request[]
  /** What the last result of the run says; `null`: it had none. */
  readonly reported: Usage | null
  /** The total of the session before the run; `null`: not known. */
  readonly before: Usage | null
}

/** A running total counts only when no request is known: the run then used what the total has grown by. */
export function usageOfRun({ means, requests, reported, before }: UsageReport): Usage {
  if (means === 'request' || requests.length > 0) return totalUsage(requests)
  if (means === 'turn') return reported ?? NO_USAGE
  return grown(reported ?? before ?? NO_USAGE, before ?? NO_USAGE)
}

/** A total that is smaller than the one before does not include it. */
function grown(total: Usage, before: Usage): Usage {
  const difference = {
    inputTokens: total.inputTokens - before.inputTokens,
    cacheReadTokens: total.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: total.cacheWriteTokens - before.cacheWriteTokens,
    outputTokens: total.outputTokens - before.outputTokens,
  }
  return Object.values(difference).some(tokens => tokens < 0) ? total : difference
}

/** Reports by model also cover requests that no event shows: those of subagents, and those that compact. */
export function withUnseen(usage: Usage, reported: readonly ModelTokens[]): Usage {
  const total = totalUsage(reported)
  return {
    inputTokens: Math.max(usage.inputTokens, total.inputTokens),
    cacheReadTokens: Math.max(usage.cacheReadTokens, total.cacheReadTokens),
    cacheWriteTokens: Math.max(usage.cacheWriteTokens, total.cacheWriteTokens),
    outputTokens: Math.max(usage.outputTokens, total.outputTokens),
  }
}
