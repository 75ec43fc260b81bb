// Tracing over OpenTelemetry. A span leaves this process when its end is stored, so a crash loses none and doubles none:
// the process that ends a broken run tells of it, with the times of the store.
import type { Context, Span, SpanContext } from '@opentelemetry/api'
import type { Run } from '../core/run/run.ts'
import { runEventOf } from '../core/run/stored-events.ts'
import {
  decisionEvent,
  runEnd,
  runStart,
  type SpanEnd,
  type SpanStart,
  stepEnd,
  stepStart,
} from '../core/trace/run-spans.ts'
import { ToolSpans } from '../core/trace/tool-spans.ts'
import { readTraceContext, type TraceContext, traceParts } from '../core/trace/trace-context.ts'
import type { Owner } from '../store/contract/leases.ts'
import type { Store } from '../store/contract/store.ts'
import { type Api, loadApi } from './load-api.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'
import type { Tracing } from './tracing.ts'

export type TracingWorld = {
  readonly store: Pick<Store, 'events' | 'traceOf'>
  readonly owner: Owner
  /** The provider of an agent's models, by the name of the agent. */
  readonly providerOf: (agent: string) => string | null
  /** What is submitted without an active span belongs to this trace. */
  readonly parent?: TraceContext | null
}

/** A run and the step around it, begun in this process. */
type Begun = { readonly runId: string; readonly step: Span; readonly run: Span }

const EVENTS_PER_PAGE = 1_000
const SHUTDOWN_MS = 5_000

export async function openTracing(
  settings: TelemetrySettings,
  world: TracingWorld,
): Promise<Tracing> {
  const { api, shutdown } = await loadApi(settings)
  const parent = settings === true ? null : (settings.parent ?? null)
  return tracingOver(api, { ...world, parent }, shutdown)
}

/** The active span of the caller, for clients of a daemon. */
export async function openActiveTrace(): Promise<() => TraceContext | null> {
  const { api } = await loadApi(true)
  return () => contextOf(api.trace.getSpanContext(api.context.active()))
}

function tracingOver(
  api: Api,
  world: TracingWorld,
  shutdown: () => Promise<void> = async () => {},
): Tracing {
  const tracer = api.trace.getTracer('reprise')
  /** By thread: a thread has one run at a time. */
  const begun = new Map<string, Begun>()
  /** The step of a thread whose next run follows. */
  const steps = new Map<string, Span>()

  const start = (
    { name, attributes, startAt }: SpanStart,
    parent: Context,
    kind: number = api.SpanKind.INTERNAL,
  ) => tracer.startSpan(name, { attributes, startTime: startAt, kind }, parent)
  const below = (span: Span) => api.trace.setSpan(api.ROOT_CONTEXT, span)

  const finish = (span: Span, { attributes, error, endAt }: SpanEnd) => {
    span.setAttributes(attributes)
    if (error !== null) {
      span.setAttribute('error.type', error)
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: error })
    }
    span.end(endAt)
  }

  const parentOf = (trace: TraceContext | null) =>
    trace === null
      ? api.ROOT_CONTEXT
      : api.trace.setSpanContext(api.ROOT_CONTEXT, remoteSpan(api, trace))

  const beginRun = async (run: Run, threadId: string): Promise<Begun> => {
    const step =
      steps.get(threadId) ??
      start(stepStart(run), parentOf(await world.store.traceOf(run.id)), api.SpanKind.CONSUMER)
    steps.delete(threadId)
    const teller = { process: processName(world.owner), provider: world.providerOf(run.agent) }
    // The agent is a program of its own.
    const ofRun = start(runStart(run, teller), below(step), api.SpanKind.CLIENT)
    return { runId: run.id, step, run: ofRun }
  }

  const tellTools = async (run: Run, parent: Span) => {
    const tools = await toolsOf(world.store, run)
    const spans = new Map<string, Span>()
    for (const { id, parentId, start: beginning, end } of tools.of(run)) {
      const above = (parentId !== null && spans.get(parentId)) || parent
      const span = start(beginning, below(above))
      spans.set(id, span)
      finish(span, end)
    }
    if (tools.untold > 0) parent.setAttribute('reprise.tools.untold', tools.untold)
  }

  const tellBegin = async (run: Run): Promise<TraceContext | null> => {
    const threadId = run.threadId ?? ''
    const earlier = begun.get(threadId)
    const known = earlier?.runId === run.id ? earlier : await beginRun(run, threadId)
    begun.set(threadId, known)
    return contextOf(known.run.spanContext())
  }

  const tellEnd = async (run: Run, { continues }: { readonly continues: boolean }) => {
    const threadId = run.threadId ?? ''
    const known = begun.get(threadId)
    begun.delete(threadId)
    const isOurs = known?.runId === run.id
    const { step, run: span } = isOurs ? known : await beginRun(run, threadId)
    // Another process began the run and did not live to end it.
    if (!isOurs) span.setAttribute('reprise.recovered', true)
    const decision = decisionEvent(run)
    if (decision) step.addEvent(decision.name, decision.attributes, decision.at)
    await tellTools(run, span)
    finish(span, runEnd(run))
    if (continues) steps.set(threadId, step)
    else finish(step, stepEnd(run))
  }

  const current = () =>
    contextOf(api.trace.getSpanContext(api.context.active())) ?? world.parent ?? null

  return {
    current,
    submit({ kind, agent, threadId, parent }) {
      const attributes = { 'gen_ai.agent.name': agent, 'reprise.thread.id': threadId }
      const above = parentOf(parent === 'active' ? current() : parent)
      const span = tracer.startSpan(
        kind === 'job' ? 'submit job' : 'start chain',
        { attributes, kind: api.SpanKind.PRODUCER },
        above,
      )
      return {
        trace: contextOf(span.spanContext()),
        stored(id) {
          span.setAttribute(`reprise.${kind}.id`, id)
          span.end()
        },
      }
    },
    begin: run => tellBegin(run).catch(() => null), // A fault of an exporter must not keep a run from beginning.
    end: (run, told) =>
      tellEnd(run, told).catch(() => {
        // The end is stored. What cannot be told about it must not change it.
      }),
    leave(threadId) {
      begun.delete(threadId)
      steps.delete(threadId)
    },
    close: () => withinTime(shutdown()),
  }
}

async function toolsOf(store: TracingWorld['store'], run: Run): Promise<ToolSpans> {
  const tools = new ToolSpans()
  let after = 0
  for (;;) {
    const page = await store.events(run.id, after, EVENTS_PER_PAGE)
    for (const stored of page) {
      tools.see(runEventOf(stored))
      after = stored.seq
    }
    if (page.length < EVENTS_PER_PAGE) return tools
  }
}

function remoteSpan({ createTraceState }: Api, trace: TraceContext): SpanContext {
  const { traceId, spanId, flags } = traceParts(trace)
  const { tracestate } = trace
  return {
    ...{ traceId, spanId, traceFlags: flags, isRemote: true },
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

/** `null` for a span that belongs to no trace: no provider is registered. */
function contextOf(span: SpanContext | undefined): TraceContext | null {
  if (!span) return null
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const tracestate = span.traceState?.serialize()
  return readTraceContext({
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    tracestate,
  })
}

function processName({ host, pid }: Owner): string {
  return `${host}:${pid}`
}

/** An exporter that cannot send must not keep a command from ending. */
async function withinTime(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, SHUTDOWN_MS)
  try {
    await Promise.race([work.catch(() => {}), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
