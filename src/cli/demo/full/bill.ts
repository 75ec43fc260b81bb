// What the agents of the full demo are billed: a context that grows with each request, or a sum that was chosen.
import type { Usage } from '../../../core/run/events.ts'
import type { ScriptStep } from '../../../testing/fake-agent/script.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The tokens of one conversation. */
export type Meter = {
  /** The usage of the next request. */
  next(): Usage
  /** The next request brings this text as well. */
  hear(text: string): void
  /** The next request finds nothing in the cache, and a context of this size. */
  startCold(contextTokens: number): void
  /** The next request finds a context of this size in the cache. */
  grow(contextTokens: number): void
}

const FIRST_CONTEXT_TOKENS = 14_000

export function tokensInText(text: string): number {
  return Math.ceil(text.length / 4)
}

export function createMeter({ between }: SeededRandom): Meter {
  let cached = 0
  let fresh = FIRST_CONTEXT_TOKENS
  return {
    next() {
      const added = between(700, 2_400)
      const outputTokens = between(140, 620)
      const usage = {
        inputTokens: between(3, 9),
        cacheReadTokens: cached,
        cacheWriteTokens: fresh + added,
        outputTokens,
      }
      cached += fresh + added
      fresh = outputTokens
      return usage
    },
    hear(text) {
      fresh += tokensInText(text)
    },
    startCold(contextTokens) {
      cached = 0
      fresh = contextTokens
    },
    grow(contextTokens) {
      cached = contextTokens
    },
  }
}

/** The same usage in `count` requests. */
export function spread(total: Usage, count: number): () => Usage {
  let request = 0
  const part = (tokens: number) => {
    const each = Math.floor(tokens / count)
    return request === 0 ? tokens - each * (count - 1) : each
  }
  return () => {
    const usage = {
      inputTokens: part(total.inputTokens),
      cacheReadTokens: part(total.cacheReadTokens),
      cacheWriteTokens: part(total.cacheWriteTokens),
      outputTokens: part(total.outputTokens),
    }
    request += 1
    return usage
  }
}

const CONTENT: ReadonlySet<ScriptStep['type']> = new Set([
  'text',
  'thinking',
  'tool',
  'ask',
  'verdict',
])
const ENDS_REQUEST: ReadonlySet<ScriptStep['type']> = new Set(['tool', 'ask', 'verdict'])

/** Puts the bill and the time of each model request in front of what it says. */
export function billed(
  steps: readonly ScriptStep[],
  { usage, seconds }: { readonly usage: () => Usage; readonly seconds: () => number },
): readonly ScriptStep[] {
  const all: ScriptStep[] = []
  let isWithin = false
  for (const step of steps) {
    if (CONTENT.has(step.type) && !isWithin) {
      all.push({ type: 'billed', usage: usage() }, { type: 'sleep', ms: seconds() * 1_000 })
      isWithin = true
    }
    all.push(step)
    if (ENDS_REQUEST.has(step.type)) isWithin = false
  }
  return all
}

/** How many model requests the steps take. */
export function requestsIn(steps: readonly ScriptStep[]): number {
  const counted = { count: 0 }
  billed(steps, {
    usage: () => {
      counted.count += 1
      return { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
    },
    seconds: () => 0,
  })
  return counted.count
}
