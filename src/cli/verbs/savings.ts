// reprise savings: compares what runs used with an estimate of cold starts.
import type { UsageRow } from '../../core/money/usage.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { withReprise } from '../open/open.ts'
import type { Io } from '../start/io.ts'
import { type Column, count, printJson, printLine, table, usd } from '../view/print.ts'
import { sanitise } from '../view/sanitise.ts'

export type SavingsFlags = JsonFlag & { readonly by: 'day' | 'thread' | 'agent' }

export async function savings(io: Io, flags: SavingsFlags): Promise<number> {
  return withReprise(io, async reprise => {
    const report = await reprise.savings(flags.by)
    if (flags.json) printJson(io, report)
    else {
      io.stdout.write(table([...report.rows, { ...report.total, key: 'all' }], columns(flags.by)))
      printLine(io, `\nestimate: ${sanitise(report.formula)}`)
    }
    return 0
  })
}

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
