// The scripted replies of the fake model: messages in pieces, tool calls, errors, dropped connections, silence.

/** A gate inside a reply. The reply waits there until the test releases it. */
export type Hold = {
  readonly type: 'hold'
  /** Resolves when a reply arrived at the gate. */
  readonly reached: Promise<void>
  /** Lets the reply continue. */
  release(): void
  /** Used by the API: waits for the release, or until the signal aborts. */
  wait(signal: AbortSignal): Promise<void>
}

/** A part of a text: one delta, a gate, or a pause. */
export type Piece = string | Hold | { readonly delayMs: number }

/** One block of a reply. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly pieces: readonly Piece[] }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool'
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
      /** Made up when absent. */
      readonly id?: string
    }

/** What the fake model API answers to one request. */
export type ScriptedReply =
  | {
      readonly kind: 'message'
      readonly blocks: readonly ReplyBlock[]
      /** `tool_use` with tool calls and `end_turn` without when absent. */
      readonly stopReason?: string
      /** The delay before the first byte of the answer. */
      readonly hold?: Hold
    }
  | {
      readonly kind: 'error'
      readonly status: number
      readonly type: string
      readonly message: string
      readonly headers: Readonly<Record<string, string>>
    }
  /** The socket is destroyed: before the first byte, or after these pieces of text. */
  | { readonly kind: 'drop'; readonly after: readonly Piece[] | null }
  /** An SSE `error` event after these pieces of text. */
  | {
      readonly kind: 'stream-error'
      readonly after: readonly Piece[]
      readonly type: string
      readonly message: string
    }
  /** Nothing, until the client gives up or the API is closed. */
  | { readonly kind: 'silence' }

/** A reply with one text. */
export function textReply(...pieces: readonly Piece[]): ScriptedReply {
  return { kind: 'message', blocks: [{ type: 'text', pieces }] }
}

/** A reply with several blocks. */
export function messageReply(...blocks: readonly ReplyBlock[]): ScriptedReply {
  return { kind: 'message', blocks }
}

/** A reply that calls a tool. */
export function toolReply(name: string, input: Readonly<Record<string, unknown>>): ScriptedReply {
  return { kind: 'message', blocks: [{ type: 'tool', name, input }] }
}

/** A reply that waits at the gate before its first byte. */
export function heldReply(hold: Hold, text: string): ScriptedReply {
  return { kind: 'message', blocks: [{ type: 'text', pieces: [text] }], hold }
}

/** A reply with an HTTP error. */
export function errorReply(
  status: number,
  detail: { type?: string; message?: string; headers?: Readonly<Record<string, string>> } = {},
): ScriptedReply {
  const { type, message } = ERRORS[status] ?? { type: 'api_error', message: `Status ${status}` }
  return {
    kind: 'error',
    status,
    type: detail.type ?? type,
    message: detail.message ?? message,
    headers: detail.headers ?? {},
  }
}

/** A reply that breaks the connection: at once, or after these pieces of text. */
export function dropReply(...after: readonly Piece[]): ScriptedReply {
  return { kind: 'drop', after: after.length === 0 ? null : after }
}

/** A reply that never comes. */
export function silentReply(): ScriptedReply {
  return { kind: 'silence' }
}

/** Creates a gate for a reply. */
export function createHold(): Hold {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    type: 'hold',
    reached: reached.promise,
    release: released.resolve,
    async wait(signal) {
      reached.resolve()
      if (signal.aborted) return
      const aborted = Promise.withResolvers<void>()
      const abort = () => aborted.resolve()
      signal.addEventListener('abort', abort, { once: true })
      await Promise.race([released.promise, aborted.promise])
      signal.removeEventListener('abort', abort)
    },
  }
}

const ERRORS: Readonly<Record<number, { type: string; message: string }>> = {
  400: { type: 'invalid_request_error', message: 'Bad request' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  403: { type: 'permission_error', message: 'Forbidden' },
  404: { type: 'not_found_error', message: 'model not found' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: { type: 'rate_limit_error', message: 'Too many requests' },
  500: { type: 'api_error', message: 'Internal server error' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
}
