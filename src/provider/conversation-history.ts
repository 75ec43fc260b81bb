// The conversation so far, in the provider's types. The caller keeps it and passes it with every query.
import type { AdoptRequest } from '../api.ts'
import type { Message } from '../core/conversation/messages.ts'

/** A part of a message: text, a call of a tool (its input as JSON text), or the result of a call. */
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
        readonly is_error?: boolean
      }
    }

/** One message of a conversation that the caller keeps. */
export type HistoryMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
  readonly timestamp?: string
}

/** Collects the messages of a conversation for the next query. */
export class ConversationHistory {
  readonly #messages: HistoryMessage[] = []

  /** Adds a prompt. */
  addUserMessage(text: string): void {
    this.#add('user', [{ type: 'text', text }])
  }

  /** Adds blocks of an answer. Blocks that follow an answer belong to the same message. */
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

  /** Returns a copy of the messages for `conversationHistory`. */
  getMessages(): readonly HistoryMessage[] {
    return [...this.#messages]
  }

  #add(role: HistoryMessage['role'], content: readonly ContentBlock[]): void {
    this.#messages.push({ role, content, timestamp: new Date().toISOString() })
  }
}

/**
 * The history as messages of a thread. An answer that comes as several messages, with the results of its tools between
 * them as messages of the user, is one answer. Each result goes to its call, wherever it is in the history.
 */
export function threadMessages(history: readonly HistoryMessage[]): AdoptRequest['messages'] {
  const results = resultsByCall(history)
  const messages: Said[] = []
  for (const { role, content } of history) {
    const said = { role, text: textOf(content), tools: toolsIn(content, results) }
    if (said.text === '' && said.tools.length === 0) continue
    const last = messages.at(-1)
    if (role === 'assistant' && last?.role === 'assistant') {
      messages[messages.length - 1] = joined(last, said)
    } else messages.push(said)
  }
  return messages
}

type Said = Omit<AdoptRequest['messages'][number], 'tools'> & { readonly tools: Message['tools'] }
type ToolResult = Extract<ContentBlock, { type: 'tool_result' }>['tool_result']

function joined(first: Said, second: Said): Said {
  const texts = [first.text, second.text].filter(text => text !== '')
  return { ...first, text: texts.join('\n\n'), tools: [...first.tools, ...second.tools] }
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap(block => (block.type === 'text' ? block.text : [])).join('\n\n')
}

function resultsByCall(history: readonly HistoryMessage[]): ReadonlyMap<string, ToolResult> {
  const blocks = history.flatMap(({ content }) => content)
  return new Map(
    blocks.flatMap(block =>
      block.type === 'tool_result' ? [[block.tool_result.tool_use_id, block.tool_result]] : [],
    ),
  )
}

/** A result without its call is stale and is left out. */
function toolsIn(content: readonly ContentBlock[], results: ReadonlyMap<string, ToolResult>) {
  return content.flatMap(block => {
    if (block.type !== 'tool_use') return []
    const { id, name, input } = block.tool_use
    const result = results.get(id)
    return [
      { id, name, input, result: result?.content ?? null, isError: result?.is_error ?? false },
    ]
  })
}
