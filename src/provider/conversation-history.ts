// What was said so far, in the shape of the provider: kept by the caller, handed over with every query.
import type { AdoptRequest } from '../api.ts'

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use'
      readonly tool_use: { readonly id: string; readonly name: string; readonly input: string }
    }
  | {
      readonly type: 'tool_result'
      readonly tool_result: {
        readonly tool_use_id: string
        readonly content: string
        readonly is_error: boolean
      }
    }

export type HistoryMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
  readonly timestamp?: string
}

export class ConversationHistory {
  readonly #messages: HistoryMessage[] = []

  addUserMessage(text: string): void {
    this.#add('user', [{ type: 'text', text }])
  }

  /** Further blocks of the same answer belong to the same message. */
  addAssistantMessage(content: readonly ContentBlock[]): void {
    const last = this.#messages.at(-1)
    if (last?.role !== 'assistant') {
      this.#add('assistant', content)
      return
    }
    this.#messages[this.#messages.length - 1] = {
      ...last,
      content: [...last.content, ...content],
    }
  }

  getMessages(): readonly HistoryMessage[] {
    return [...this.#messages]
  }

  #add(role: HistoryMessage['role'], content: readonly ContentBlock[]): void {
    this.#messages.push({ role, content, timestamp: new Date().toISOString() })
  }
}

/**
 * Whether a session holds a history: all its words, in order, and nothing after them. What a session was told besides
 * (to go on, a transcript) does no harm; spaces do not count, as everybody joins the pieces of an answer differently.
 */
export function holdsHistory(said: readonly string[], history: readonly HistoryMessage[]): boolean {
  const whole = said.map(withoutSpaces).join('')
  let at = 0
  for (const block of history.flatMap(message => message.content)) {
    if (block.type !== 'text') continue
    const words = withoutSpaces(block.text)
    const found = whole.indexOf(words, at)
    if (found < 0) return false
    at = found + words.length
  }
  return at === whole.length
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

export function threadMessages(history: readonly HistoryMessage[]): AdoptRequest['messages'] {
  return history.map(({ role, content }) => ({
    role,
    text: content.flatMap(block => (block.type === 'text' ? block.text : [])).join('\n\n'),
    tools: toolsIn(content),
  }))
}

/** A result whose call is gone says nothing any more (003: stale tool results). */
function toolsIn(content: readonly ContentBlock[]) {
  return content.flatMap(block => {
    if (block.type !== 'tool_use') return []
    const { id, name, input } = block.tool_use
    const result = content.find(
      other => other.type === 'tool_result' && other.tool_result.tool_use_id === id,
    )
    const told = result?.type === 'tool_result' ? result.tool_result : null
    return [{ id, name, input, result: told?.content ?? null, isError: told?.is_error ?? false }]
  })
}
