// reprise savings: compares what runs used with an estimate of cold starts.
import type { SavingsReport } from '../../api.ts'
import { type EstimateQuality, qualityWords } from '../../core/money/estimate-error.ts'
import type { ReasonShare } from '../../core/money/reason-share.ts'
import type { UsageRow } from '../../core/money/usage.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, count, printJson, printLine, printTable, usd } from '../view/print.ts'
import { sanitise } from '../view/sanitise.ts'

export type SavingsFlags = JsonFlag & {
  readonly by: 'day' | 'thread' | 'agent'
  readonly since?: number
}

export async function savings(io: Io, flags: SavingsFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const { since } = flags
    const report = await reprise.savings(flags.by, { ...(since !== undefined && { since }) })
    if (flags.json) printJson(io, report)
    else {
      printTable(io, [...report.rows, { ...report.total, key: 'all' }], columns(flags.by))
      if (report.reasons.length > 0) {
        printLine(io, `\n${hitRateWords(report)}`)
        printTable(io, report.reasons, REASON_COLUMNS)
      }
      for (const line of qualityLines(report.estimates)) printLine(io, line)
      printLine(io, `\nestimate: ${sanitise(report.formula)}`)
    }
    return 0
  })
}

function qualityLines({ costUsd, tokens }: EstimateQuality): readonly string[] {
  return [
    '\nhow good estimates were before a run started',
    `dollars: ${qualityWords(costUsd)}`,
    `tokens: ${qualityWords(tokens)}`,
  ]
}

function hitRateWords({ hitRate }: SavingsReport): string {
  if (hitRate === null) return 'how runs continued'
  return `how runs continued: ${Math.round(hitRate * 100)} % of those that could went on in a session`
}

const REASON_COLUMNS: readonly Column<ReasonShare>[] = [
  { title: 'decision', cell: reason => reason.action },
  { title: 'reason', cell: reason => reason.code ?? '' },
  { title: 'runs', cell: reason => count(reason.runs), align: 'right' },
  { title: 'share', cell: reason => `${Math.round(reason.share * 100)} %`, align: 'right' },
  { title: 'why', text: reason => reason.words },
]

function columns(by: string): readonly Column<UsageRow>[] {
  return [
    { title: by, cell: row => row.key },
    { title: 'runs', cell: row => count(row.runs), align: 'right' },
    { title: 'resumed', cell: row => count(row.resumed), align: 'right' },
    { title: 'new input', cell: row => count(row.usage.inputTokens), align: 'right' },
    { title: 'cache write', cell: row => count(row.usage.cacheWriteTokens), align: 'right' },
    { title: 'cache read', cell: row => count(row.usage.cacheReadTokens), align: 'right' },
    { title: 'output', cell: row => count(row.usage.outputTokens), align: 'right' },
    { title: 'cost', cell: row => usd(row.costUsd), align: 'right' },
    { title: 'cold', cell: row => usd(row.coldCostUsd), align: 'right' },
    { title: 'saved', cell: row => usd(row.savedUsd), align: 'right' },
  ]
}
