// Secrets that are recognised by a name: `API_KEY=…`, `"password": "…"`, `Authorization: Bearer …`, `--token …`. The name stays; the value is removed.
import { isKey, isLoginCode, isPassword, type Literal } from './literals.ts'
import { type Judge, nestedSpans } from './nested-values.ts'
import type { PlainView } from './plain-view.ts'
import { closingQuote, listedAfter } from './quoted.ts'
import { isVariable, secretKind } from './secret-names.ts'
import type { Span } from './span.ts'

/** A part of a name. To search for it is much faster than to check every word. */
const STEM =
  /pass|pwd|secret|token|key|cred|auth|bearer|basic|cookie|sig|[_-]pat|sas|(?<=[?&])code(?==)/gi
const REST_OF_WORD = /[A-Za-z0-9_-]*/y
const MAX_NAME_CHARS = 100

/** What separates a name from its value. The number of spaces is bounded, so that the search stays fast. */
const ASSIGNED =
  /(["'`]?)\]?[ \t]{0,16}(=>|:=|=(?![=>~])|:(?![:=])(?:-(?!\d))?)[ \t]{0,16}(["'`]?)/y
/** `{"name": "DB_PASSWORD", "value": "…"}` and the same in YAML. */
const VALUE_BESIDE = /(["'`]?)(,?)\s{0,40}["'`]?[vV]alue["'`]?[ \t]{0,8}[:=][ \t]{0,8}(["'`]?)/y
/** The same under the name, in YAML. */
const VALUE_BELOW = /()(:)[ \t]{0,8}\r?\n[ \t]{1,40}[vV]alue[ \t]{0,8}:[ \t]{0,8}(["'`]?)/y
const FLAG = /()( {1,4})(["'`]?)/y
const ELEMENT = /()(>)()/y
const SCHEME = /(?:bearer|basic|token|apikey|digest|negotiate|bot)[ \t]{1,8}/iy
const BARE = /[^\s"'`,;&<>()[\]{}|]{1,4096}/y
const BARE_TO_SPACE = /[^\s"'`]{1,4096}/y
const TO_TAG = /[^<>\n]{1,4096}/y
const COOKIES = /[\w.%-]{1,64}=[^\s"'`;]{6,}(?:; ?[^\s"'`;]{1,4096}){0,64}/y

export function namedSpans(view: PlainView): readonly Span[] {
  const { text } = view
  const spans: Span[] = []
  let nestedEnd = 0
  STEM.lastIndex = 0
  for (let found = STEM.exec(text); found; found = STEM.exec(text)) {
    const { start, end } = wordAround(text, found.index)
    STEM.lastIndex = end
    if (end - start > MAX_NAME_CHARS) continue
    const word = text.slice(start, end)
    spans.push(...secretItems(text, word, listedAfter(view, end)))
    const judge = judgeOf(word, false)
    if (judge !== null && end >= nestedEnd) {
      const nested = nestedSpans(view, end, { judge, judgeOf: name => judgeOf(name, false) })
      nestedEnd = nested.end
      spans.push(...nested.spans)
    }
    const span = secretValue(view, word, start)
    if (!span) continue
    STEM.lastIndex = span.end
    spans.push(span)
  }
  return spans
}

function wordAround(text: string, index: number): Span {
  let start = index
  while (index - start < MAX_NAME_CHARS && /[\w-]/.test(text.charAt(start - 1))) start -= 1
  REST_OF_WORD.lastIndex = index
  REST_OF_WORD.test(text)
  return { start, end: REST_OF_WORD.lastIndex }
}

/** Lists also hold rules and messages about a field, so an item must look like a secret even though it has quotes. */
function secretItems(text: string, name: string, items: readonly Span[]): readonly Span[] {
  if (isCookie(name)) return items.flatMap(({ start }) => cookiesAt(text, start) ?? [])
  const isSecret = judgeOf(name, false)
  return items.filter(
    ({ start, end }) =>
      isSecret?.({ text: text.slice(start, end), start, end, form: 'bare', follower: '' }) ?? false,
  )
}

function secretValue(view: PlainView, word: string, index: number): Span | null {
  const { text } = view
  const name = word.replace(/^[-_]+/, '')
  const end = index + word.length
  const lower = name.toLowerCase()
  if (lower === 'bearer' || lower === 'basic') return afterScheme(text, end, lower)
  if (isCookie(name)) return cookies(text, end)
  const isQuery = text[index - 1] === '?' || text[index - 1] === '&'
  const isSecret = judgeOf(name, isQuery)
  if (isSecret === null) return null
  const gap = gapAfter(text, { word, index, end })
  if (gap === null) return null
  const literal = literalAt(view, { ...gap, name, isQuery, isTag: text[index - 1] === '<' })
  return literal && isSecret(literal) ? withQuote(view, literal, { index, end }) : null
}

function isCookie(name: string): boolean {
  return /^(?:set-)?cookie$/i.test(name)
}

/** How a value under this name is judged; `null` when the name announces no secret. */
function judgeOf(name: string, isQuery: boolean): Judge | null {
  const kind = secretKind(name)
  if (kind !== null) return kind === 'password' ? isPassword : isKey
  const lower = name.toLowerCase()
  if (isQuery && lower === 'code') return isLoginCode
  const isSignature = lower === 'x-amz-signature' || (isQuery && /^(?:key|sig)$/.test(lower))
  return isSignature ? isKey : null
}

type Gap = {
  readonly start: number
  readonly sign: string
  readonly quote: string
  /** `A=b` without spaces: shells and env files write it like this, code hardly ever does. */
  readonly isTight: boolean
}

function gapAfter(
  text: string,
  { word, index, end }: { word: string; index: number; end: number },
): Gap | null {
  if (text[index - 1] === '<') return gapBy(ELEMENT, text, end)
  const below = gapBy(VALUE_BELOW, text, end)
  if (below !== null) return below
  const assigned = gapBy(ASSIGNED, text, end) ?? gapBy(VALUE_BESIDE, text, end)
  return assigned ?? (word.startsWith('--') ? gapBy(FLAG, text, end) : null)
}

function gapBy(sticky: RegExp, text: string, from: number): Gap | null {
  sticky.lastIndex = from
  const [whole, , sign = '', quote = ''] = sticky.exec(text) ?? []
  if (whole === undefined) return null
  return { start: from + whole.length, sign, quote, isTight: whole === sign }
}

type Asked = Gap & { readonly name: string; readonly isQuery: boolean; readonly isTag: boolean }

function literalAt(view: PlainView, asked: Asked): Literal | null {
  const { text } = view
  const { name, sign, quote, isQuery } = asked
  const start = afterSchemeName(text, asked.start)
  if (quote !== '') {
    const end = closingQuote(view, asked.start)
    return { text: text.slice(start, end), start, end, form: 'quoted', follower: '' }
  }
  if (sign === '=>') return null
  const isAssignment = isVariable(name) && asked.isTight && sign === '='
  const shape = asked.isTag ? TO_TAG : isAssignment && asked.start === start ? BARE_TO_SPACE : BARE
  shape.lastIndex = start
  const found = shape.exec(text)?.[0]
  if (found === undefined) return null
  const value = found.replace(/[,;)]{1,3}$/, '')
  const end = start + value.length
  const form = isAssignment || isQuery || asked.isTag || sign.trim() === '' ? 'given' : 'bare'
  return { text: value, start, end, form, follower: text.charAt(end) }
}

/** `Authorization: Bearer x`: the scheme stays. */
function afterSchemeName(text: string, from: number): number {
  SCHEME.lastIndex = from
  return SCHEME.test(text) ? SCHEME.lastIndex : from
}

function afterScheme(text: string, from: number, scheme: string): Span | null {
  const spaces = /[ \t]{1,8}/y
  spaces.lastIndex = from
  if (!spaces.test(text)) return null
  const start = spaces.lastIndex
  const credential = /[A-Za-z0-9._~+/=-]{8,4096}/y
  credential.lastIndex = start
  const value = credential.exec(text)?.[0]
  if (value === undefined) return null
  const isOne = scheme === 'basic' ? namesUser(value) : /\d/.test(value) && /[A-Za-z]/.test(value)
  return isOne ? { start, end: start + value.length } : null
}

function namesUser(value: string): boolean {
  try {
    const decoded = atob(value)
    return decoded.includes(':') && /^[\x20-\x7e]*$/.test(decoded)
  } catch {
    // It is not base64, so it holds no name and password.
    return false
  }
}

function cookies(text: string, from: number): Span | null {
  ASSIGNED.lastIndex = from
  return ASSIGNED.test(text) ? cookiesAt(text, ASSIGNED.lastIndex) : null
}

function cookiesAt(text: string, start: number): Span | null {
  COOKIES.lastIndex = start
  const value = COOKIES.exec(text)?.[0]
  return value === undefined ? null : { start, end: start + value.length }
}

/** Quotes the replacement of a bare value such as `"pin": 12345678`, so that the document stays JSON. */
function withQuote(view: PlainView, literal: Literal, name: { index: number; end: number }): Span {
  const { start, end, form } = literal
  const before = view.text.charAt(name.index - 1)
  const isField = form === 'bare' && before === '"' && view.text.charAt(name.end) === '"'
  return isField ? { start, end, quote: view.written(name.end) } : { start, end }
}
