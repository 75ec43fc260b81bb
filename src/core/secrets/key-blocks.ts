// Private keys in PEM armour, whole or with one end cut off.
import type { Span } from './span.ts'

const MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** Longer than any key in use. The limit keeps a beginning without an end from removing the rest of a text. */
const MAX_BLOCK_CHARS = 32 * 1024
const BODY = /[A-Za-z0-9+/=\s]*/y
const LAST_OF_BODY = /[A-Za-z0-9+/=\s]/
const OTHER = /["'`]\s{0,8}:|[{}[\]<>]/

export function keyBlockSpans(text: string): readonly Span[] {
  const marks = [...text.matchAll(MARK)].map(({ 0: mark, 1: kind, index }) => ({
    kind,
    start: index,
    end: index + mark.length,
  }))
  return marks.map(({ kind, start, end }, index) => {
    if (kind === 'END') return { start: bodyStart(text, start), end }
    const next = marks[index + 1]?.start ?? Infinity
    return { start, end: isBlock(text, end, next) ? next : bodyEnd(text, end) }
  })
}

/** Whether everything between two marks can be part of a key. */
function isBlock(text: string, start: number, end: number): boolean {
  return end - start <= MAX_BLOCK_CHARS && !OTHER.test(text.slice(start, end))
}

/** When the beginning is missing, the key starts as far before the end as the text can be part of a key. */
function bodyStart(text: string, end: number): number {
  let start = end
  while (LAST_OF_BODY.test(text.charAt(start - 1))) start -= 1
  return start
}

function bodyEnd(text: string, from: number): number {
  BODY.lastIndex = from
  BODY.test(text)
  return BODY.lastIndex
}
