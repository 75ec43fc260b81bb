// The trace that a request belongs to, by its headers. A malformed context is ignored, as W3C Trace Context demands.
import type { Context } from 'hono'
import { readTraceContext, type TraceContext } from '../../core/trace/trace-context.ts'

export function requestTrace({ req }: Context): { readonly trace?: TraceContext } {
  const traceparent = req.header('traceparent')
  const trace = readTraceContext({ traceparent, tracestate: req.header('tracestate') })
  return trace === null ? {} : { trace }
}
