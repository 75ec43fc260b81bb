// Cuts a text that is too long, not in the middle of a word: half of a key does not look like one, and redaction would leave it.

/** A word that is longer is cut all the same. Keys are shorter; what is longer is recognised without its end. */
const MAX_WORD_CHARS = 512
const BREAK = /[\s"'`,;&|<>(){}[\]\\]/

/** At most `maxChars`, and a mark when something was left out. */
export function cutText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${wholeWords(text.slice(0, maxChars))}…` : text
}

/** Of a text that was cut somewhere: without the word that may have lost its end. */
export function wholeWords(text: string): string {
  for (let end = text.length; end > 0 && end > text.length - MAX_WORD_CHARS; end -= 1) {
    if (BREAK.test(text.charAt(end - 1))) return text.slice(0, end)
  }
  return text
}
