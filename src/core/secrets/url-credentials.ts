// The password in `scheme://user:password@host`, and a token in the place of the user.
import type { Span } from './span.ts'
import { looksRandom } from './tokens.ts'

const USER_AND_PASSWORD = /[^\s/?#"'`<>@:]{0,128}:([^\s/?"'`<>]{1,256})@/y
const USER_ALONE = /([A-Za-z0-9_.~-]{16,256})@/y
/** Placeholders that documents use for a password. */
const PLACEHOLDER = /^(?:[<$*{[]|x{3,}$|\.{3}$)/i

export function urlCredentialSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const from = at + 3
    const span = passwordAt(text, from) ?? userAt(text, from)
    if (span) spans.push(span)
  }
  return spans
}

function passwordAt(text: string, from: number): Span | null {
  USER_AND_PASSWORD.lastIndex = from
  const [whole, password] = USER_AND_PASSWORD.exec(text) ?? []
  if (whole === undefined || password === undefined || PLACEHOLDER.test(password)) return null
  const end = from + whole.length - 1
  return { start: end - password.length, end }
}

function userAt(text: string, from: number): Span | null {
  USER_ALONE.lastIndex = from
  const user = USER_ALONE.exec(text)?.[1]
  return user !== undefined && looksRandom(user) ? { start: from, end: from + user.length } : null
}
