// A line of the daemon's log, parsed: pino writes JSON with numbers for levels.

export type LogLine = {
  /** ISO 8601, UTC. */
  readonly time: string | null
  readonly level: string | null
  readonly message: string
  /** Everything else that the line says, without the pid. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The line itself when the daemon did not write it. */
  readonly raw: string | null
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

export function parseLogLine(line: string): LogLine {
  const value = objectIn(line)
  if (value === null) return { time: null, level: null, message: '', fields: {}, raw: line }
  const { time, level, msg, pid: _, ...fields } = value
  return {
    time: typeof time === 'string' ? time : null,
    level: typeof level === 'number' ? (LEVELS[level] ?? null) : null,
    message: typeof msg === 'string' ? msg : '',
    fields,
    raw: null,
  }
}

function objectIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null // Cut off by a full disk, or written by another program.
  }
}
