// What the fake model's tokens cost, in dollars per million.
import type { Price } from '../../core/money/ledger.ts'
import type { BilledUsage } from './request.ts'

/** Prices by the beginning of a model name. The longest beginning that fits counts. */
export type PriceTable = Readonly<Record<string, Price>>

/** The prices that the fake model API bills unless it gets others. */
export const DEFAULT_PRICES: PriceTable = {
  claude: price(3, 15),
  'claude-haiku': price(1, 5),
  'claude-opus': price(5, 25),
  'claude-opus-5-5': { ...price(4, 20), cacheReadUsd: 0.2 },
  'claude-sonnet': price(3, 15),
  'claude-sonnet-5': price(2, 10),
  'claude-sonnet-5-5': { ...price(2, 10), cacheReadUsd: 0.1 },
  'claude-haiku-5-5': price(0.1, 0.5),
}

export function apiPriceOf(model: string, prices: PriceTable): Price {
  const names = Object.keys(prices).filter(name => model.startsWith(name))
  const longest = names.sort((a, b) => b.length - a.length)[0]
  return (longest === undefined ? undefined : prices[longest]) ?? price(0, 0)
}

export function costUsd(usage: BilledUsage, price: Price): number {
  const shortWrites = usage.cacheWriteTokens - usage.cacheWriteHourTokens
  return (
    (usage.inputTokens * price.inputUsd +
      usage.cacheReadTokens * price.cacheReadUsd +
      shortWrites * price.cacheWriteUsd +
      usage.cacheWriteHourTokens * price.cacheWriteHourUsd +
      usage.outputTokens * price.outputUsd) /
    1_000_000
  )
}

function price(inputUsd: number, outputUsd: number): Price {
  return {
    inputUsd,
    cacheReadUsd: inputUsd / 10,
    cacheWriteUsd: inputUsd * 1.25,
    cacheWriteHourUsd: inputUsd * 2,
    outputUsd,
  }
}
