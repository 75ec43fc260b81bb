// The daemon's unix socket in the data directory: nobody but its owner gets as far as being refused.
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What the operating system can hold as the name of a socket, without the NUL at its end. */
const MAX_PATH_BYTES = 107

/** Said about a request by whoever listens; a request cannot say it about itself. */
export const OVER_SOCKET = { via: 'socket' } as const

export function isOverSocket(env: unknown): boolean {
  return typeof env === 'object' && env !== null && 'via' in env && env.via === OVER_SOCKET.via
}

/** `null` when the data directory lies too deep for one. */
export function socketPath(home: string): string | null {
  const path = join(home, 'daemon.sock')
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? null : path
}

/** Only for whoever holds the lock of the data directory: what a killed daemon left is in the way. */
export function clearSocket(path: string): void {
  rmSync(path, { force: true })
}

/** Besides the directory, which is closed already. */
export function closeToOthers(path: string): void {
  chmodSync(path, 0o600)
}
