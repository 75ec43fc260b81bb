// Messages of the Agent SDK in the shape of the provider. What is not known is passed by.
import type { ContentBlock } from './conversation-history.ts'
import type { ProviderMessage, ResultMessage } from './provider-message.ts'

type Fields = Readonly<Record<string, unknown>>

export function messagesFrom(raw: unknown, isResumed: boolean): readonly ProviderMessage[] {
  const message = fieldsIn(raw)
  const session_id = textIn(message.session_id)
  switch (message.type) {
    case 'system':
      return message.subtype === 'init' && session_id !== null
        ? [{ type: 'system', subtype: 'init', session_id }]
        : []
    case 'assistant':
    case 'user': {
      const role = message.type
      const content = blocksIn(fieldsIn(message.message).content)
      return content.length === 0 ? [] : [{ type: role, session_id, message: { role, content } }]
    }
    case 'result':
      return [resultFrom(message, isResumed)]
    default:
      return []
  }
}

/** What a message of a session said, without its tool calls. */
export function wordsOf(raw: unknown): string {
  const blocks = messagesFrom(raw, false).flatMap(message =>
    message.type === 'user' || message.type === 'assistant' ? message.message.content : [],
  )
  return blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
}

/** An error before any model request: nothing was asked, so nothing can be repeated twice. */
export function wasRefused({ is_error, result }: ResultMessage): boolean {
  return is_error && result.num_turns === 0
}

function resultFrom(message: Fields, isResumed: boolean): ResultMessage {
  const usage = fieldsIn(message.usage)
  const subtype = textIn(message.subtype) ?? ''
  const is_error = message.is_error === true || subtype !== 'success'
  const words = Array.isArray(message.errors) ? message.errors.map(String).join(' ') : ''
  const text = textIn(message.result) ?? ''
  return {
    type: 'result',
    subtype: is_error ? 'error' : 'success',
    session_id: textIn(message.session_id),
    is_error,
    result: {
      text,
      stop_reason: textIn(message.stop_reason) ?? (is_error ? null : 'end_turn'),
      num_turns: numberIn(message.num_turns),
      session_resumed: isResumed && !is_error,
      cost_usd: typeof message.total_cost_usd === 'number' ? message.total_cost_usd : null,
      usage: {
        input_tokens: numberIn(usage.input_tokens),
        cache_read_input_tokens: numberIn(usage.cache_read_input_tokens),
        cache_creation_input_tokens: numberIn(usage.cache_creation_input_tokens),
        output_tokens: numberIn(usage.output_tokens),
      },
      error: is_error
        ? {
            class: subtype === 'error_max_turns' ? 'max-turns' : 'unknown',
            message: words || text || subtype,
            hint: 'Look at the message; the Agent SDK tells no more.',
          }
        : null,
    },
  }
}

function blocksIn(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map(fieldsIn).flatMap((block): readonly ContentBlock[] => {
    const text = textIn(block.text)
    if (block.type === 'text' && text) return [{ type: 'text', text }]
    const id = textIn(block.id)
    if (block.type === 'tool_use' && id) {
      const input = JSON.stringify(block.input ?? {})
      return [{ type: 'tool_use', tool_use: { id, name: textIn(block.name) ?? '', input } }]
    }
    const tool_use_id = textIn(block.tool_use_id)
    if (block.type !== 'tool_result' || !tool_use_id) return []
    const content = resultText(block.content)
    return [
      {
        type: 'tool_result',
        tool_result: { tool_use_id, content, is_error: block.is_error === true },
      },
    ]
  })
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(block => textIn(fieldsIn(block).text) ?? '').join('')
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)
