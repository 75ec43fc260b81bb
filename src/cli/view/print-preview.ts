// Prints what a turn would do and cost, as text or JSON.
import type { Alternative } from '../../core/decide/explain.ts'
import type { Preview } from '../../core/decide/preview.ts'
import { previewInWords } from '../../core/decide/preview.ts'
import { ESTIMATE_FORMULA, type Estimate } from '../../core/money/estimate.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { type Column, count, printJson, printLine, printTable, usd } from './print.ts'
import { sanitise, sanitiseLine } from './sanitise.ts'

export function printPreview(io: Io, preview: Preview, flags: JsonFlag): void {
  if (flags.json) {
    printJson(io, previewInWords(preview))
    return
  }
  const { decision, words, estimate, alternatives, notes } = preview
  printLine(io, `${paint(io, io.stdout, 'bold')(decision.action)}: ${sanitise(words)}\n`)
  const rows = [{ action: decision.action, words: 'as it is', estimate }, ...alternatives]
  printTable(io, rows, ESTIMATE_COLUMNS)
  for (const note of notes) printLine(io, sanitiseLine(`\n${note}`))
  printLine(io, `\nestimate: ${ESTIMATE_FORMULA}`)
}

const estimated = (show: (estimate: Estimate) => string) => (row: Alternative) =>
  row.estimate === null ? '–' : show(row.estimate)

/** What could happen, each with what it would read and cost. */
const ESTIMATE_COLUMNS: readonly Column<Alternative>[] = [
  { title: 'if sent', cell: row => row.action },
  { title: '', text: row => row.words },
  { title: 'tokens', cell: estimated(({ tokens }) => count(tokens)), align: 'right' },
  {
    title: 'of them cached',
    cell: estimated(({ cachedTokens }) => count(cachedTokens)),
    align: 'right',
  },
  { title: 'about', cell: estimated(({ costUsd }) => usd(costUsd)), align: 'right' },
]
