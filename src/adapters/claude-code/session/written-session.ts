// Writes a conversation as a session file of Claude Code: real roles, real calls with their results. A text stays a text, whatever is in it.
import {
  charsIn,
  type Message,
  type ToolUse,
  withoutStaleResults,
} from '../../../core/conversation/messages.ts'
import { shortText } from '../../../core/conversation/short-text.ts'
import { parseFields } from '../../fields.ts'
import type { SessionWriting, WrittenSession } from '../../session-writing.ts'

/** The API takes no empty text. */
export const NOTHING_SAID = '(no text)'
const MAX_INPUT_CHARS = 400
/** An output that was cut, and says where all of it can be read, stays as it is. */
const MAX_RESULT_CHARS = 1_200
const BROKEN_OFF = '(This answer was broken off here.)'
export const END_UNKNOWN = 'How this call ended is not known. It may have had effects.'
/** Without an answer of ours, the agent would write that none was wanted. */
const NOT_ANSWERED = '(This message was not answered.)'
export const BEGAN_EARLIER = '(The conversation began before this answer.)'

export function writtenSession(writing: SessionWriting): WrittenSession {
  const messages = withFittingOutputs(writing)
  const leftOut = countToLeaveOut(messages, writing.maxChars)
  const kept = messages.slice(leftOut)
  const lines = new Lines(writing)
  const opening = openingOf(kept, leftOut)
  if (opening !== null) lines.user(opening, kept[0]?.createdAt ?? 0)
  const anchors = kept.map((message, index) => {
    const anchor = writeMessage(lines, message)
    if (message.role === 'assistant' || kept[index + 1]?.role === 'assistant') return anchor
    return lines.assistant({ type: 'text', text: NOT_ANSWERED }, message.createdAt)
  })
  return {
    text: lines.text,
    anchors: [...messages.slice(0, leftOut).map(() => null), ...anchors],
    leftOut,
  }
}

/** Outputs are whole where there is room for all of them. */
function withFittingOutputs({ messages: all, maxChars, shortensOutputs }: SessionWriting) {
  const messages = withoutStaleResults(all)
  const chars = charsIn(messages)
  if (chars <= maxChars && !shortensOutputs) return messages
  return messages.map(message => ({ ...message, tools: message.tools.map(shortened) }))
}

function shortened(tool: ToolUse): ToolUse {
  const { input, result } = tool
  return {
    ...tool,
    input: shortText(input, MAX_INPUT_CHARS),
    result: result === null ? null : shortText(result, MAX_RESULT_CHARS),
  }
}

/** The first message must be a user's. */
function openingOf(kept: readonly Message[], leftOut: number): string | null {
  if (leftOut > 0)
    return `(The oldest ${leftOut} messages of this conversation are left out: they do not fit into the model's window.)`
  return kept[0]?.role === 'assistant' ? BEGAN_EARLIER : null
}

function writeMessage(lines: Lines, message: Message): string {
  const { role, text, tools, interrupted, createdAt } = message
  if (role === 'user') return lines.user(text.trim() === '' ? NOTHING_SAID : text, createdAt)
  for (const tool of tools) writeCall(lines, tool, createdAt)
  const said = [text, interrupted ? BROKEN_OFF : ''].filter(part => part.trim() !== '').join('\n\n')
  return lines.assistant({ type: 'text', text: said || NOTHING_SAID }, createdAt)
}

function writeCall(lines: Lines, { name, input, result, isError }: ToolUse, at: number): void {
  const id = lines.callId()
  lines.assistant({ type: 'tool_use', id, name: toolName(name), input: inputOf(input) }, at)
  const content = (result ?? END_UNKNOWN) || NOTHING_SAID
  const block = { type: 'tool_result', tool_use_id: id, content }
  lines.user([result === null || isError ? { ...block, is_error: true } : block], at)
}

/** The API takes letters, digits, `_` and `-`. */
function toolName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 128) || 'tool'
}

/** An input that was cut off when it was stored is not JSON any more. */
function inputOf(input: string): object {
  return parseFields(input) ?? { input }
}

/** Leaves out whole turns, so that what remains begins with a user's message where there is one. */
function countToLeaveOut(messages: readonly Message[], maxChars: number): number {
  let chars = charsIn(messages)
  let count = 0
  while (chars > maxChars && count < messages.length - 1) {
    chars -= charsIn(messages.slice(count, count + 1))
    count += 1
  }
  while (count > 0 && count < messages.length - 1 && messages[count]?.role === 'assistant')
    count += 1
  return count
}

type Block = Readonly<Record<string, unknown>>

/** Lines that each name the one before as their parent. */
class Lines {
  readonly #writing: SessionWriting
  readonly #lines: string[] = []
  #parent: string | null = null

  constructor(writing: SessionWriting) {
    this.#writing = writing
  }

  get text(): string {
    return this.#lines.map(line => `${line}\n`).join('')
  }

  callId(): string {
    return `toolu_${this.#writing.uuid().replaceAll('-', '')}`
  }

  user(content: string | readonly Block[], at: number): string {
    return this.#add('user', { role: 'user', content }, at)
  }

  /** The agent writes each block of an answer as a message of its own, too. */
  assistant(block: Block, at: number): string {
    const message = {
      id: `msg_${this.#writing.uuid().replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: this.#writing.model,
      content: [block],
      stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    }
    return this.#add('assistant', message, at)
  }

  #add(type: 'user' | 'assistant', message: Block, at: number): string {
    const { sessionId, workDir, version } = this.#writing
    const uuid = this.#writing.uuid()
    this.#lines.push(
      JSON.stringify({
        parentUuid: this.#parent,
        isSidechain: false,
        userType: 'external',
        entrypoint: 'sdk-cli',
        cwd: workDir,
        sessionId,
        version,
        type,
        message,
        uuid,
        timestamp: new Date(at).toISOString(),
      }),
    )
    this.#parent = uuid
    return uuid
  }
}
