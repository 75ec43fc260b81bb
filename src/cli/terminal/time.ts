// Times as a person reads them: local, or in UTC with --utc, and the zone is always named.
import type { Io } from '../start/io.ts'

export type Times = {
  /** For the titles of columns. */
  readonly zone: string
  /** `2026-01-31 14:05:09 UTC+1`, or `–`. */
  at(ms: number | null): string
  /** Without the zone, where a title names it. A time of another offset (summer) names its own. */
  cell(ms: number | null): string
  /** `01-31 14:05`, for narrow tables. */
  short(ms: number | null): string
}

/** Not `Intl`, whose first call in a process takes tens of milliseconds: the offset names the zone. */
export function timesOf({ env }: Pick<Io, 'env'>): Times {
  return env.REPRISE_UTC ? timesIn(() => 0) : timesIn(ms => -new Date(ms).getTimezoneOffset())
}

/** `offsetAt`: minutes east of UTC at a time. */
export function timesIn(offsetAt: (ms: number) => number, now: number = Date.now()): Times {
  const zone = zoneName(offsetAt(now))
  const local = (ms: number) => {
    const at = new Date(ms + offsetAt(ms) * 60_000)
    return at.toISOString().slice(0, 19).replace('T', ' ')
  }
  const zoneAt = (ms: number) => zoneName(offsetAt(ms))
  const orDash = (show: (ms: number) => string) => (ms: number | null) => {
    return ms === null ? '–' : show(ms)
  }
  return {
    zone,
    at: orDash(ms => `${local(ms)} ${zoneAt(ms)}`),
    cell: orDash(ms => (zoneAt(ms) === zone ? local(ms) : `${local(ms)} ${zoneAt(ms)}`)),
    short: orDash(ms => local(ms).slice(5, 16)),
  }
}

function zoneName(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC'
  const minutes = Math.abs(offsetMinutes)
  const part = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`
  return `UTC${offsetMinutes < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${part}`
}
