// List prices of models. The tests compare them with the costs that Claude Code reports.
import type { Price } from '../../core/money/ledger.ts'

type Model = {
  /** A model's name begins with it; dates and suffixes may follow. */
  readonly prefix: string
  readonly inputUsd: number
  readonly outputUsd: number
  /** The price of cache reads, where it is not a tenth of the input's price. */
  readonly cacheReadUsd?: number
}

/** Longer prefixes first: `claude-sonnet-5-5` is not `claude-sonnet-5`. */
const MODELS: readonly Model[] = [
  {
    prefix: 'claude-opus-5-5',
    inputUsd: 4,
    outputUsd: 20,
    cacheReadUsd: 0.2,
  },
  {
    prefix: 'claude-sonnet-5-5',
    inputUsd: 2,
    outputUsd: 10,
    cacheReadUsd: 0.1,
  },
  { prefix: 'claude-haiku-5-5', inputUsd: 0.1, outputUsd: 0.5 },
  { prefix: 'claude-opus-5', inputUsd: 5, outputUsd: 25 },
  { prefix: 'claude-opus-4-8', inputUsd: 5, outputUsd: 25 },
  // Versions from before the price fell still count 3 and 15, so their runs are marked as disputed.
  { prefix: 'claude-sonnet-5', inputUsd: 2, outputUsd: 10 },
  { prefix: 'claude-sonnet-4-5', inputUsd: 3, outputUsd: 15 },
  { prefix: 'claude-haiku-4-5', inputUsd: 1, outputUsd: 5 },
]

/** API keys get the five-minute cache, subscriptions the one-hour cache. */
const CACHE_WRITE_FACTOR = 1.25
const CACHE_WRITE_HOUR_FACTOR = 2
const CACHE_READ_FACTOR = 0.1

export function price(model: string): Price | null {
  const found = find(model)
  if (!found) return null
  return {
    inputUsd: found.inputUsd,
    cacheReadUsd: found.cacheReadUsd ?? found.inputUsd * CACHE_READ_FACTOR,
    cacheWriteUsd: found.inputUsd * CACHE_WRITE_FACTOR,
    cacheWriteHourUsd: found.inputUsd * CACHE_WRITE_HOUR_FACTOR,
    outputUsd: found.outputUsd,
  }
}

function find(model: string): Model | undefined {
  const name = model.replace(/\[1m\]$/, '')
  return MODELS.find(({ prefix }) => name === prefix || name.startsWith(`${prefix}-`))
}
