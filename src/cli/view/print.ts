// Prints results: JSON, text, tables, amounts, times. Text from outside passes the sanitiser here.
import { digits } from '../../core/digits.ts'
import type { Io } from '../start/io.ts'
import { safeJson, sanitiseLine } from './sanitise.ts'

export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${safeJson(value)}\n`)
}

export function printLine(io: Io, line: string): void {
  io.stdout.write(`${line}\n`)
}

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly align?: 'right'
  /** Longer cells are cut. */
  readonly max?: number
}

/** Rows under titles, two spaces between columns, no trailing spaces. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map(row => {
    return columns.map(column => cut(sanitiseLine(column.cell(row)), column.max ?? 60))
  })
  const lines = [columns.map(column => column.title), ...cells]
  const widths = columns.map((_, index) => {
    return Math.max(...lines.map(line => widthOf(line[index] ?? '')))
  })
  return lines.map(line => `${pad(line, widths, columns)}\n`).join('')
}

export function usd(amount: number | null): string {
  if (amount === null) return '–'
  if (amount === 0) return '$0'
  if (amount > 0 && amount < 0.00005) return '<$0.0001'
  const decimals = Math.abs(amount) < 1 ? 4 : 2
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(decimals)}`
}

export const count = digits

export function when(ms: number | null): string {
  return ms === null ? '–' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

export function cut(text: string, max: number): string {
  const letters = Array.from(text)
  return letters.length <= max ? text : `${letters.slice(0, max - 1).join('')}…`
}

function pad(
  line: readonly string[],
  widths: readonly number[],
  columns: readonly { readonly align?: 'right' }[],
): string {
  return line
    .map((cell, index) => {
      const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)))
      return columns[index]?.align === 'right' ? space + cell : cell + space
    })
    .join('  ')
    .trimEnd()
}

function widthOf(text: string): number {
  return Array.from(text).length
}
