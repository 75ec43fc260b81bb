// The calls of a run as spans: when each began and ended, and below which other call. Inputs and results are left out.
import type { Run } from '../run/run.ts'
import type { RunEvent } from '../run/run-events.ts'
import type { SpanEnd, SpanStart } from './run-spans.ts'

export type ToolSpan = {
  readonly id: string
  /** The call that started the sub-agent which made this one; `null` in the main conversation. */
  readonly parentId: string | null
  readonly start: SpanStart
  readonly end: SpanEnd
}

/** A run with more calls has no spans for the later ones: an exporter would drop as many others for them. */
const MOST_SPANS = 1_000

/** Reads the events of a run in their order. */
export class ToolSpans {
  readonly #calls = new Map<string, { call: ToolSpan; hasResult: boolean }>()
  #untold = 0

  see(event: RunEvent): void {
    if (event.type === 'tool') this.#begin(event)
    if (event.type === 'tool-result') this.#end(event)
  }

  /** How many calls have no span. */
  get untold(): number {
    return this.#untold
  }

  /** In the order in which they began: a parent stands before its children. */
  of(run: Run): readonly ToolSpan[] {
    return [...this.#calls.values()].map(({ call, hasResult }) =>
      hasResult ? call : { ...call, end: unknownEnd(call, run) },
    )
  }

  #begin({ id, name, parentId, at }: Extract<RunEvent, { type: 'tool' }>): void {
    if (this.#calls.has(id)) return
    if (this.#calls.size >= MOST_SPANS) {
      this.#untold += 1
      return
    }
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
    }
    const start = { name: `execute_tool ${name}`, attributes, startAt: at }
    const end = { attributes: {}, error: null, endAt: at }
    this.#calls.set(id, { call: { id, parentId, start, end }, hasResult: false })
  }

  #end(event: Extract<RunEvent, { type: 'tool-result' }>): void {
    const known = this.#calls.get(event.id)
    if (!known) return
    const outcome = outcomeOf(event)
    const end = {
      attributes: { 'reprise.tool.outcome': outcome },
      error: outcome === 'failed' || outcome === 'denied' ? outcome : null,
      endAt: Math.max(event.at, known.call.start.startAt),
    }
    this.#calls.set(event.id, { call: { ...known.call, end }, hasResult: true })
  }
}

function outcomeOf(event: Extract<RunEvent, { type: 'tool-result' }>) {
  if (event.denied) return 'denied'
  if (event.outcomeUnknown) return 'unknown'
  return event.isError ? 'failed' : 'done'
}

/** The run ended before its call did. */
function unknownEnd({ start }: ToolSpan, { endedAt }: Run): SpanEnd {
  const endAt = Math.max(endedAt ?? start.startAt, start.startAt)
  return { attributes: { 'reprise.tool.outcome': 'unknown' }, error: null, endAt }
}
