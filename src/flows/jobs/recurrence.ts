// Calculates when recurring work is due. The library for cron expressions is loaded only for work that has one.
import type { RecurrenceRequest } from '../../api.ts'
import { isCron, nextStepAt, type Recurrence } from '../../core/job/recurrence.ts'
import { RepriseError } from '../../errors.ts'

const SHORTEST_MS = 1_000
const LONGEST_MS = 366 * 24 * 3_600_000
/** In autumn one hour happens twice. Counting from before it shows whether a time in it has already passed. */
const LOOK_BACK_MS = 3 * 3_600_000
const FIELDS = /^\S+(?: \S+){4}$/
const NAMES = /^@(?:yearly|monthly|weekly|daily|hourly)$/
/** `H` stands for a random time, which would change each time the expression is read. */
const DRAWN = /(?:^| )H/i

type Times = { readonly lastAt: number; readonly now: number }

export async function checkedRecurrence(wanted: RecurrenceRequest): Promise<Recurrence> {
  if (typeof wanted === 'string') return checkedCron(wanted, hostTimezone())
  if ('cron' in wanted) return checkedCron(wanted.cron, wanted.timezone ?? hostTimezone())
  const { everyMs } = wanted
  if (Number.isSafeInteger(everyMs) && everyMs >= SHORTEST_MS && everyMs <= LONGEST_MS)
    return { everyMs }
  const what = `every ${everyMs} ms is no schedule`
  throw new RepriseError(
    'bad-input',
    what,
    'Give --every or `everyMs` a second or more, up to a year, such as 15m.',
  )
}

/** Work in even steps is due at once; work with a cron expression is due at its next time. */
export async function firstTime(recurrence: Recurrence, now: number): Promise<number> {
  return isCron(recurrence) ? nextTime(recurrence, { lastAt: now, now }) : now
}

/** Gives a time after `now`. `lastAt` is when the work was last due. */
export async function nextTime(recurrence: Recurrence, { lastAt, now }: Times): Promise<number> {
  if (!isCron(recurrence)) return nextStepAt(recurrence.everyMs, { lastAt, now })
  const { CronExpressionParser } = await import('cron-parser')
  const from = Math.min(now, Math.max(lastAt, now - LOOK_BACK_MS))
  const times = CronExpressionParser.parse(recurrence.cron, {
    currentDate: new Date(from),
    tz: recurrence.timezone,
  })
  for (;;) {
    const at = times.next().getTime()
    if (at > now) return at
  }
}

async function checkedCron(expression: string, timezone: string): Promise<Recurrence> {
  const cron = expression.trim().replaceAll(/\s+/g, ' ')
  if (!isTimezone(timezone)) {
    const hint = 'Give --timezone or `timezone` a name such as Europe/Berlin or UTC.'
    throw new RepriseError('bad-input', `there is no time zone "${timezone}"`, hint)
  }
  if (DRAWN.test(cron) || !(FIELDS.test(cron) || NAMES.test(cron))) throw notCron(cron, null)
  const recurrence = { cron, timezone }
  try {
    await firstTime(recurrence, 0)
  } catch (error) {
    throw notCron(cron, error)
  }
  return recurrence
}

function notCron(cron: string, cause: unknown): RepriseError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  const hint =
    'Give minute, hour, day, month and weekday, such as "0 3 * * 1-5" for three in the morning from Monday to Friday, or @daily.'
  return new RepriseError('bad-input', `"${cron}" is no cron expression${why}`, hint, cause)
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false // Intl throws for an unknown name.
  }
}

function hostTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
