// Shows the characters that hide or reorder what stands around them, so that a person sees the call that would run.

/** Controls but tab and line ends, bidirectional controls, characters without a width, tags. */
const HIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

export function visibleText(text: string): string {
  return text.replace(HIDDEN, character => {
    const code = character.codePointAt(0) ?? 0
    // Control characters have pictures of their own.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '␡'
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  })
}
