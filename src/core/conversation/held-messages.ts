// Whether a session that somebody else began holds a conversation, by what its own file says.
import type { Message } from './messages.ts'

export type Said = Pick<Message, 'role' | 'text'>

/**
 * How many entries of the session are the whole conversation; `null` when it does not begin with it. What we send stands
 * in front of a prompt, never behind it; a session that was begun by a replay has the beginning in its first prompt.
 */
export function entriesHolding(session: readonly Said[], messages: readonly Said[]): number | null {
  const [first] = session
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || first?.role !== 'user') continue
    const earlier = messages.slice(0, index)
    if (!endsWith(first, message) || !tells(first, earlier)) continue
    const rest = messages.slice(index + 1)
    if (rest.every((said, at) => isSame(session[at + 1], said))) return rest.length + 1
  }
  return null
}

function isSame(entry: Said | undefined, said: Said): boolean {
  if (entry?.role !== said.role) return false
  return said.role === 'user' ? endsWith(entry, said) : bare(entry.text) === bare(said.text)
}

function endsWith(entry: Said, said: Said): boolean {
  return bare(entry.text).endsWith(bare(said.text))
}

function tells(transcript: Said, messages: readonly Said[]): boolean {
  const whole = bare(transcript.text)
  let at = 0
  for (const { text } of messages) {
    const found = whole.indexOf(bare(text), at)
    if (found < 0) return false
    at = found + bare(text).length
  }
  return true
}

/** Everybody joins the pieces of an answer differently. */
function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
