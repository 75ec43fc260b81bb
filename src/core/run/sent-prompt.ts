// What an agent was given: the prompt and the arguments of its process.

export type SentPrompt = {
  /** As it was sent; empty when the run continued a parked call instead. Cut when it is very long. */
  readonly text: string
  /** The length of the whole prompt in UTF-8. */
  readonly bytes: number
  /** True when `text` is only the beginning. */
  readonly truncated: boolean
  /** Without secrets. */
  readonly arguments: readonly string[]
}

export const MAX_KEPT_PROMPT_CHARS = 500_000

export function keptPrompt(text: string, args: readonly string[]): SentPrompt {
  const kept = text.slice(0, MAX_KEPT_PROMPT_CHARS)
  return {
    text: kept,
    bytes: utf8Length(text),
    truncated: kept.length < text.length,
    arguments: args,
  }
}

/** A lone surrogate counts as its replacement. */
function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
  }
  return bytes
}
