// Numbers and times as people read them: units always, thousands apart, no more digits than mean something.
import { costInWords, type ReportedCost, reportedCost } from '../src/core/money/reported-cost.ts'
import type { Run } from '../src/core/run/run.ts'

// A formatter takes longer to make than a row of a list takes to draw: each is made once.
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const HOUR_AND_MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const TO_THE_SECOND = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const DAY_AND_MONTH = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** For tables: four digits after the point while they matter. */
export function money(usd: number | null): string {
  if (usd === null) return 'not known'
  if (usd === 0) return '$0'
  if (Math.abs(usd) >= 100) return `$${WHOLE.format(usd)}`
  return `$${usd.toFixed(4)}`
}

/** For sums and headings: cents, unless that would hide the amount. */
export function sumOfMoney(usd: number | null): string {
  if (usd === null) return 'not known'
  if (usd === 0) return '$0'
  if (Math.abs(usd) < 0.01) return `$${usd.toFixed(4)}`
  return `$${CENTS.format(usd)}`
}

const CENT = 0.01

/** An estimate: more digits than cents would claim what nobody knows. `about` stands before an amount that is named. */
export function estimate(usd: number, about = ''): string {
  if (usd === 0) return '$0'
  return Math.abs(usd) < CENT ? `< $${CENT}` : `${about}${sumOfMoney(usd)}`
}

/** The cost of runs together. What an agent does not report is not zero. */
export function costSum(cost: ReportedCost): string {
  return costInWords(cost, { dollars: sumOfMoney, unknown: 'not known' })
}

/** The sum of a thread or a job, with what its runs tell of costs that their agents do not report. */
export function costOfRuns(sumUsd: number, runs: readonly Run[]): string {
  const { costUsd, runsWithoutCost } = reportedCost(runs)
  return costSum({ costUsd: costUsd === null ? null : sumUsd, runsWithoutCost })
}

export function count(value: number): string {
  return WHOLE.format(value)
}

/** `1 tool call`, `4 tool calls`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

export function shortCount(value: number): string {
  if (value < 10_000) return count(value)
  if (value < 1_000_000) return `${Math.round(value / 1_000)} k`
  return `${(value / 1_000_000).toFixed(1)} M`
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`
  if (value < 1_000_000) return `${Math.round(value / 1_000)} kB`
  return `${(value / 1_000_000).toFixed(1)} MB`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function duration(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's'])
  if (ms < 2 * DAY) return two(ms, [HOUR, 'h'], [MINUTE, 'min'])
  return `${Math.floor(ms / DAY)} days`
}

type Unit = readonly [number, string]

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** How long ago, in one unit. */
export function ago(at: number, now: number): string {
  const ms = now - at
  if (ms < 45 * SECOND) return 'now'
  if (ms < HOUR) return `${Math.max(1, Math.round(ms / MINUTE))} min`
  if (ms < DAY) return `${Math.round(ms / HOUR)} h`
  const days = Math.round(ms / DAY)
  return days === 1 ? 'yesterday' : `${days} days`
}

/** The same within a sentence: `2 h ago`. */
export function agoWords(at: number, now: number): string {
  const words = ago(at, now)
  if (words === 'now') return 'just now'
  return words === 'yesterday' ? words : `${words} ago`
}

export function clockTime(at: number): string {
  return HOUR_AND_MINUTE.format(at)
}

export function clockSeconds(at: number): string {
  return TO_THE_SECOND.format(at)
}

/** The exact time, for titles of relative ones: with its zone. */
export function exactTime(at: number): string {
  return EXACT.format(at)
}

const LONG_PATH = 24

/** The end of a path says most: of a long one its last two names, or the last if these are long too. */
export function shortPath(path: string): string {
  if (path.length <= LONG_PATH) return path
  const names = path.split('/')
  const two = `…/${names.slice(-2).join('/')}`
  return two.length <= LONG_PATH ? two : `…/${names.at(-1)}`
}

/** The time of day; for another day with its date. */
export function momentOf(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? clockTime(at) : `${DAY_AND_MONTH.format(at)} ${clockTime(at)}`
}

/** The first characters and the last two: enough to tell ids apart. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 8)}…${id.slice(-2)}`
}

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Times in the words of the daemon are in UTC, since it does not know who reads them. */
export function withLocalTimes(text: string, now: number): string {
  return text.replace(ISO_TIME, time => momentOf(Date.parse(time), now))
}
