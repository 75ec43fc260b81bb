// The daemon's unix socket in the data directory. Only the owner of the directory can connect.
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The longest socket path that the operating system allows, without the NUL at its end. */
const MAX_PATH_BYTES = 107

/** The listener marks requests with it; a request cannot set it. */
export const OVER_SOCKET = { via: 'socket' } as const

export function isOverSocket(env: unknown): boolean {
  return typeof env === 'object' && env !== null && 'via' in env && env.via === OVER_SOCKET.via
}

/** `null` when the path of the data directory is too long for a socket. */
export function socketPath(home: string): string | null {
  const path = join(home, 'daemon.sock')
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? null : path
}

/** Removes the socket of a killed daemon. Only the holder of the data directory's lock may call it. */
export function clearSocket(path: string): void {
  rmSync(path, { force: true })
}

/** A second protection: the directory itself is closed already. */
export function closeToOthers(path: string): void {
  chmodSync(path, 0o600)
}
