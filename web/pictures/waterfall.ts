// Where the bars of a waterfall are: times in, places out. What is drawn with them decides what a unit of width is.

export type SpanKind = 'queued' | 'held' | 'running'

export type Span = {
  /** The row that it belongs to. */
  readonly row: string
  readonly kind: SpanKind
  /** In milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

export type Bar = Span & { readonly x: number; readonly width: number }

export type Tick = { readonly x: number; readonly label: string }

export type Waterfall = {
  readonly bars: readonly Bar[]
  readonly ticks: readonly Tick[]
  /** The bar over everything. */
  readonly whole: { readonly x: number; readonly width: number }
  /** The place of a time. */
  readonly at: (time: number) => number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(count => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE),
  ...[1, 2, 3, 6, 12].map(count => count * HOUR),
  ...[1, 2, 7, 14].map(count => count * DAY),
]

const MOST_STEPS = 6

/** Lays spans out over `width`. The axis ends at a whole step, so that its last label has a place. */
export function layoutWaterfall(spans: readonly Span[], width: number): Waterfall {
  const from = Math.min(...spans.map(span => span.from))
  const to = Math.max(...spans.map(span => span.to))
  if (spans.length === 0) return { bars: [], ticks: [], whole: { x: 0, width: 0 }, at: () => 0 }
  const length = Math.max(SECOND, to - from)
  const step = STEPS.find(one => length / one <= MOST_STEPS) ?? Math.ceil(length / MOST_STEPS)
  const count = Math.ceil(length / step)
  const at = (time: number) => ((time - from) / (count * step)) * width
  return {
    bars: spans.map(span => ({
      ...span,
      x: at(span.from),
      width: Math.max(0, at(span.to) - at(span.from)),
    })),
    ticks: Array.from({ length: count + 1 }, (_, index) => ({
      x: (index / count) * width,
      label: tickLabel(index * step, step),
    })),
    whole: { x: 0, width: at(to) },
    at,
  }
}

function tickLabel(ms: number, step: number): string {
  if (step >= DAY) return `${Math.round(ms / DAY)} days`
  if (step >= HOUR) return `${ms / HOUR} h`
  return step >= MINUTE ? `${ms / MINUTE} min` : `${ms / SECOND} s`
}
