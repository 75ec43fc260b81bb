// daemon.json: where the daemon of a data directory listens. It only helps clients to find the daemon; the lock alone decides which process is the daemon.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
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
}

export function daemonFilePath(home: string): string {
  return join(home, 'daemon.json')
}

export function writeDaemonFile(home: string, daemon: DaemonFile): void {
  replacePrivate(daemonFilePath(home), `${JSON.stringify(daemon, null, 2)}\n`)
}

/** A daemon removes only its own file: when it stops late, the file may belong to the next daemon. */
export function removeDaemonFile(home: string, { pid, startTime }: DaemonFile): void {
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
  const { host, pid, startTime, startedAt, url, socket, version } = value as Record<string, unknown>
  const texts = [host, startTime, url, version]
  if (texts.some(text => typeof text !== 'string') || !Number.isSafeInteger(pid)) return null
  if (typeof startedAt !== 'number') return null
  return { ...(value as DaemonFile), socket: typeof socket === 'string' ? socket : null }
}
