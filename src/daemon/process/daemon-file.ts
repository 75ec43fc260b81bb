// daemon.json: where the daemon of a data directory listens. It only helps clients to find the daemon; the lock alone decides which process is the daemon.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LogTarget } from './log.ts'
import { readPrivate, replacePrivate } from './private-file.ts'

export type DaemonFile = {
  readonly host: string
  readonly pid: number
  /** The start time of the process: another process may get the same pid later. */
  readonly startTime: string
  readonly startedAt: number
  readonly url: string
  /** The path of its unix socket; `null` when it has none. */
  readonly socket: string | null
  readonly version: string
  /** Where its log goes; `stderr` is read by the program that started it, such as systemd. */
  readonly logTo: LogTarget
  /** Set while it stops: it takes no new work, and its runs may go on until then (milliseconds since 1970). */
  readonly stopping: { readonly until: number } | null
  /** Where its store is, without a password; daemons of earlier versions do not say. */
  readonly database?: string
}

export function daemonFilePath(home: string): string {
  return join(home, 'daemon.json')
}

export function writeDaemonFile(home: string, daemon: DaemonFile): void {
  replacePrivate(daemonFilePath(home), `${JSON.stringify(daemon, null, 2)}\n`)
}

/** A daemon removes only its own file: when it stops late, the file may belong to the next daemon. */
export function removeDaemonFile(
  home: string,
  { pid, startTime }: Pick<DaemonFile, 'pid' | 'startTime'>,
): void {
  const found = readDaemonFile(home)
  if (found?.pid === pid && found.startTime === startTime) {
    rmSync(daemonFilePath(home), { force: true })
  }
}

/** `null` when the file is missing, unsafe or malformed. */
export function readDaemonFile(home: string): DaemonFile | null {
  const found = readPrivate(daemonFilePath(home))
  if (found.state !== 'usable') return null
  try {
    return parse(JSON.parse(found.text))
  } catch {
    return null // Another program wrote it.
  }
}

function parse(value: unknown): DaemonFile | null {
  if (value === null || typeof value !== 'object') return null
  const fields = value as Record<string, unknown>
  const { host, pid, startTime, startedAt, url, socket, version, logTo, stopping } = fields
  const texts = [host, startTime, url, version]
  if (texts.some(text => typeof text !== 'string') || !Number.isSafeInteger(pid)) return null
  if (typeof startedAt !== 'number') return null
  return {
    ...(value as DaemonFile),
    socket: typeof socket === 'string' ? socket : null,
    logTo: logTo === 'stderr' ? 'stderr' : 'file',
    stopping: stoppingIn(stopping),
  }
}

function stoppingIn(value: unknown): DaemonFile['stopping'] {
  if (value === null || typeof value !== 'object' || !('until' in value)) return null
  return typeof value.until === 'number' ? { until: value.until } : null
}
