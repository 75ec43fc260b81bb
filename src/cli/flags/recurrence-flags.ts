// The flags that say when a job or a chain is repeated.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RecurrenceRequest } from '../../api.ts'
import { RepriseError } from '../../errors.ts'

export type RecurrenceFlags = {
  /** In milliseconds. */
  readonly every?: number
  readonly cron?: string
  readonly timezone?: string
}

export function addRecurrenceFlags(command: Command, words: string): Command {
  const cron = new Option('--cron <times>', "repeat at these times instead: '0 3 * * 1-5', @daily")
  return command
    .option('--every <time>', words, parsePeriod)
    .addOption(cron.conflicts('every'))
    .option(
      '--timezone <name>',
      'the time zone of --cron, such as Europe/Berlin (default: that of this machine)',
    )
}

export function recurrenceOf(flags: RecurrenceFlags): RecurrenceRequest | undefined {
  const { every, cron, timezone } = flags
  if (cron !== undefined) return { cron, ...(timezone !== undefined && { timezone }) }
  if (timezone !== undefined) {
    const what = '--timezone says nothing without --cron'
    throw new RepriseError('bad-input', what, "Give the times too: --cron '0 3 * * 1-5'.")
  }
  return every === undefined ? undefined : { everyMs: every }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

function parsePeriod(text: string): number {
  const ms = parseDuration(text)
  if (ms >= 1_000) return ms
  throw new InvalidArgumentError('It must be a second or more, such as 15m.')
}

/** The time that running turns get at a stop. A number needs its unit: 30 could be read as seconds or milliseconds. */
export function parseDrain(text: string): number {
  if (text.trim() === '0') return 0
  if (!/\d$/.test(text.trim())) return parseDuration(text)
  throw new InvalidArgumentError('It must be 0, or a time with its unit such as 30s or 5m.')
}

export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const ms = Math.round(Number(number) * (UNITS[unit ?? 's'] ?? 0))
  if (number !== undefined && ms > 0) return ms
  throw new InvalidArgumentError('It must be a time such as 90s, 30m, 2h or 1d.')
}
