// Positions in a text, and how to replace the text there.

export type Span = {
  readonly start: number
  readonly end: number
  /** Goes around the replacement: a bare number in a JSON document must become a string. */
  readonly quote?: string
}

export const REPLACEMENT = '[redacted]'

export function replaceSpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end, quote = '' } of merged(spans)) {
    parts.push(text.slice(done, start), quote, REPLACEMENT, quote)
    done = end
  }
  parts.push(text.slice(done))
  return parts.join('')
}

/** The spans in order, merged so that none overlaps or touches another. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const ordered = [...spans].sort((a, b) => a.start - b.start)
  const result: Span[] = []
  for (const span of ordered) {
    const last = result.at(-1)
    if (!last || span.start > last.end) result.push(span)
    else if (span.end > last.end) result[result.length - 1] = { ...last, end: span.end }
  }
  return result
}
