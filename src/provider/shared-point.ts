// How far a thread and the caller's history are the same conversation.
import type { Message } from '../core/conversation/messages.ts'
import { type HistoryMessage, threadMessages } from './conversation-history.ts'
import { GO_ON_PROMPT } from './go-on.ts'

type Said = Pick<Message, 'role' | 'text'>

/**
 * How many messages at the beginning of the thread are the whole history; `null` when the thread does not begin with it.
 * What the thread holds after them (a turn that failed, a turn of another query) the caller does not count.
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

/** An answer in several runs stands in the thread as several answers, with our own word to go on between them. */
function endOf(thread: readonly Said[], start: number, { role, text }: Said): number | null {
  const wanted = withoutSpaces(text)
  let words = ''
  for (let at = start; thread[at]?.role === role; at += 2) {
    words += withoutSpaces(thread[at]?.text ?? '')
    if (words === wanted) return at + 1
    if (role !== 'assistant' || thread[at + 1]?.text !== GO_ON_PROMPT) return null
  }
  return null
}

/** Everybody joins the pieces of an answer differently. */
function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
