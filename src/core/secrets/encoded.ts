// Base64 that hides a secret. It is decoded, and left out as a whole when the decoded text holds a secret.
import type { Span } from './span.ts'

/** Base64 in wrapped lines, and in one long line. */
const RUN =
  /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}(?:\r?\n[A-Za-z0-9+/_-]{4,}={0,2}(?![A-Za-z0-9+/_=.:-]))*/g
const WRAPPED_CHARS = 60
/** Most base64 holds pictures, hashes and archives; the beginning shows that it is not text. */
const FIRST_LOOK_CHARS = 256

export function encodedSpans(text: string, holdsSecret: (decoded: string) => boolean): Span[] {
  const spans: Span[] = []
  for (const { 0: run, index } of text.matchAll(RUN)) {
    for (const { start, end } of blocksIn(run)) {
      const decoded = decode(run.slice(start, end))
      if (isText(decoded.slice(0, FIRST_LOOK_CHARS)) && holdsSecret(decoded)) {
        spans.push({ start: index + start, end: index + end })
      }
    }
  }
  return spans
}

/** Lines belong together when an encoder can have wrapped them: the first one is long, and none is longer. */
function blocksIn(run: string): readonly Span[] {
  const firstEnd = run.search(/[\r\n]/)
  if (firstEnd >= WRAPPED_CHARS) return [{ start: 0, end: run.length }]
  let start = 0
  return run.split('\n').map(line => {
    const block = { start, end: start + line.trimEnd().length }
    start += line.length + 1
    return block
  })
}

function decode(run: string): string {
  const standard = run
    .replace(/[\r\n=]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  // Four characters hold three bytes; one character alone holds none.
  return atob(standard.length % 4 === 1 ? standard.slice(0, -1) : standard)
}

function isText(decoded: string): boolean {
  return /^[\t\r\n\x20-\x7e\x80-\xff]*$/.test(decoded) && !/[\x80-\xff]{3}/.test(decoded)
}
