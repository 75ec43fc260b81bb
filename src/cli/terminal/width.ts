// How many columns of a terminal a text takes, and how it is cut to fit. Wide letters and emoji take two.
import { eastAsianWidth } from 'get-east-asian-width'

/** Text that can be counted by its length: Latin, Greek, Cyrillic, punctuation, arrows, boxes and marks of one column. */
const NARROW =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2015\u2018-\u2026\u2190-\u21ff\u23ce\u2400-\u2426\u2500-\u25fc\u2713\u2717]*$/

/** A terminal that does not know its size has 80 columns. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns !== undefined && columns > 0 ? columns : 80
}

/** Control characters count as nothing; text from outside passes the sanitiser before it comes here. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length
  return clustersOf(text).reduce((sum, cluster) => sum + clusterWidth(cluster), 0)
}

/** A text that is too wide ends in `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 0
  let kept = ''
  for (const cluster of clustersOf(text)) {
    width += clusterWidth(cluster)
    if (width > columns - 1) break
    kept += cluster
  }
  return columns < 1 ? '' : `${kept}…`
}

/** A text that is too wide begins with `…`: the end of a path says more than its beginning. */
export function cutStartToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 0
  let kept = ''
  for (const cluster of clustersOf(text).toReversed()) {
    width += clusterWidth(cluster)
    if (width > columns - 1) break
    kept = cluster + kept
  }
  return columns < 1 ? '' : `…${kept}`
}

let segmenter: Intl.Segmenter | undefined

/** What a reader sees as one letter. Making a segmenter takes 20 ms, so plain text does without. */
export function clustersOf(text: string): readonly string[] {
  if (NARROW.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}]+$/u
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|^\p{Regional_Indicator}/u

function clusterWidth(cluster: string): number {
  if (INVISIBLE.test(cluster)) return 0
  if (EMOJI.test(cluster)) return 2
  return eastAsianWidth(cluster.codePointAt(0) ?? 0)
}
