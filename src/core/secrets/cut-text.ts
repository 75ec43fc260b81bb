// Cuts a long text, but never inside a word: redaction would not recognise half of a key.

/** A longer word is cut all the same. Most keys are shorter; longer ones are recognised without their end. */
const MAX_WORD_CHARS = 512
const BREAK = /[\s"'`,;&|<>(){}[\]\\]/

export const CUT_MARK = '…'

/** At most `maxChars`, and a mark when something was left out. */
export function cutText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${wholeWords(text.slice(0, maxChars))}${CUT_MARK}` : text
}

/** Removes the last word of a cut text, because its end may be missing. */
export function wholeWords(text: string): string {
  for (let end = text.length; end > 0 && end > text.length - MAX_WORD_CHARS; end -= 1) {
    if (BREAK.test(text.charAt(end - 1))) return text.slice(0, end)
  }
  return text
}
