// Whether a session that Reprise did not start holds a given conversation. The session's own file answers that.
import type { Message } from './messages.ts'

export type Said = Pick<Message, 'role' | 'text'>

/**
 * How many entries of the session make up the whole conversation; `null` when the session does not begin with it. Reprise
 * adds text before a prompt, never after it. A session that began with a replay has the beginning in its first prompt.
 */
export function entriesHolding(session: readonly Said[], messages: readonly Said[]): number | null {
  const [first] = session
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || first?.role !== 'user') continue
    const earlier = messages.slice(0, index)
    if (!endsWith(first, message) || !holdsAll(first, earlier)) continue
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

function holdsAll(transcript: Said, messages: readonly Said[]): boolean {
  const whole = bare(transcript.text)
  let at = 0
  for (const { text } of messages) {
    const found = whole.indexOf(bare(text), at)
    if (found < 0) return false
    at = found + bare(text).length
  }
  return true
}

/** Agents join the pieces of an answer in different ways. */
function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
