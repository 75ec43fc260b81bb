// Connects a Node program to a daemon: the verbs of remote-reprise.ts over node:http.
import { type ConnectOptions, createHttp } from './node-http.ts'
import { type RemoteReprise, remoteReprise } from './remote-reprise.ts'

export type { ConnectOptions } from './node-http.ts'

/** Gives the Reprise behind a daemon. `connected` resolves when the daemon has proven that it knows the token. */
export function connectReprise(options: ConnectOptions): RemoteReprise & {
  readonly connected: () => Promise<void>
} {
  const http = createHttp(options)
  return { ...remoteReprise(http), connected: http.prove }
}
