// Breaks a text into rows at its words, so that the terminal does not break it anywhere.
import { clustersOf, widthOf } from './width.ts'

type Piece = {
  readonly text: string
  /** The spaces between the piece before and this one. A row that begins with the piece leaves them out. */
  readonly gap: string
}

/** Texts are not pressed into fewer columns than this; the terminal breaks them then. */
const LEAST = 20

/**
 * The text in rows of at most `width` columns, each but the first behind `indent` blanks. The first one goes behind a head of that width.
 * `width`: of the terminal; `null`: there is none, and the text stays as it is.
 */
export function hangingText(
  text: string,
  { indent, width }: { readonly indent: number; readonly width: number | null },
): string {
  if (width === null || width - indent < LEAST) return text
  return wrapToWidth(text, width - indent).join(`\n${' '.repeat(indent)}`)
}

/** The same, but a command between backticks and a word of any length stay in one row, so that people can copy them. */
export function hangingHint(
  text: string,
  { indent, width }: { readonly indent: number; readonly width: number | null },
): string {
  if (width === null || width - indent < LEAST) return text
  const rows = text.split('\n').flatMap(line => {
    const pieces = [...line.matchAll(/( *)(`[^`]*`[^ ]*|[^ ]+)/g)]
    const whole = pieces.map(([, gap = '', text = '']) => ({ gap, text }))
    return rowsOf(whole, { columns: width - indent, parts: text => [text] })
  })
  return rows.join(`\n${' '.repeat(indent)}`)
}

/** A word that is wider than a row is broken: a path behind a slash, anything else between two letters. */
export function wrapToWidth(text: string, columns: number): readonly string[] {
  return text
    .split('\n')
    .flatMap(line =>
      widthOf(line) <= columns
        ? [line]
        : rowsOf(piecesOf(line), { columns, parts: text => broken(text, columns) }),
    )
}

/** `parts`: what becomes of a piece that is too wide for the rest of a row. */
function rowsOf(
  pieces: readonly Piece[],
  { columns, parts }: { columns: number; parts: (text: string) => readonly string[] },
): readonly string[] {
  const rows: string[] = []
  let row = ''
  for (const { text, gap } of pieces) {
    const longer = row + gap + text
    if (widthOf(longer) <= columns) {
      row = longer
      continue
    }
    if (row.trim() !== '') rows.push(row)
    const own = parts(text)
    rows.push(...own.slice(0, -1))
    row = own.at(-1) ?? ''
  }
  return [...rows, row]
}

/** Closing brackets, commas and stops never begin a row. */
const CLOSING = /^[\p{Close_Punctuation}\p{Final_Punctuation}\p{Other_Punctuation}]/u

/** Words; and each wide letter, because their scripts have no spaces between words. */
function piecesOf(line: string): readonly Piece[] {
  const pieces: Piece[] = []
  for (const [, gap = '', word = ''] of line.matchAll(/( *)([^ ]*)/g)) {
    const parts = word === '' ? [] : wordParts(word)
    pieces.push(...parts.map((text, index) => ({ text, gap: index === 0 ? gap : '' })))
  }
  return pieces
}

function wordParts(word: string): readonly string[] {
  if (widthOf(word) === word.length) return [word]
  const parts: string[] = []
  let wasWide = true
  for (const cluster of clustersOf(word)) {
    const isWide = widthOf(cluster) > 1
    const before = parts.at(-1)
    const joins = before !== undefined && (CLOSING.test(cluster) || !(isWide || wasWide))
    if (joins) parts[parts.length - 1] = before + cluster
    else parts.push(cluster)
    wasWide = isWide
  }
  return parts
}

function broken(word: string, columns: number): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (const cluster of clustersOf(word)) {
    if (part !== '' && widthOf(part + cluster) > columns) {
      const slash = part.lastIndexOf('/') + 1
      const end = slash > 1 ? slash : part.length
      parts.push(part.slice(0, end))
      part = part.slice(end)
    }
    part += cluster
  }
  return [...parts, part]
}
