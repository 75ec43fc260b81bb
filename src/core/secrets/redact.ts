// Keeps secrets out of the store, streams and logs. It applies to inputs and results of tools, never to what users and agents say
// to each other. Its time is linear in the length of the text. Each kind of secret has a file in this folder.

import { encodedSpans } from './encoded.ts'
import { mapStrings, parsedJson } from './json-strings.ts'
import { keyBlockSpans } from './key-blocks.ts'
import { namedSpans } from './named-values.ts'
import { plainView } from './plain-view.ts'
import { secretKind } from './secret-names.ts'
import { REPLACEMENT, replaceSpans, type Span } from './span.ts'
import { tokenSpans } from './tokens.ts'
import { urlCredentialSpans } from './url-credentials.ts'

/** A long text is searched in overlapping pieces, so that memory stays bounded and no secret is lost between two pieces. */
const PIECE_CHARS = 64 * 1024
const OVERLAP_CHARS = 8 * 1024

/** `known`: values that are secret whatever they look like, such as those of the environment. */
export function redact(text: string, known: readonly string[] = []): string {
  const clean = replaceSpans(text, spansIn(text, known))
  if (clean === text || !/^\s*[[{]/.test(text)) return clean
  const before = parsedJson(text)
  if (before === undefined || parsedJson(clean) !== undefined) return clean
  // A known value with quotes reaches over several strings, and none of them alone would be recognised. Broken JSON is better than a leak.
  if (known.some(value => value.includes('"') && text.includes(value))) return clean
  // The replacement broke the JSON, because a text search cannot handle all quotes and backslashes. So each string is redacted alone.
  return mapStrings(before, (value, name) =>
    name !== null && secretKind(name) !== null ? REPLACEMENT : redact(value, known),
  )
}

function spansIn(text: string, known: readonly string[]): readonly Span[] {
  const spans: Span[] = []
  for (let start = 0; start < text.length; start += PIECE_CHARS) {
    const from = wordStart(text, start)
    const piece = text.slice(from, start + PIECE_CHARS + OVERLAP_CHARS)
    for (const span of secretSpans(piece, known)) {
      spans.push({ ...span, start: from + span.start, end: from + span.end })
    }
  }
  return spans
}

/** The values among these variables that must not be shown. */
export function secretValues(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    value.length >= MIN_KNOWN_CHARS && name !== WORKING_DIRECTORY && secretKind(name) !== null
      ? value
      : [],
  )
}

const MIN_KNOWN_CHARS = 8
/** Shells name their working directory so. Elsewhere the same name is that of a password. */
const WORKING_DIRECTORY = 'PWD'

function secretSpans(text: string, known: readonly string[]): readonly Span[] {
  const view = plainView(text)
  const found = [
    ...knownSpans(view.text, known),
    ...visibleSpans(view.text),
    ...namedSpans(view),
    ...encodedSpans(view.text, decoded => holdsSecret(decoded, known)),
  ]
  // A value that itself holds `%2F` or a backslash looks different in the plain view.
  return [...knownSpans(text, known), ...found.map(span => view.original(span))]
}

function visibleSpans(text: string): readonly Span[] {
  return [...keyBlockSpans(text), ...tokenSpans(text), ...urlCredentialSpans(text)]
}

function holdsSecret(text: string, known: readonly string[]): boolean {
  return (
    knownSpans(text, known).length > 0 ||
    visibleSpans(text).length > 0 ||
    namedSpans(plainView(text)).length > 0
  )
}

function knownSpans(text: string, known: readonly string[]): readonly Span[] {
  return known.flatMap(value => {
    const spans: Span[] = []
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      spans.push({ start: at, end: at + value.length })
    }
    return spans
  })
}

const MAX_WORD_CHARS = 1_024

/** A piece never begins inside a word, because the rest of the word could look like the beginning of a key. */
function wordStart(text: string, index: number): number {
  const before = text.slice(Math.max(0, index - MAX_WORD_CHARS), index)
  return index - (before.split(/\s/).at(-1) ?? '').length
}
