// The SHA-256 of a text, as hex. The only file of core that uses a module of Node.
import { hash } from 'node:crypto'

/** A lone surrogate counts as U+FFFD. */
export function hashText(text: string): string {
  return hash('sha256', text)
}
