// Prints results: JSON, text, tables, amounts.
import { digits } from '../../core/digits.ts'
import { costInWords, type ReportedCost, reportedCost } from '../../core/money/reported-cost.ts'
import type { Io, Sink } from '../start/io.ts'
import { type Column, tableText } from '../terminal/table.ts'
import { timesOf } from '../terminal/time.ts'
import { columnsOf } from '../terminal/width.ts'
import { hangingText } from '../terminal/wrap.ts'
import { safeJson } from './sanitise.ts'

export type { Column } from '../terminal/table.ts'

export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${safeJson(value)}\n`)
}

export function printLine(io: Io, line: string): void {
  io.stdout.write(`${line}\n`)
}

/** A text behind the first `indent` columns of a line. On a terminal it is broken at its words, and its rows stand under each other. */
export function beside(sink: Sink, indent: number, text: string): string {
  return hangingText(text, { indent, width: widthFor(sink) })
}

/** The columns of a terminal; `null` when there is none. */
export function widthFor(sink: Sink): number | null {
  return sink.isTTY ? columnsOf(sink) : null
}

/** Prints a table on stdout, as wide as the terminal at most. */
export function printTable<Row>(
  io: Io,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  io.stdout.write(tableText(rows, columns, { width: widthFor(io.stdout), times: timesOf(io) }))
}

export function usd(amount: number | null): string {
  if (amount === null) return '–'
  if (amount === 0) return '$0'
  if (amount > 0 && amount < 0.00005) return '<$0.0001'
  const decimals = Math.abs(amount) < 1 ? 4 : 2
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(decimals)}`
}

/** A sum over runs. What an agent does not report is not zero. */
export function costOf(sumUsd: number, runs: Parameters<typeof reportedCost>[0]): string {
  const { costUsd, runsWithoutCost } = reportedCost(runs)
  return costWords({ costUsd: costUsd === null ? null : sumUsd, runsWithoutCost })
}

export function costWords(cost: ReportedCost): string {
  return costInWords(cost, { dollars: usd, unknown: '–' })
}

export const count = digits

export function cut(text: string, max: number): string {
  const letters = Array.from(text)
  return letters.length <= max ? text : `${letters.slice(0, max - 1).join('')}…`
}
