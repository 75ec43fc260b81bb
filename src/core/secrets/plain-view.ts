// A text as a person reads it: without colours, and with `\n`, `\"` and `%3D` as the characters they stand for. A search there finds
// secrets however the text is wrapped, also in JSON within JSON. The view maps each position back to the original.
import type { Span } from './span.ts'

export type PlainView = {
  readonly text: string
  /** The same place in the original. Never cuts an escape sequence. */
  original(span: Span): Span
  /** How the character is written in the original, such as `\\"` for a quote. */
  written(index: number): string
}

/** Colours and other terminal sequences, as bytes or written out; then escapes of JSON and of URLs. Every part is bounded. */
const ESCAPE =
  /(?:\x1b|\x9b|\\{1,8}(?:u001[bB]|x1[bB]|033|e(?=\[)))(?:\[[0-9;:?]{0,32}[A-Za-z]|[()][A-Z0-9]|\][^\x07\x1b\\]{0,200}(?:\x07|\x1b\\)|)|\\{1,8}(?:u00([0-7][0-9a-fA-F])|([nrtbf"'`/]))|%([2-7][0-9a-fA-F])/g

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: ' ', f: ' ' }

export function plainView(text: string): PlainView {
  if (!/[\\%\x1b\x9b]/.test(text)) return asItIs(text)
  const parts: string[] = []
  /** Where each kept stretch begins: in the view, and in the original. */
  const viewStarts: number[] = [0]
  const originalStarts: number[] = [0]
  let length = 0
  let done = 0
  for (const found of text.matchAll(ESCAPE)) {
    const character = meaning(found)
    if (character === null) continue
    parts.push(text.slice(done, found.index), character)
    length += found.index - done
    viewStarts.push(length)
    originalStarts.push(found.index)
    length += character.length
    done = found.index + found[0].length
    viewStarts.push(length)
    originalStarts.push(done)
  }
  parts.push(text.slice(done))
  const at = (index: number) => {
    const piece = lastAtOrBelow(viewStarts, index)
    return (originalStarts[piece] ?? 0) + index - (viewStarts[piece] ?? 0)
  }
  /** The end of the previous character, not the beginning of the next one, so that a colour after it stays. */
  const after = (index: number) => {
    const piece = lastAtOrBelow(viewStarts, index - 1)
    const isEscape = viewStarts[piece + 1] === index && piece % 2 === 1
    return isEscape ? (originalStarts[piece + 1] ?? text.length) : at(index - 1) + 1
  }
  return {
    text: parts.join(''),
    original: span => ({ ...span, start: at(span.start), end: after(span.end) }),
    written: index => text.slice(at(index), after(index + 1)),
  }
}

function asItIs(text: string): PlainView {
  return { text, original: span => span, written: index => text.charAt(index) }
}

/** The character that an escape stands for; empty for a colour; `null` for text that only looks like an escape. */
function meaning(found: RegExpExecArray): string | null {
  const [, unicode, letter, percent] = found
  const hex = unicode ?? percent
  if (hex !== undefined) {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return character >= ' ' && character !== '\x7f' ? character : ' '
  }
  if (letter === undefined) return ''
  // A quote after an even number of backslashes is not escaped: it closes the text.
  const isQuote = letter === '"' || letter === "'" || letter === '`'
  return isQuote && found[0].length % 2 === 1 ? null : (LETTERS[letter] ?? letter)
}

function lastAtOrBelow(starts: readonly number[], index: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}
