// Connects a Node program to a daemon: the verbs of remote-reprise.ts over node:http.
import { namedTrace, type TraceContext } from '../core/trace/trace-context.ts'
import { type ConnectOptions, createHttp } from './node-http.ts'
import { type RemoteReprise, remoteReprise } from './remote-reprise.ts'

export type { ConnectOptions } from './node-http.ts'

/**
 * Gives the Reprise behind a daemon, with the same interface as `createReprise`. `connected` resolves when the daemon has
 * proven that it knows the token.
 *
 * @example
 * ```ts
 * const reprise = connectReprise({ url: 'http://127.0.0.1:4747', token: process.env.TOKEN ?? '' })
 * await reprise.connected()
 * for (const job of await reprise.jobs.list({ status: 'dead' })) console.log(job.id, job.prompt)
 * await reprise.close()
 * ```
 */
export function connectReprise(options: ConnectOptions): RemoteReprise & {
  readonly connected: () => Promise<void>
} {
  const http = createHttp(options)
  const trace = traceOf(options)
  return { ...remoteReprise({ ...http, trace }), connected: http.prove }
}

function traceOf({ trace, telemetry }: ConnectOptions): () => Promise<TraceContext | null> {
  const named = namedTrace({ trace })
  if (!telemetry) return async () => named
  return async () => {
    const { openActiveTrace } = await import('../telemetry/open-telemetry.ts')
    return (await openActiveTrace())() ?? named
  }
}
