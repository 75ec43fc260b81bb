// The messages that a query yields, in the provider's types, made from the events of a turn.

import type { Run } from '../core/run/run.ts'
import type { RunEvent } from '../core/run/run-events.ts'
import type { ContentBlock } from './conversation-history.ts'

/** What a query yields. The last message is a `ResultMessage`. */
export type ProviderMessage =
  | { readonly type: 'system'; readonly subtype: 'init'; readonly session_id: string }
  /** The session could not be continued; the query continues in a new one, with the history. */
  | { readonly type: 'system'; readonly subtype: 'fallback'; readonly words: string }
  | {
      readonly type: 'assistant' | 'user'
      readonly session_id: string | null
      readonly message: {
        readonly role: 'assistant' | 'user'
        readonly content: readonly ContentBlock[]
      }
    }
  | ResultMessage

/** How a query ended. Keep `session_id` for the next query. */
export type ResultMessage = {
  readonly type: 'result'
  readonly subtype: 'success' | 'error'
  readonly session_id: string | null
  readonly is_error: boolean
  readonly result: {
    readonly text: string
    /** The agent's own stop reason, such as `end_turn`; `null` when it gave none. */
    readonly stop_reason: string | null
    /** Model requests. */
    readonly num_turns: number
    readonly session_resumed: boolean
    readonly cost_usd: number | null
    readonly usage: {
      readonly input_tokens: number
      readonly cache_read_input_tokens: number
      readonly cache_creation_input_tokens: number
      readonly output_tokens: number
    }
    /** Why the query failed and what to do about it; `null` when it succeeded. */
    readonly error: {
      readonly class: string
      readonly message: string
      readonly hint: string
    } | null
  }
}

/** The result when the caller cancelled the query before anything was sent. */
export function cancelledBefore(session_id: string | null): ResultMessage {
  const message = 'the query was cancelled before its prompt was sent'
  const error = { class: 'cancelled', message, hint: 'Call executeQuery() again to get an answer.' }
  return {
    type: 'result',
    subtype: 'error',
    session_id,
    is_error: true,
    result: {
      text: '',
      stop_reason: null,
      num_turns: 0,
      session_resumed: false,
      cost_usd: null,
      usage: {
        input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        output_tokens: 0,
      },
      error,
    },
  }
}

/** One object per turn. Text arrives in pieces and leaves in blocks. */
export class MessageMaker {
  #sessionId: string | null = null
  #text = ''
  #stopReason: string | null = null

  /** Messages that an event completes. */
  take(event: RunEvent): readonly ProviderMessage[] {
    switch (event.type) {
      case 'session':
        this.#sessionId = event.sessionId
        return [{ type: 'system', subtype: 'init', session_id: event.sessionId }]
      case 'text':
        this.#text += event.text
        return []
      case 'block':
        return this.#flush()
      case 'tool': {
        const { id, name, input } = event
        const block: ContentBlock = { type: 'tool_use', tool_use: { id, name, input } }
        return [...this.#flush(), this.#message('assistant', block)]
      }
      case 'tool-result': {
        const { id, text, isError } = event
        const tool_result = { tool_use_id: id, content: text, is_error: isError }
        return [...this.#flush(), this.#message('user', { type: 'tool_result', tool_result })]
      }
      case 'fallback':
        this.#text = ''
        return [{ type: 'system', subtype: 'fallback', words: event.words }]
      case 'result':
        if (!event.unasked) this.#stopReason = event.stopReason
        return this.#flush()
      default:
        return []
    }
  }

  end(run: Run, text: string): ResultMessage {
    const { usage, failure } = run
    return {
      type: 'result',
      subtype: run.status === 'completed' ? 'success' : 'error',
      session_id: run.sessionId,
      is_error: run.status !== 'completed',
      result: {
        text,
        stop_reason: this.#stopReason,
        num_turns: run.turns,
        session_resumed: run.sessionResumed,
        cost_usd: run.costUsd,
        usage: {
          input_tokens: usage.inputTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
          cache_creation_input_tokens: usage.cacheWriteTokens,
          output_tokens: usage.outputTokens,
        },
        error: failure && { class: failure.class, message: failure.message, hint: failure.hint },
      },
    }
  }

  #flush(): readonly ProviderMessage[] {
    const text = this.#text
    this.#text = ''
    return text === '' ? [] : [this.#message('assistant', { type: 'text', text })]
  }

  #message(role: 'assistant' | 'user', block: ContentBlock): ProviderMessage {
    return { type: role, session_id: this.#sessionId, message: { role, content: [block] } }
  }
}
