// What a run itself used. Agents report totals of the process or of the whole session; the ledger books the difference.
import type { Usage } from '../run/events.ts'
import type { Request } from '../run/observe.ts'
import type { CostSource } from '../run/run.ts'

/** Dollars per million tokens. */
export type Price = {
  readonly inputUsd: number
  readonly cacheReadUsd: number
  readonly cacheWriteUsd: number
  /** The price of writing to the one-hour cache. How a run is paid decides which cache it gets. */
  readonly cacheWriteHourUsd: number
  readonly outputUsd: number
}

export type CostReport = {
  /** What a reported total covers, by the agent's version. */
  readonly meaning: 'process' | 'session'
  readonly totalUsd: number | null
  /** The sum of the agent's own deltas; exact where the agent reports them. */
  readonly sinceLastUsd: number | null
  /** The session's total before this run, as the agent had saved it. */
  readonly baselineUsd: number
  /** Usage × price of every request seen; `null` when a price is unknown or requests are known to be missing. */
  readonly expectedUsd: CostRange | null
  /** The run did not end by itself: an agent leaves out a request that was broken off, and its API bills it. */
  readonly isBrokenOff: boolean
}

export type CostRange = { readonly least: number; readonly most: number }

export type BookedCost = {
  readonly costUsd: number | null
  readonly source: CostSource
  /** Two ways to count disagree. The record holds both; the more credible one is booked. */
  readonly disputed: boolean
}

const TOLERANCE_SHARE = 0.02
const TOLERANCE_USD = 0.0002

export function bookCost(report: CostReport): BookedCost {
  const claimed = claimedCost(report)
  if (!claimed) {
    return report.expectedUsd === null
      ? { costUsd: null, source: 'none', disputed: false }
      : { costUsd: report.expectedUsd.least, source: 'per-message', disputed: false }
  }
  const expected = report.expectedUsd
  if (expected === null || agrees(claimed.costUsd, expected)) return { ...claimed, disputed: false }
  // The version and the numbers disagree about the meaning: the tokens decide.
  const other = otherMeaning(report)
  if (other && agrees(other.costUsd, expected)) return { ...other, disputed: true }
  if (report.isBrokenOff && claimed.costUsd < expected.least)
    return { costUsd: expected.least, source: 'per-message', disputed: true }
  return { ...claimed, disputed: true }
}

export function priceOf(
  requests: readonly Pick<Request, 'model' | 'usage'>[],
  price: (model: string) => Price | null,
): CostRange | null {
  let least = 0
  let most = 0
  for (const request of requests) {
    const list = price(request.model)
    if (!list) return null
    least += dollarsOf(request.usage, list)
    most += dollarsOf(request.usage, { ...list, cacheWriteUsd: list.cacheWriteHourUsd })
  }
  return requests.length > 0 ? { least, most } : null
}

/** What tokens cost by list prices. */
export function dollarsOf(usage: Usage, price: Price): number {
  const micro =
    usage.inputTokens * price.inputUsd +
    usage.cacheReadTokens * price.cacheReadUsd +
    usage.cacheWriteTokens * price.cacheWriteUsd +
    usage.outputTokens * price.outputUsd
  return micro / 1_000_000
}

type Claimed = { readonly costUsd: number; readonly source: CostSource }

function claimedCost(report: CostReport): Claimed | null {
  if (report.sinceLastUsd !== null) {
    return { costUsd: report.sinceLastUsd, source: 'since-last-result' }
  }
  if (report.totalUsd === null) return null
  return report.meaning === 'process'
    ? asProcess(report.totalUsd)
    : asSession(report, report.totalUsd)
}

function otherMeaning(report: CostReport): Claimed | null {
  if (report.totalUsd === null) return null
  return report.meaning === 'process'
    ? asSession(report, report.totalUsd)
    : asProcess(report.totalUsd)
}

const asProcess = (totalUsd: number): Claimed => ({ costUsd: totalUsd, source: 'reported' })

/** A total below its own baseline cannot include it. */
const asSession = ({ baselineUsd }: CostReport, totalUsd: number): Claimed =>
  totalUsd >= baselineUsd
    ? { costUsd: totalUsd - baselineUsd, source: 'session-delta' }
    : asProcess(totalUsd)

function agrees(costUsd: number, { least, most }: CostRange): boolean {
  const tolerance = Math.max(TOLERANCE_USD, TOLERANCE_SHARE * most)
  return costUsd >= least - tolerance && costUsd <= most + tolerance
}
