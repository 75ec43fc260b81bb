// When work is repeated: at even intervals, or at the times that a cron expression names in a time zone.

export type Recurrence =
  | { readonly everyMs: number }
  | { readonly cron: string; readonly timezone: string }

export function isCron(
  recurrence: Recurrence,
): recurrence is Extract<Recurrence, { readonly cron: string }> {
  return 'cron' in recurrence
}

/** The first step in the future. Missed steps are not made up for. */
export function nextStepAt(
  everyMs: number,
  { lastAt, now }: { readonly lastAt: number; readonly now: number },
): number {
  const missed = Math.max(0, Math.floor((now - lastAt) / everyMs))
  return lastAt + (missed + 1) * everyMs
}

export function recurrenceWords(recurrence: Recurrence): string {
  if (isCron(recurrence)) return `${recurrence.cron} (${recurrence.timezone})`
  const { everyMs } = recurrence
  if (everyMs % 3_600_000 === 0) return `every ${everyMs / 3_600_000} h`
  return everyMs % 60_000 === 0 ? `every ${everyMs / 60_000} min` : `every ${everyMs / 1_000} s`
}
