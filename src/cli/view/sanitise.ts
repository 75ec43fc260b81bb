// Makes text from agents and users harmless for a terminal: only newline and tab stay of all control characters.

export type Sanitiser = {
  /** Takes the next piece of a stream. A character that is split over two pieces comes out with the second. */
  push(piece: string): string
  /** Returns the rest at the end of the stream. */
  end(): string
}

/** Replaces each control character by a visible text, one by one, so that a split sequence needs no memory. */
export function sanitise(text: string): string {
  return text.toWellFormed().replace(DROPPED, '').replace(SHOWN, show)
}

/** The same, on one line: for table cells, titles and tool calls. */
export function sanitiseLine(text: string): string {
  return sanitise(text.replace(/(?<!\s)\s*\n\s*/g, ' ⏎ ').replaceAll('\t', ' '))
}

/** JSON for a terminal: also escapes control characters that JSON.stringify leaves raw. The value stays the same. */
export function safeJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(RAW_IN_JSON, escapeUnits)
}

export function createSanitiser(): Sanitiser {
  let rest = ''
  return {
    push(piece) {
      const text = rest + piece
      const cut = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
      rest = text.slice(cut)
      return sanitise(text.slice(0, cut))
    },
    end() {
      const text = rest
      rest = ''
      return sanitise(text)
    },
  }
}

// Carriage returns overwrite a line; zero-width characters and tags hide text in text.
const DROPPED = /[\r\u180e\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu
// C0 and C1 controls without tab and newline, DEL, bidirectional controls, line separators, interlinear marks.
const SHOWN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2065-\u206f\ufff9-\ufffb]/gu
const RAW_IN_JSON =
  /[\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

function show(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `<U+${hex(code).toUpperCase()}>`
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${hex(character.charCodeAt(index))}`
  }).join('')
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
