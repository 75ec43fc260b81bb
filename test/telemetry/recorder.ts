// A provider of OpenTelemetry that keeps every span that has ended. It is written against the interface alone.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type TimeInput,
  trace,
} from '@opentelemetry/api'

export type RecordedSpan = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly kind: number | undefined
  readonly start: TimeInput | undefined
  readonly end: TimeInput | undefined
  readonly failed: boolean
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly attributes: unknown }[]
}

/** A span with its children, by their names and what a test asks for. */
export type Tree = { readonly [name: string]: readonly Tree[] }

export class Recorder {
  readonly spans: RecordedSpan[] = []
  #ids = 0

  register(): void {
    trace.disable()
    context.disable()
    context.setGlobalContextManager(activeContexts())
    const startSpan = this.#startSpan.bind(this)
    const tracer = { startSpan, startActiveSpan: () => undefined as never }
    trace.setGlobalTracerProvider({ getTracer: () => tracer })
  }

  unregister(): void {
    trace.disable()
    context.disable()
  }

  /** Runs the work below a span that the test itself starts. */
  async below<T>(name: string, work: () => Promise<T>): Promise<T> {
    const span = trace.getTracer('test').startSpan(name)
    try {
      return await context.with(trace.setSpan(context.active(), span), work)
    } finally {
      span.end()
    }
  }

  /** All spans as trees, oldest first: those without a parent that was recorded are roots. */
  trees(): readonly Tree[] {
    const known = new Set(this.spans.map(({ spanId }) => spanId))
    return this.#below(({ parentId }) => parentId === null || !known.has(parentId))
  }

  named(name: string): readonly RecordedSpan[] {
    return this.spans.filter(span => span.name === name)
  }

  #below(isChild: (span: RecordedSpan) => boolean): readonly Tree[] {
    return this.spans
      .filter(isChild)
      .toSorted((a, b) => Number(a.spanId < b.spanId ? -1 : 1))
      .map(span => ({ [span.name]: this.#below(({ parentId }) => parentId === span.spanId) }))
  }

  #startSpan(
    name: string,
    options: SpanOptions = {},
    parentContext: Context = context.active(),
  ): Span {
    const parent = trace.getSpanContext(parentContext)
    this.#ids += 1
    const spanId = this.#ids.toString(16).padStart(16, '0')
    const traceId = parent?.traceId ?? this.#ids.toString(16).padStart(32, 'a')
    const attributes: Attributes = { ...options.attributes }
    const events: { name: string; attributes: unknown }[] = []
    let failed = false
    let isOver = false
    const span: Span = {
      spanContext: () => ({
        ...{ traceId, spanId, traceFlags: 1 },
        ...(parent?.traceState && { traceState: parent.traceState }),
      }),
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
      addLink: () => span,
      addLinks: () => span,
      setStatus({ code }) {
        failed = code === SpanStatusCode.ERROR
        return span
      },
      updateName: () => span,
      end: end => {
        if (isOver) throw new Error(`${name} has ended twice`)
        isOver = true
        const parentId = parent?.spanId ?? null
        const times = { start: options.startTime, end, kind: options.kind }
        this.spans.push({ name, traceId, spanId, parentId, ...times, failed, attributes, events })
      },
      isRecording: () => true,
      recordException: () => {},
    }
    return span
  }
}

function activeContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}
