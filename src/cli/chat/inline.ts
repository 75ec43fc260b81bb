// Emphasis, code and links inside a line of Markdown, and how such a line is broken to fit a width.
import { clustersOf, widthOf } from '../terminal/width.ts'

export type Look = 'bold' | 'italic' | 'underline' | 'magenta' | 'dim' | 'strikethrough'
export type StyledText = { readonly text: string; readonly looks: readonly Look[] }

/** Without a look, for terminals without colours: the marks stay, because nothing else would show them. */
export function plainSpans(text: string): readonly StyledText[] {
  return [{ text, looks: [] }]
}

/** What stands between two marks is bounded, so that the search takes time in proportion to its text. */
const MARKS =
  /(?<!`)(?<code>`{1,9})(?!`)(?<inner>.{1,400}?)(?<!`)\k<code>(?!`)|\*\*(?<bold>[^\s*](?:.{0,400}?\S)??)\*\*|(?<![\w*])\*(?<star>[^\s*](?:[^*]{0,400}?[^\s*])?)\*(?![\w*])|(?<![\w_])_(?<low>[^\s_](?:[^_]{0,400}?[^\s_])?)_(?![\w_])|~~(?<gone>[^~]{1,400})~~|\[(?<label>[^[\]]{1,400})\]\((?<url>[^()\s]{1,400})\)/g

/** An unclosed mark is text: the rest of it may still come. */
export function spansOf(text: string, looks: readonly Look[] = []): readonly StyledText[] {
  const spans: StyledText[] = []
  let end = 0
  for (const { 0: marked, index, groups = {} } of text.matchAll(MARKS)) {
    const { inner, bold, star, low, gone, label, url } = groups
    if (index > end) spans.push({ text: text.slice(end, index), looks })
    spans.push(...innerSpans(looks, { inner, bold, em: star ?? low, gone, label, url }))
    end = index + marked.length
  }
  if (end < text.length) spans.push({ text: text.slice(end), looks })
  return spans
}

type Found = Readonly<
  Record<'inner' | 'bold' | 'em' | 'gone' | 'label' | 'url', string | undefined>
>

function innerSpans(looks: readonly Look[], found: Found): readonly StyledText[] {
  const { inner, bold, em, gone, label = '', url = '' } = found
  if (inner !== undefined) return [{ text: inner, looks: [...looks, 'magenta'] }]
  if (bold !== undefined) return spansOf(bold, [...looks, 'bold'])
  if (em !== undefined) return spansOf(em, [...looks, 'italic'])
  if (gone !== undefined) return [{ text: gone, looks: [...looks, 'strikethrough'] }]
  const address = label === url ? [] : [{ text: ` (${url})`, looks: [...looks, 'dim' as const] }]
  return [{ text: label, looks: [...looks, 'underline'] }, ...address]
}

/** Breaks at spaces; a word that is wider than a line is broken too. */
export function brokenToWidth(
  spans: readonly StyledText[],
  width: number,
): readonly (readonly StyledText[])[] {
  const lines: StyledText[][] = [[]]
  let left = width
  const breakLine = () => {
    const line = lines.at(-1)
    if (line?.at(-1)?.text.trim() === '') line.pop()
    lines.push([])
    left = width
  }
  for (const { text, looks } of spans) {
    for (const word of text.match(/\s+|[^\s]+/g) ?? []) {
      const wide = widthOf(word)
      const isSpace = word.trim() === ''
      if (wide <= left) {
        // A line does not begin with the space that it was broken at.
        if (isSpace && left === width && lines.length > 1) continue
        lines.at(-1)?.push({ text: word, looks })
        left -= wide
        continue
      }
      if (left < width) breakLine()
      if (isSpace) continue
      for (const piece of piecesOf(word, width)) {
        if (widthOf(piece) > left) breakLine()
        lines.at(-1)?.push({ text: piece, looks })
        left -= widthOf(piece)
      }
    }
  }
  return lines
}

function piecesOf(word: string, width: number): readonly string[] {
  const pieces: string[] = ['']
  for (const cluster of clustersOf(word)) {
    const last = pieces.at(-1) ?? ''
    if (last !== '' && widthOf(last) + widthOf(cluster) > width) pieces.push(cluster)
    else pieces[pieces.length - 1] = last + cluster
  }
  return pieces
}
