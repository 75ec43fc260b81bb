// Compares a thread with the caller's history.
import type { Message } from '../core/conversation/messages.ts'
import { type HistoryMessage, threadMessages } from './conversation-history.ts'
import { CONTINUE_PROMPT } from './unfinished.ts'

type Said = Pick<Message, 'role' | 'text'>

/**
 * How many messages at the beginning of the thread are the whole history; `null` when the thread does not begin with it.
 * The thread may hold more after them: a failed turn, or a turn of another query.
 */
export function messagesShared(
  thread: readonly Said[],
  history: readonly HistoryMessage[],
): number | null {
  let at = 0
  for (const said of threadMessages(history)) {
    const next = endOf(thread, at, said)
    if (next === null) return null
    at = next
  }
  return at
}

/** An answer in several runs is several answers in the thread, with our own prompts to continue between them. */
function endOf(thread: readonly Said[], start: number, { role, text }: Said): number | null {
  const wanted = withoutSpaces(text)
  let words = ''
  for (let at = start; thread[at]?.role === role; at += 2) {
    words += withoutSpaces(thread[at]?.text ?? '')
    if (words === wanted) return at + 1
    if (role !== 'assistant' || thread[at + 1]?.text !== CONTINUE_PROMPT) return null
  }
  return null
}

/** Agents join the pieces of an answer in different ways. */
function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
