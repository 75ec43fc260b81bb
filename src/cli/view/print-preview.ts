// Prints what a turn would do and use, as text or JSON.
import type { Preview, PricedWay } from '../../core/decide/preview.ts'
import { previewInWords } from '../../core/decide/preview.ts'
import { cacheWords } from '../../core/money/cache-state.ts'
import {
  basisWords,
  ESTIMATE_FORMULA,
  type Estimate,
  NOT_KNOWN,
} from '../../core/money/estimate.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { type Column, count, printJson, printLine, printTable, usd } from './print.ts'
import { sanitise, sanitiseLine } from './sanitise.ts'

export function printPreview(io: Io, preview: Preview, flags: JsonFlag): void {
  if (flags.json) {
    printJson(io, previewInWords(preview))
    return
  }
  const { decision, words, estimate, ways, notes } = preview
  printLine(io, `${paint(io, io.stdout, 'bold')(decision.action)}: ${sanitise(words)}\n`)
  printWays(io, ways)
  for (const line of estimateLines(estimate)) printLine(io, line)
  for (const note of notes) printLine(io, `\n${sanitiseLine(note)}`)
  printLine(io, `\nestimate: ${ESTIMATE_FORMULA}`)
}

export function printWays(io: Io, ways: readonly PricedWay[]): void {
  printTable(io, ways, WAY_COLUMNS)
}

/** What the estimate of the chosen way says about the cache, and what it rests on. */
export function estimateLines(estimate: Estimate | null): readonly string[] {
  if (estimate === null) return [`\nprice: ${NOT_KNOWN}`]
  const { cache, basis } = estimate
  return [`\ncache: ${cacheWords(cache)}`, `rests on: ${basisWords(basis)}`]
}

const estimated = (show: (estimate: Estimate) => string) => (row: PricedWay) =>
  row.estimate === null ? 'not known' : show(row.estimate)

const tokens = (title: string, kind: keyof Estimate['usage']): Column<PricedWay> => ({
  title,
  cell: row => (row.estimate === null ? '' : count(row.estimate.usage[kind])),
  align: 'right',
})

/** What could happen, each with what it would use and cost. */
const WAY_COLUMNS: readonly Column<PricedWay>[] = [
  { title: '', cell: row => (row.isChosen ? '▸' : '') },
  { title: 'way', cell: row => row.way },
  tokens('cache read', 'cacheReadTokens'),
  tokens('cache write', 'cacheWriteTokens'),
  tokens('input', 'inputTokens'),
  tokens('output', 'outputTokens'),
  { title: 'about', cell: estimated(({ costUsd }) => usd(costUsd)), align: 'right' },
  { title: 'cache', cell: row => row.estimate?.cache.state ?? '' },
  { title: '', text: row => row.words },
]
