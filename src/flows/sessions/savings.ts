// The savings report: rows from the store, their total, and how runs continued.
import type { SavingsReport } from '../../api.ts'
import { type EstimatedRun, estimateQuality } from '../../core/money/estimate-error.ts'
import { hitRate, type ReasonCount, reasonShares } from '../../core/money/reason-share.ts'
import { SAVINGS_FORMULA } from '../../core/money/savings.ts'
import type { UsageRow } from '../../core/money/usage.ts'
import { NO_USAGE } from '../../core/run/events.ts'

type Counted = {
  readonly counts: readonly ReasonCount[]
  readonly estimated: readonly EstimatedRun[]
}

export function savingsReport(
  by: SavingsReport['by'],
  rows: readonly UsageRow[],
  { counts, estimated }: Counted,
): SavingsReport {
  const nothing: UsageRow = {
    key: 'total',
    runs: 0,
    resumed: 0,
    usage: NO_USAGE,
    costUsd: 0,
    coldCostUsd: 0,
    savedUsd: 0,
  }
  return {
    by,
    rows,
    total: rows.reduce(added, nothing),
    reasons: reasonShares(counts),
    hitRate: hitRate(counts),
    estimates: estimateQuality(estimated),
    formula: SAVINGS_FORMULA,
  }
}

function added(total: UsageRow, row: UsageRow): UsageRow {
  return {
    key: total.key,
    runs: total.runs + row.runs,
    resumed: total.resumed + row.resumed,
    usage: {
      inputTokens: total.usage.inputTokens + row.usage.inputTokens,
      cacheReadTokens: total.usage.cacheReadTokens + row.usage.cacheReadTokens,
      cacheWriteTokens: total.usage.cacheWriteTokens + row.usage.cacheWriteTokens,
      outputTokens: total.usage.outputTokens + row.usage.outputTokens,
    },
    costUsd: total.costUsd + row.costUsd,
    coldCostUsd: total.coldCostUsd + row.coldCostUsd,
    savedUsd: total.savedUsd + row.savedUsd,
  }
}
