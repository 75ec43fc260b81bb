// daemon.json: where the daemon of a data directory is. A hint for clients; who is the daemon, the lock alone decides.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, replacePrivate } from './private-file.ts'

export type DaemonFile = {
  readonly host: string
  readonly pid: number
  /** Of the process: a pid alone may be somebody else tomorrow. */
  readonly startTime: string
  readonly startedAt: number
  readonly url: string
  /** Path of its unix socket; `null` when it has none. */
  readonly socket: string | null
  readonly version: string
}

export function daemonFilePath(home: string): string {
  return join(home, 'daemon.json')
}

export function writeDaemonFile(home: string, daemon: DaemonFile): void {
  replacePrivate(daemonFilePath(home), `${JSON.stringify(daemon, null, 2)}\n`)
}

/** Only the one who wrote it: a daemon that stops late must not hide its follower. */
export function removeDaemonFile(home: string, { pid, startTime }: DaemonFile): void {
  const found = readDaemonFile(home)
  if (found?.pid === pid && found.startTime === startTime) {
    rmSync(daemonFilePath(home), { force: true })
  }
}

/** `null` for what is missing, unsafe or not understood: then there is no daemon to be found this way. */
export function readDaemonFile(home: string): DaemonFile | null {
  const found = readPrivate(daemonFilePath(home))
  if (found.state !== 'usable') return null
  try {
    return parse(JSON.parse(found.text))
  } catch {
    return null // Written by something else than us.
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
