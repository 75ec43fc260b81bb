// What a user can set about the daemon.

/** From the least to the most. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

export type DaemonSettings = {
  readonly logLevel: LogLevel
  /** How long running turns may continue when the daemon stops. Then they are interrupted. */
  readonly drainMs: number
}

export const DEFAULT_DAEMON: DaemonSettings = { logLevel: 'info', drainMs: 0 }

export function isLogLevel(text: string): text is LogLevel {
  return LOG_LEVELS.some(level => level === text)
}
