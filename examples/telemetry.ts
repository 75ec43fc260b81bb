// Telemetry without an SDK: every span that ends becomes one line of JSON. Run: REPRISE_TELEMETRY_MODULE=$PWD/examples/telemetry.ts reprise send …
// With the SDK of OpenTelemetry, this file would start `NodeSDK` with your exporter and export its `shutdown`.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import {
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api'

function startSpan(
  name: string,
  options: SpanOptions = {},
  parentContext: Context = context.active(),
): Span {
  const parent = options.root ? undefined : trace.getSpanContext(parentContext)
  const spanId = randomBytes(8).toString('hex')
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
  const state = parent?.traceState && { traceState: parent.traceState }
  const attributes: Record<string, unknown> = { ...options.attributes }
  const events: { name: string; attributes: unknown }[] = []
  const start = options.startTime ?? Date.now()
  let status: unknown
  const span: Span = {
    spanContext: () => ({ traceId, spanId, traceFlags: 1, ...state }),
    setAttribute(key, value) {
      attributes[key] = value
      return span
    },
    setAttributes(more) {
      Object.assign(attributes, more)
      return span
    },
    addEvent(event, more) {
      events.push({ name: event, attributes: more })
      return span
    },
    setStatus(value) {
      status = value
      return span
    },
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    recordException: () => {},
    isRecording: () => true,
    end(endTime = Date.now()) {
      const parentId = parent?.spanId ?? null
      show({ traceId, spanId, parentId, name, start, end: endTime, status, attributes, events })
    },
  }
  return span
}

function show(span: object): void {
  const line = `${JSON.stringify(span)}\n`
  const file = process.env.SPANS_FILE
  if (file) appendFileSync(file, line)
  else process.stderr.write(line)
}

/** Knows which span is active, also after an await. */
const storage = new AsyncLocalStorage<Context>()
const manager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
}

context.setGlobalContextManager(manager)
// Reprise starts its spans itself and needs nothing else of a tracer.
const startActiveSpan = () => {
  throw new Error('not in this example')
}
trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) })

/** Reprise calls this at its end: a real exporter sends here what it still holds. */
export async function shutdown(): Promise<void> {}
