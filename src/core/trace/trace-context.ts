// The trace that a submission belongs to, as W3C Trace Context writes it. Bad values are ignored, never refused.

/** A place in a trace: the span that what is submitted belongs to. */
export type TraceContext = {
  /** Version 00: trace, span and flags. */
  readonly traceparent: string
  /** What tracing systems add for each other; absent when there is none. */
  readonly tracestate?: string
}

type Carried = {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

const VERSION = '(?!ff)[0-9a-f]{2}'
const TRACE_ID = '(?!0{32})[0-9a-f]{32}'
const SPAN_ID = '(?!0{16})[0-9a-f]{16}'
const TRACEPARENT = new RegExp(`^(${VERSION})-(${TRACE_ID})-(${SPAN_ID})-([0-9a-f]{2})(-.*)?$`)
/** The lowest limit that the standard allows. A longer list is left out as a whole. */
const MAX_STATE_CHARS = 512
const MAX_STATE_MEMBERS = 32
/** Most of what later versions may append to a `traceparent`. We keep none of it. */
const MAX_PARENT_CHARS = 256
const STATE_KEY = '[a-z0-9][a-z0-9_\\-*/]{0,240}(?:@[a-z][a-z0-9_\\-*/]{0,13})?'
const STATE_VALUE = '[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]'
const STATE_MEMBER = new RegExp(`^(${STATE_KEY})=(?:${STATE_VALUE})$`)

/** `null` when there is no context, or none that the standard accepts. A bad `tracestate` is left out alone. */
export function readTraceContext({ traceparent, tracestate }: Carried): TraceContext | null {
  if (traceparent === undefined || traceparent.length > MAX_PARENT_CHARS) return null
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || (version === '00' && more !== undefined)) return null
  const state = stateOf(tracestate ?? '')
  // A later version says the same in its first four fields. We write the version that we know.
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(state !== '' && { tracestate: state }),
  }
}

/** The context that a caller named. */
export function namedTrace({
  trace,
}: {
  readonly trace?: TraceContext | undefined
}): TraceContext | null {
  return trace === undefined ? null : readTraceContext(trace)
}

/** An empty text: there is none, or it is not well-formed. */
function stateOf(tracestate: string): string {
  if (tracestate.length > MAX_STATE_CHARS) return ''
  const members = tracestate
    .split(',')
    .map(member => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter(member => member !== '')
  const keys = members.map(member => STATE_MEMBER.exec(member)?.[1])
  const isBad = keys.includes(undefined) || new Set(keys).size < keys.length
  return isBad || members.length > MAX_STATE_MEMBERS ? '' : members.join(',')
}

/** In the names of the headers of HTTP. */
export function traceHeaders(trace: TraceContext | null): Record<string, string> {
  return trace === null ? {} : { ...trace }
}

/** In the names that programs look for in their environment. */
export function traceVariables(trace: TraceContext | null): Record<string, string> {
  if (trace === null) return {}
  // An empty state replaces one of our own environment that belongs to another trace.
  return { TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate ?? '' }
}

export function traceFromVariables(
  env: Readonly<Record<string, string | undefined>>,
): TraceContext | null {
  return readTraceContext({ traceparent: env.TRACEPARENT, tracestate: env.TRACESTATE })
}

/** One text for a column. */
export function traceText(trace: TraceContext | null | undefined): string | null {
  if (!trace) return null
  const { traceparent, tracestate } = trace
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`
}

export function traceOfText(text: string | null): TraceContext | null {
  if (text === null) return null
  const [traceparent, ...state] = text.split(' ')
  return readTraceContext({ traceparent, tracestate: state.join(' ') })
}

/** The parts of a context that was read. */
export function traceParts({ traceparent }: TraceContext) {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}
