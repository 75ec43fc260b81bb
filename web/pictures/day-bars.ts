// Bars per day: what was paid, and on top of it what a cold start would have cost more. Heights are parts of the highest.
import type { UsageRow } from '../../src/core/money/usage.ts'

export type DayBar = {
  /** `2026-11-17` */
  readonly day: string
  readonly paid: number
  readonly more: number
  readonly row: UsageRow | null
}

export type DayChart = {
  readonly bars: readonly DayBar[]
  /** Round amounts for the lines behind the bars, from 0 to the top. */
  readonly marks: readonly number[]
}

const DAY_MS = 86_400_000

/** Every day up to `until` has a bar, also those on which nothing ran. */
export function layoutDays(
  rows: readonly UsageRow[],
  { days, until }: { readonly days: number; readonly until: number },
): DayChart {
  const byDay = new Map(rows.map(row => [row.key, row]))
  const shown = Array.from({ length: days }, (_, index) =>
    new Date(until - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
  const highest = Math.max(0, ...shown.map(day => heightOf(byDay.get(day))))
  const marks = marksUpTo(highest)
  const top = marks.at(-1) ?? 1
  return {
    marks,
    bars: shown.map(day => {
      const row = byDay.get(day) ?? null
      const paid = row?.costUsd ?? 0
      return { day, row, paid: paid / top, more: Math.max(0, heightOf(row) - paid) / top }
    }),
  }
}

function heightOf(row: UsageRow | null | undefined): number {
  return row ? Math.max(row.costUsd, row.coldCostUsd) : 0
}

/** At most five steps of 1, 2 or 5 times a power of ten. */
function marksUpTo(highest: number): readonly number[] {
  if (highest <= 0) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(highest / 4))
  const step =
    [1, 2, 5, 10].map(factor => factor * power).find(size => highest / size <= 4.5) ?? power * 10
  const steps = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}
