// The daemon's log: JSON lines in logs/daemon.log or on stderr. It never contains secrets or messages to agents.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { DEFAULT_DAEMON, type LogLevel } from '../../core/daemon-settings.ts'
import { logPath } from './log-path.ts'

export type LogTarget = 'file' | 'stderr'

export type DaemonLog = { readonly logger: Logger; close(): void }

/** When the daemon starts, it renames a longer log to daemon.log.1. */
const MAX_LOG_BYTES = 10 * 1024 * 1024

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'prompt',
  'text',
  'instructions',
  'content',
  'body',
]

export function openLog(
  home: string,
  target: LogTarget,
  level: LogLevel = DEFAULT_DAEMON.logLevel,
): DaemonLog {
  const file = target === 'file' ? openLogFile(home) : 2
  // Synchronous, so that no line is lost in a crash.
  const destination = pino.destination({ fd: file, sync: true })
  const paths = SECRET_FIELDS.flatMap(field => [field, `*.${field}`, `*.*.${field}`])
  const logger = pino(
    {
      level,
      redact: { paths, censor: '[redacted]' },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
  return {
    logger,
    close: () => {
      destination.flushSync()
      if (target === 'file') closeSync(file)
    },
  }
}

function openLogFile(home: string): number {
  const path = logPath(home)
  const directory = join(home, 'logs')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants
  const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
  fchmodSync(file, 0o600)
  return file
}
