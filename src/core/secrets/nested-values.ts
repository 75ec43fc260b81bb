// Secrets in an object under a name that announces one: `"password": {"value": "…"}`. Such an object also holds rules, types and
// messages, so only fields count whose name means the value itself.
import type { Literal } from './literals.ts'
import type { PlainView } from './plain-view.ts'
import { closingQuote } from './quoted.ts'
import type { Span } from './span.ts'

export type Judge = (literal: Literal) => boolean

/** Also those of DynamoDB (`S`, `N`) and of converters from XML (`_`, `#text`). */
const VALUE_NAME =
  /^(?:(?:plain|raw|secret|current|old|new)?[-_]?(?:value|val|text|string)|plain|raw|data|pass|pin|current|previous|old|new|default|s|n|_|#text)$/i
const OPENING = /["'`]?[ \t]{0,16}(?:=>|:=|[:=])\s{0,40}(?=\{|\[\s{0,40}\{)/y
const SPACE = /[\s,;]{0,200}/y
const WORD = /[^\s"'`,;:=<>()[\]{}|]{1,200}/y
const ASSIGNED = /\s{0,16}(?:=>|[:=])/y

export function meansValue(name: string): boolean {
  return VALUE_NAME.test(name)
}

/** What holds at a place of the object: how its values are judged, and whether the latest name means the value itself. */
type Level = { readonly judge: Judge; readonly isValue: boolean }

/** `end` is as far as the object was read. A caller that goes on from there reads no character twice. */
export function nestedSpans(
  view: PlainView,
  from: number,
  { judge, judgeOf }: { judge: Judge; judgeOf: (name: string) => Judge | null },
): { readonly spans: readonly Span[]; readonly end: number } {
  const { text } = view
  const spans: Span[] = []
  const outer: Level[] = []
  let level: Level = { judge, isValue: false }
  let quote = ''
  let at = endOf(OPENING, text, from) ?? text.length
  while (at < text.length) {
    const sign = text.charAt(at)
    if (/[{[]/.test(sign)) outer.push(level)
    else if (/[}\]]/.test(sign)) level = outer.pop() ?? level
    else {
      const item = itemAt(view, at)
      if (item === null) break
      const assigned = endOf(ASSIGNED, text, item.end)
      const name = text.slice(item.start, item.stop)
      if (assigned !== null) {
        quote = item.quote
        level = {
          judge: judgeOf(name) ?? outer.at(-1)?.judge ?? judge,
          isValue: meansValue(name),
        }
      } else if (level.isValue && level.judge(literalOf(name, item))) {
        spans.push({ start: item.start, end: item.stop, ...(item.quote === '' && { quote }) })
      }
      at = (assigned ?? item.end) - 1
    }
    if (outer.length === 0) break
    at = endOf(SPACE, text, at + 1) ?? at + 1
  }
  return { spans, end: at }
}

/** A name or a value: its text, and where it ends with its quotes. `quote` is as the original writes it. */
type Item = Span & { readonly stop: number; readonly quote: string }

function itemAt(view: PlainView, at: number): Item | null {
  if (/["'`]/.test(view.text.charAt(at))) {
    const stop = closingQuote(view, at + 1)
    return { start: at + 1, stop, end: stop + 1, quote: view.written(at) }
  }
  const stop = endOf(WORD, view.text, at)
  return stop === null ? null : { start: at, stop, end: stop, quote: '' }
}

/** A field that means the value holds nothing else: also a value without quotes is judged as one with quotes. */
function literalOf(text: string, { start, stop }: Item): Literal {
  return { text, start, end: stop, form: 'quoted', follower: '' }
}

function endOf(sticky: RegExp, text: string, from: number): number | null {
  sticky.lastIndex = from
  return sticky.test(text) ? sticky.lastIndex : null
}
