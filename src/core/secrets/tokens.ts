// Keys and tokens that are recognised by their shape. One pass over the words; each word is tried only against shapes with its prefix.

import type { Span } from './span.ts'
import { SHAPES } from './token-shapes.ts'

type Tried = { readonly prefix: string; readonly rest: RegExp; readonly random: boolean }

const TRIED: readonly Tried[] = SHAPES.map(({ prefix, of, atLeast, random }) => ({
  prefix,
  rest: new RegExp(`[${of}]{${atLeast},}`, 'y'),
  random: random === true,
}))

/** Shapes that are more than a prefix and a rest. A match must not start again inside its own characters: see JWT. */
const OTHERS: readonly RegExp[] = [
  // Three parts of base64 with points between; the last one may have been cut off.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}/y,
  /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/y,
  // Telegram, Azure, Google, Slack, Discord
  /\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])/y,
  /[A-Za-z0-9_]{3}\dQ~[A-Za-z0-9_~.-]{30,}/y,
  /1\/\/0[A-Za-z0-9_-]{30,}/y,
  /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/y,
  /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/y,
]

/** Where a token may begin: a search for this is much faster than trying every shape at every word. */
const BEGINNING = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    ...TRIED.map(({ prefix }) => prefix.replaceAll('.', '\\.')),
    ...['eyJ', 'AKIA', 'ASIA', 'ABIA', 'ACCA', '\\d{8,10}:AA', '\\w{3}\\dQ~', '1\\/\\/0'],
    ...['hooks\\.slack', '[MNO][\\w-]{23,27}\\.'],
  ].join('|')})`,
  'g',
)

/** An AWS secret key has no shape of its own: it is known by the id beside it. */
const AWS_ID = /A[KSBC][IC]A[A-Z0-9]{16}/y
const AWS_SECRET = /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g
const AWS_NEIGHBOURHOOD = 240

export function tokenSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  BEGINNING.lastIndex = 0
  for (let found = BEGINNING.exec(text); found; found = BEGINNING.exec(text)) {
    const { index: start } = found
    const { end, isToken } = tokenAt(text, start)
    // A word that is not a token is not searched again from its middle: that would take quadratic time on a hostile text.
    BEGINNING.lastIndex = Math.max(end, start + 1)
    if (!isToken) continue
    spans.push({ start, end })
    if (matchAt(AWS_ID, text, start) === end) spans.push(...secretsBeside(text, { start, end }))
  }
  return spans
}

function tokenAt(text: string, start: number): { end: number; isToken: boolean } {
  let looked = start
  for (const { prefix, rest, random } of TRIED) {
    if (!text.startsWith(prefix, start)) continue
    const end = matchAt(rest, text, start + prefix.length)
    if (end === null) continue
    if (!random || looksRandom(text.slice(start, end))) {
      return { end: withoutFullStop(text, end), isToken: true }
    }
    looked = end
  }
  for (const shape of OTHERS) {
    const end = matchAt(shape, text, start)
    if (end !== null) return { end, isToken: true }
  }
  return { end: looked, isToken: false }
}

function matchAt(sticky: RegExp, text: string, index: number): number | null {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : null
}

/** Ordinary names have no stretch of 16 letters and digits with a digit among them. */
export function looksRandom(text: string): boolean {
  const longest = text.split(/[^A-Za-z0-9]/).filter(run => run.length >= 16)
  if (longest.some(run => /\d/.test(run) && /[A-Za-z]/.test(run))) return true
  return text.length >= 60 && /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
}

/** A sentence may end with a token. */
function withoutFullStop(text: string, end: number): number {
  return text[end - 1] === '.' ? end - 1 : end
}

function secretsBeside(text: string, { start, end }: Span): readonly Span[] {
  const from = Math.max(0, start - AWS_NEIGHBOURHOOD)
  const around = text.slice(from, end + AWS_NEIGHBOURHOOD)
  return [...around.matchAll(AWS_SECRET)]
    .filter(({ 0: word }) => /\d/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word))
    .map(({ index }) => ({ start: from + index, end: from + index + 40 }))
}
