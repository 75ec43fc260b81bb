// Private keys in PEM armour, whole or with one end cut off.
import type { Span } from './span.ts'

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** Longer than any key in use. The limit keeps a beginning without an end from removing the rest of a text. */
const MAX_BLOCK_CHARS = 32 * 1024
const BODY = /[A-Za-z0-9+/=\s]*/y
const OTHER = /["'`]\s{0,8}:|[{}[\]<>]/
const LAST_OF_BODY = /[A-Za-z0-9+/=\s]/

export function keyBlockSpans(text: string): readonly Span[] {
  if (!text.includes('PRIVATE KEY')) return []
  const ends = [...text.matchAll(END)].map(({ 0: mark, index }) => ({
    start: index,
    end: index + mark.length,
  }))
  const spans: Span[] = []
  let done = 0
  let next = 0
  for (const { 0: mark, index } of text.matchAll(BEGIN)) {
    if (index < done) continue
    for (; (ends[next]?.start ?? Infinity) < index; next += 1)
      spans.push(tail(text, ends[next], done))
    const end = ends[next]
    const isNear =
      end !== undefined && isBlock(text.slice(index, index + MAX_BLOCK_CHARS), end.start - index)
    done = isNear ? end.end : bodyEnd(text, index + mark.length)
    if (isNear) next += 1
    spans.push({ start: index, end: done })
  }
  for (; next < ends.length; next += 1) spans.push(tail(text, ends[next], done))
  return spans
}

/** Whether the end belongs to this beginning: everything between them can be part of a key. */
function isBlock(text: string, end: number): boolean {
  return end <= text.length && !OTHER.test(text.slice(0, end))
}

/** When the beginning is missing, the key starts as far before the end as the text can be part of a key. */
function tail(text: string, end: Span | undefined, from: number): Span {
  if (!end) return { start: from, end: from }
  let start = end.start
  while (start > from && LAST_OF_BODY.test(text.charAt(start - 1))) start -= 1
  return { start, end: end.end }
}

function bodyEnd(text: string, from: number): number {
  BODY.lastIndex = from
  return BODY.test(text) ? BODY.lastIndex : from
}
