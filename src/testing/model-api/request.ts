// A recorded request to the fake model, parsed once into what tests ask about.

/** An API that agents speak to models. */
export type WireName = 'messages' | 'responses' | 'chat-completions' | 'gemini'

/** What an agent made a request for. */
export type RequestPurpose =
  /** Part of a conversation: the script answers it. */
  | 'turn'
  /** A small question of the agent's own without any tool, such as a title. It takes no reply of the script. */
  | 'side'
  /** One token, only to see the account's limits. */
  | 'quota'
  /** The agent summarises its own conversation. */
  | 'compaction'

/** The tokens that one request was billed for. */
export type BilledUsage = {
  /** Without those that were read from the prompt cache, also where the wire adds both. */
  readonly inputTokens: number
  readonly cacheWriteTokens: number
  readonly cacheReadTokens: number
  readonly outputTokens: number
  /** The part of `cacheWriteTokens` asked for with a lifetime of an hour. */
  readonly cacheWriteHourTokens: number
}

/** One part of a message that was sent to the model, in the same words for every wire. */
export type RequestPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: unknown
      /** The name and the input as JSON. */
      readonly text: string
    }
  | { readonly type: 'tool-result'; readonly id: string; readonly text: string }
  /** Thoughts, pictures and whatever else an agent sends. */
  | { readonly type: 'other'; readonly text: string }

/** A message that was sent to the model. Results of tools come from the user, as in the Messages API. */
export type RequestMessage = {
  readonly role: string
  readonly text: string
  readonly parts: readonly RequestPart[]
}

/** A request that the fake model API got. */
export type ModelRequest = {
  /** Counts from 0 in the order of arrival, over all purposes. */
  readonly index: number
  /** The API that the agent spoke. */
  readonly wire: WireName
  readonly purpose: RequestPurpose
  readonly headers: Readonly<Record<string, string>>
  /** The whole body as sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** Size of the body as sent. */
  readonly bytes: number
  /** The session that the agent names in a header, such as `x-claude-code-session-id`. */
  readonly sessionId: string | null
  readonly model: string
  readonly streaming: boolean
  /** The text of the system prompt, with messages of the roles `system` and `developer` where the wire has them. */
  readonly system: string
  /** Names of the tools that the model was offered. */
  readonly tools: readonly string[]
  readonly messages: readonly RequestMessage[]
  /** What was billed when the request was answered; `null` before that and after an error. */
  readonly usage: BilledUsage | null
}

export type RequestBlock = Readonly<Record<string, unknown>>

/** The texts of user and assistant, in order, without the reminders and notes that an agent adds. */
export function requestTexts(request: ModelRequest): readonly string[] {
  return request.messages
    .filter(({ role }) => role !== 'system')
    .flatMap(({ parts }) => parts.map(part => part.text))
    .filter(text => text !== '' && !isNote(text))
}

/** The last text that was sent to the model. */
export function lastTextOf(request: ModelRequest): string {
  return requestTexts(request).at(-1) ?? ''
}

export function requestMessage(role: string, parts: readonly RequestPart[]): RequestMessage {
  return { role, text: parts.map(part => part.text).join('\n'), parts }
}

export function toolCallPart(id: unknown, name: unknown, input: unknown): RequestPart {
  const text = `${name} ${JSON.stringify(input)}`
  return { type: 'tool-call', id: String(id ?? ''), name: String(name), input, text }
}

export function toolResultPart(id: unknown, text: string): RequestPart {
  return { type: 'tool-result', id: String(id ?? ''), text }
}

/** A string counts as one text block; anything but a list of objects is empty. */
export function requestBlocks(value: unknown): readonly RequestBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!Array.isArray(value)) return []
  return value.filter(item => typeof item === 'object' && item !== null)
}

/** Arguments that a wire carries as JSON in a string. */
export function parsedArguments(json: unknown): unknown {
  try {
    return JSON.parse(String(json))
  } catch {
    // An agent may send back arguments that were cut off: the test sees them as they are.
    return json
  }
}

// Claude Code's reminders, and what codex says about its surroundings.
const NOTES = ['<system-reminder>', '<environment_context>']

function isNote(text: string): boolean {
  return NOTES.some(note => text.trimStart().startsWith(note))
}
