// What the turns of an agent usually need beyond what they begin with, learned from what earlier runs reported.
import type { Run } from '../run/run.ts'
import type { CacheLife } from './cache-state.ts'
import type { EstimateBasis } from './estimate-record.ts'
import { dollarsOf, type Price } from './ledger.ts'
import { quantile } from './quantile.ts'

/** What is usual for a turn. */
export type TurnHabits = {
  /** Model requests of the main conversation; at least 1. */
  readonly requests: number
  /** What the context grows by between the first request and the last one. */
  readonly grownTokens: number
  readonly outputTokens: number
  /** Which share of new tokens is billed as plain input; the others are written to the cache. */
  readonly plainShare: number
  readonly life: CacheLife
  readonly basis: EstimateBasis
}

export type ReportedRun = Pick<Run, 'usage' | 'turns' | 'contextTokens' | 'costUsd' | 'model'>

type PriceOf = (model: string) => Price | null

type Shape = {
  readonly requests: number
  /** What the first request read. */
  readonly firstTokens: number
  readonly grownTokens: number
}

/** `null`: no run has reported its tokens. */
export function learnHabits(
  runs: readonly ReportedRun[],
  { of, priceOf }: { readonly of: EstimateBasis['of']; readonly priceOf: PriceOf },
): TurnHabits | null {
  const told = runs.filter(run => readTokens(run) > 0)
  if (told.length === 0) return null
  const shapes = told.map(shapeOf)
  const sum = (pick: (run: ReportedRun) => number) => told.reduce((all, run) => all + pick(run), 0)
  const plain = sum(({ usage }) => usage.inputTokens)
  const fresh = plain + sum(({ usage }) => usage.cacheWriteTokens)
  return {
    requests: middle(shapes.map(({ requests }) => requests)),
    grownTokens: middle(shapes.map(({ grownTokens }) => grownTokens)),
    outputTokens: middle(told.map(({ usage }) => usage.outputTokens)),
    plainShare: fresh === 0 ? 0 : plain / fresh,
    life: lifeOf(told, priceOf),
    basis: { runs: told.length, of },
  }
}

/**
 * The first request and the growth after it, from the sums of a run. Contexts are taken to grow evenly: the requests together have
 * read as much as if each had read the middle between the first and the last one.
 */
export function shapeOf(run: ReportedRun): Shape {
  const read = readTokens(run)
  const end = run.contextTokens ?? read
  // Agents that report a whole turn as one request have read more than their context holds.
  const requests = Math.max(1, run.turns, Math.ceil(read / Math.max(1, end)))
  if (requests === 1) return { requests, firstTokens: read, grownTokens: 0 }
  const last = Math.max(0, end - run.usage.outputTokens / requests)
  const first = Math.min(last, Math.max(0, (2 * read) / requests - last))
  return { requests, firstTokens: Math.round(first), grownTokens: Math.round(last - first) }
}

/** The middle one, or the middle between two. */
function middle(numbers: readonly number[]): number {
  const negated = numbers.map(number => -number)
  return Math.round((quantile(numbers, 0.5) - quantile(negated, 0.5)) / 2)
}

function readTokens({ usage }: ReportedRun): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
}

/** A run that paid the price of the one-hour cache wrote to it. */
function lifeOf(runs: readonly ReportedRun[], priceOf: PriceOf): CacheLife {
  const isHourly = ({ usage, costUsd, model }: ReportedRun) => {
    const price = model === null ? null : priceOf(model)
    if (costUsd === null || price === null) return false
    const hourly = { ...price, cacheWriteUsd: price.cacheWriteHourUsd }
    const [short, long] = [price, hourly].map(list => Math.abs(costUsd - dollarsOf(usage, list)))
    return short !== undefined && long !== undefined && long < short
  }
  const paid = runs.filter(({ usage, costUsd }) => costUsd !== null && usage.cacheWriteTokens > 0)
  return paid.filter(isHourly).length * 2 > paid.length ? '1h' : '5m'
}
