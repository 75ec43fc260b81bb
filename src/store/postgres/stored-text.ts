// PostgreSQL refuses the character NUL in texts, SQLite stores it. So that both stores give back what they were given, NUL is
// written as two other characters. A lone surrogate becomes U+FFFD in both.

/** A character that Unicode keeps free of meaning; no text of a user holds it. */
const MARK = '\u{10ffff}'
const NUL = `${MARK}0`
/** The mark itself, should a text hold it after all. */
const ITSELF = `${MARK}1`

export function toStored(text: string): string {
  if (!text.includes('\0') && !text.includes(MARK)) return text
  return text.replaceAll(MARK, ITSELF).replaceAll('\0', NUL)
}

export function fromStored(text: string): string {
  if (!text.includes(MARK)) return text
  return text.replaceAll(NUL, '\0').replaceAll(ITSELF, MARK)
}
