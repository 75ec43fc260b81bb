// A recorded request to the fake model, parsed once into what tests ask about.

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
  readonly inputTokens: number
  readonly cacheWriteTokens: number
  readonly cacheReadTokens: number
  readonly outputTokens: number
  /** The part of `cacheWriteTokens` asked for with a lifetime of an hour. */
  readonly cacheWriteHourTokens: number
}

/** A request that the fake model API got. */
export type ModelRequest = {
  /** Counts from 0 in the order of arrival, over all purposes. */
  readonly index: number
  readonly purpose: RequestPurpose
  readonly headers: Readonly<Record<string, string>>
  /** The whole body as sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** Size of the body as sent. */
  readonly bytes: number
  /** The header `x-claude-code-session-id`. */
  readonly sessionId: string | null
  readonly model: string
  readonly streaming: boolean
  /** The text of the system prompt. */
  readonly system: string
  /** Names of the tools that the model was offered. */
  readonly tools: readonly string[]
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** What was billed when the request was answered; `null` before that and after an error. */
  readonly usage: BilledUsage | null
}

export type RequestBlock = Readonly<Record<string, unknown>>

export function parseRequest(
  index: number,
  raw: { headers: Readonly<Record<string, string>>; text: string },
): ModelRequest | null {
  const body = parseObject(raw.text)
  if (body === null) return null
  const messages = messagesOf(body).map(({ role, content }) => ({
    role,
    text: requestText(content),
  }))
  const tools = requestBlocks(body.tools).map(tool => String(tool.name ?? tool.type))
  const system = requestText(requestBlocks(body.system))
  const request = {
    index,
    headers: raw.headers,
    body,
    bytes: Buffer.byteLength(raw.text),
    sessionId: raw.headers['x-claude-code-session-id'] ?? null,
    model: String(body.model ?? ''),
    streaming: body.stream === true,
    system,
    tools,
    messages,
    usage: null,
  }
  return { ...request, purpose: purposeOf(request) }
}

/** The texts of user and assistant, in order, without the reminders and notes that an agent adds. */
export function requestTexts(request: ModelRequest): readonly string[] {
  return messagesOf(request.body)
    .filter(({ role }) => role !== 'system')
    .flatMap(({ content }) => content.map(blockText))
    .filter(text => text !== '' && !isReminder(text))
}

/** The last text that was sent to the model. */
export function lastTextOf(request: ModelRequest): string {
  return requestTexts(request).at(-1) ?? ''
}

export function messagesOf(
  body: Readonly<Record<string, unknown>>,
): readonly { readonly role: string; readonly content: readonly RequestBlock[] }[] {
  return requestBlocks(body.messages).map(message => ({
    role: String(message.role),
    content: requestBlocks(message.content),
  }))
}

/** A string counts as one text block; anything but a list of objects is empty. */
export function requestBlocks(value: unknown): readonly RequestBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!Array.isArray(value)) return []
  return value.filter(item => typeof item === 'object' && item !== null)
}

export function requestText(blocks: readonly RequestBlock[]): string {
  return blocks.map(blockText).join('\n')
}

function blockText(block: RequestBlock): string {
  switch (block.type) {
    case 'text':
      return String(block.text ?? '')
    case 'thinking':
      return String(block.thinking ?? '')
    case 'tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return requestText(requestBlocks(block.content))
    default:
      return JSON.stringify(block)
  }
}

function isReminder(text: string): boolean {
  return text.trimStart().startsWith('<system-reminder>')
}

function purposeOf(request: Omit<ModelRequest, 'purpose'>): RequestPurpose {
  if (request.body.max_tokens === 1) return 'quota'
  const last = request.messages.at(-1)?.text ?? ''
  if (last.includes('Your task is to create a detailed summary')) return 'compaction'
  if (request.sessionId !== null && request.tools.length === 0) return 'side'
  return 'turn'
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return value as Readonly<Record<string, unknown>>
  } catch {
    // Not JSON: the caller answers 400, as the real API does.
    return null
  }
}
