// What the verbs of the client need of HTTP. node-http.ts and browser-http.ts send the requests.
import type { TraceContext } from '../core/trace/trace-context.ts'
import { CONSEQUENCES, type ErrorCode, RepriseError } from '../errors.ts'
import type { AwayNotice } from './away.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export type Asking = {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type Download = { readonly bytes: number; readonly content: AsyncIterable<Uint8Array> }

export type Http = {
  readonly onAway: (notice: AwayNotice) => void
  /** The trace of submissions that name none. */
  readonly trace?: () => Promise<TraceContext | null>
  /** The answer's JSON; `undefined` when it has none. */
  ask<T>(method: string, path: string, asking?: Asking): Promise<T>
  /** The answer while it comes. */
  open(path: string, asking?: Asking): Promise<AsyncIterable<Uint8Array>>
}

export type FileHttp = {
  /** A file while it comes, and its size. */
  download(path: string, asking?: Asking): Promise<Download>
  /** Sends a file as the body; gives the answer's JSON. */
  upload<T>(path: string, content: AsyncIterable<Uint8Array>, asking?: Asking): Promise<T>
}

/** An error of the connection becomes one that says what to do. */
export async function reach<T>(base: URL, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (isCallersAbort(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new RepriseError(
      'daemon-unreachable',
      `the daemon at ${base.origin} cannot be reached: ${why}`,
      'start it with `reprise serve`',
      error,
    )
  }
}

/** Did the caller abort, and not our own timeout? */
function isCallersAbort(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'AbortError') return false
  return !(error.cause instanceof Error && error.cause.name === 'TimeoutError')
}

export function requestAddress(base: URL, path: string, query: Query = {}): URL {
  const address = new URL(path, base)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value))
  }
  return address
}

/** The error that the daemon answered with. */
export function errorOf(status: number, text: string): RepriseError {
  const { code, message, hint } = errorIn(text)
  const known = code !== undefined && Object.hasOwn(CONSEQUENCES, code)
  return new RepriseError(
    known ? (code as ErrorCode) : 'internal',
    message ?? `the daemon answered with ${status}`,
    hint ?? 'look at its log: logs/daemon.log in the data directory',
  )
}

function errorIn(text: string): { code?: string; message?: string; hint?: string } {
  try {
    const value = JSON.parse(text) as { error?: { code?: string; message?: string; hint?: string } }
    return value.error ?? {}
  } catch {
    return {} // Not our JSON, perhaps from a proxy: only the status is known.
  }
}
