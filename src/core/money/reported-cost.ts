// What runs cost together. Some agents do not report what a run cost: the sum leaves these runs out, and says so.
import type { Run } from '../run/run.ts'

export type ReportedCost = {
  /** Of the runs that report their cost; `null`: there are runs, and none of them does. */
  readonly costUsd: number | null
  /** How many runs have ended and do not report their cost. */
  readonly runsWithoutCost: number
}

type PaidRun = Pick<Run, 'costUsd' | 'startedAt' | 'endedAt' | 'failure'>

export function reportedCost(runs: readonly PaidRun[]): ReportedCost {
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? [])
  const isUnknown = runs.length > 0 && costs.length === 0
  return {
    costUsd: isUnknown ? null : costs.reduce((sum, usd) => sum + usd, 0),
    runsWithoutCost: runs.filter(hidesCost).length,
  }
}

/** A run whose process never started cost nothing. */
function hidesCost({ costUsd, startedAt, endedAt, failure }: PaidRun): boolean {
  const hasRun = startedAt !== null && endedAt !== null && failure?.class !== 'spawn-failed'
  return hasRun && costUsd === null
}

/** A cost that is not reported is not zero. `dollars` writes an amount; `unknown` stands for one that nobody knows yet. */
export function costInWords(
  { costUsd, runsWithoutCost }: ReportedCost,
  { dollars, unknown }: { dollars(usd: number): string; readonly unknown: string },
): string {
  if (costUsd === null) return runsWithoutCost > 0 ? 'not reported' : unknown
  return runsWithoutCost > 0 ? `${dollars(costUsd)} + not reported` : dollars(costUsd)
}
