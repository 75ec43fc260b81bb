// The headers of a submission: its key, and the trace that it belongs to.
import type { RequestKey } from '../core/run/request-key.ts'
import { namedTrace, type TraceContext, traceHeaders } from '../core/trace/trace-context.ts'
import type { Http } from './http.ts'

type Submitted = {
  readonly key?: RequestKey | undefined
  readonly trace?: TraceContext | undefined
}

export async function submitHeaders(
  http: Pick<Http, 'trace'>,
  { key, ...named }: Submitted,
): Promise<Record<string, string>> {
  const trace = namedTrace(named) ?? (await http.trace?.()) ?? null
  return { ...keyHeader(key), ...traceHeaders(trace) }
}

/** With a key, the daemon does a repeated request only once. */
export function keyHeader(key: RequestKey | undefined): Readonly<Record<string, string>> {
  return { 'idempotency-key': key?.key ?? newKey() }
}

/** `crypto.randomUUID` is not there on pages without TLS; this is. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
