// How good estimates were: what runs were expected to use beside what they reported.
import type { Usage } from '../run/events.ts'
import type { Estimate } from './estimate-record.ts'
import { quantile } from './quantile.ts'

/** A run that had an estimate, and what it reported. */
export type EstimatedRun = {
  readonly estimate: Pick<Estimate, 'usage' | 'costUsd'>
  readonly usage: Usage
  readonly costUsd: number | null
}

/** Errors are shares of what was reported: 0.1 is ten per cent too much or too little. */
export type EstimateErrors = {
  readonly runs: number
  /** `null`: no run can be compared. */
  readonly median: number | null
  /** Nine of ten runs were no further off. */
  readonly p90: number | null
}

export type EstimateQuality = {
  readonly costUsd: EstimateErrors
  readonly tokens: EstimateErrors
}

export function estimateQuality(runs: readonly EstimatedRun[]): EstimateQuality {
  return {
    costUsd: errorsOf(runs.map(run => [run.estimate.costUsd, run.costUsd])),
    tokens: errorsOf(runs.map(run => [allTokens(run.estimate.usage), allTokens(run.usage)])),
  }
}

type Compared = readonly [expected: number | null, reported: number | null]

function errorsOf(compared: readonly Compared[]): EstimateErrors {
  const errors = compared.flatMap(([expected, reported]) =>
    expected === null || reported === null || reported <= 0
      ? []
      : Math.abs(expected - reported) / reported,
  )
  if (errors.length === 0) return { runs: 0, median: null, p90: null }
  return { runs: errors.length, median: quantile(errors, 0.5), p90: quantile(errors, 0.9) }
}

function allTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
}

/** One line for a report. */
export function qualityWords({ runs, median, p90 }: EstimateErrors): string {
  if (median === null || p90 === null) return 'not known: no run had an estimate'
  const which = runs === 1 ? '1 run' : `${runs} runs`
  return `${percent(median)} off in the median, at most ${percent(p90)} in nine of ten (${which})`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
