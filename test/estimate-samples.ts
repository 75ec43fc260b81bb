// An estimate and what it is made from, as tests need them.
import type { CacheState } from '../src/core/money/cache-state.ts'
import type { Estimate } from '../src/core/money/estimate.ts'
import type { TurnHabits } from '../src/core/money/habits.ts'

export const WARM: CacheState = {
  state: 'warm',
  because: 'in-time',
  ageMs: 60_000,
  lifeMs: 300_000,
}
export const COLD: CacheState = { ...WARM, state: 'cold', because: 'too-old', ageMs: 600_000 }

/** A turn that is one request and says nothing. */
export const ONE_REQUEST: TurnHabits = {
  requests: 1,
  grownTokens: 0,
  outputTokens: 0,
  plainShare: 0,
  life: '5m',
  basis: { runs: 3, of: 'thread' },
}

export const SAMPLE_PRICE = {
  inputUsd: 4,
  cacheReadUsd: 0.5,
  cacheWriteUsd: 5,
  cacheWriteHourUsd: 8,
  outputUsd: 20,
}

export const SAMPLE_ESTIMATE: Estimate = {
  tokens: 1_200,
  cachedTokens: 1_000,
  usage: { inputTokens: 0, cacheReadTokens: 1_000, cacheWriteTokens: 200, outputTokens: 50 },
  costUsd: 0.3,
  cache: WARM,
  basis: { runs: 3, of: 'thread' },
}
