// Where a value between quotes ends, and the values of a JSON list.
import type { PlainView } from './plain-view.ts'
import type { Span } from './span.ts'

const MAX_VALUE_CHARS = 4_096
/** From the closing quote of a field's name to the first item of its list, and from item to item. */
const LIST = /"\s{0,16}:\s{0,16}\[\s{0,80}"/y
const NEXT_ITEM = /"\s{0,16},\s{0,80}"/y

/** The next quote that is written like the opening one: `\"` inside `"…"` closes nothing. A value without a closing quote ends with its line. */
export function closingQuote(view: PlainView, from: number): number {
  const { text } = view
  const opening = view.written(from - 1)
  const limit = Math.min(text.length, from + MAX_VALUE_CHARS)
  for (let at = from; at < limit; at += 1) {
    if (text[at] === '\n') return at
    if (text[at] === opening.at(-1) && view.written(at) === opening) return at
  }
  return limit
}

/** The texts in `"name": ["…", "…"]`; `from` is the end of the name. */
export function listedAfter(view: PlainView, from: number): readonly Span[] {
  const items: Span[] = []
  for (let start = endOf(LIST, view.text, from); start !== null; ) {
    const end = closingQuote(view, start)
    items.push({ start, end })
    start = endOf(NEXT_ITEM, view.text, end)
  }
  return items
}

function endOf(sticky: RegExp, text: string, from: number): number | null {
  sticky.lastIndex = from
  return sticky.test(text) ? sticky.lastIndex : null
}
