// The SHA-256 of a text, as hex: a short one by our own code, because to load node:crypto takes 4 ms.
import { sha256 } from './sha256.ts'

/** In code that has just been loaded, twice as much takes as long as to load node:crypto. */
const SHORT_CHARS = 2_000

/** Lone surrogates count as U+FFFD. */
export function hashText(text: string): string {
  if (text.length <= SHORT_CHARS) return sha256(new TextEncoder().encode(text))
  return process.getBuiltinModule('node:crypto').hash('sha256', text)
}
