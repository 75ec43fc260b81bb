// Messages as text for an agent that has not seen them. The text says what did not fit and was left out.
import { headerLine, oneLine, type PromptMark, quoted } from './data-block.ts'
import { type Message, RAN_AGAIN, staleCalls, type ToolUse } from './messages.ts'
import { shortText } from './short-text.ts'

export type Transcript = { readonly text: string; readonly leftOut: number }

const MAX_TOOL_INPUT_CHARS = 400
const MAX_TOOL_RESULT_CHARS = 600
/** A single message may take at most this share of the room. */
const LONGEST_SHARE = 0.5

export function transcriptOf(
  messages: readonly Message[],
  { mark, maxChars }: { readonly mark: PromptMark; readonly maxChars: number },
): Transcript {
  const room = Math.max(maxChars, 2_000)
  const stale = staleCalls(messages)
  const entries = messages.map(message =>
    shortText(entryOf(message, mark, stale), Math.floor(room * LONGEST_SHARE)),
  )
  const leftOut = countToLeaveOut(entries, room)
  const kept = entries.slice(leftOut)
  if (leftOut === 0) return { text: kept.join('\n\n'), leftOut }
  const chars = entries.slice(0, leftOut).reduce((sum, entry) => sum + entry.length, 0)
  const note = `(The oldest ${leftOut} messages, about ${chars} characters, are left out: they do not fit into the model's window.)`
  return { text: [note, ...kept].join('\n\n'), leftOut }
}

function entryOf(message: Message, mark: PromptMark, stale: ReadonlySet<ToolUse>): string {
  const who = message.role === 'user' ? 'user' : `assistant ${message.agent ?? ''}`.trim()
  const ending = message.interrupted ? ' (interrupted before it was done)' : ''
  const tools = message.tools.map(tool => toolEntry(tool, mark, stale))
  const said = quoted(mark, message.text)
  return [headerLine(mark, `${who}${ending}`), said, ...tools].filter(Boolean).join('\n')
}

/** A header, then the input on one line, then the result: none of the three can be mistaken for another. */
function toolEntry(tool: ToolUse, mark: PromptMark, stale: ReadonlySet<ToolUse>): string {
  const header = headerLine(mark, `tool ${quoted(mark, tool.name)} ${endOf(tool, stale)}`)
  const input = oneLine(shortText(tool.input, MAX_TOOL_INPUT_CHARS))
  const isWorthTelling = tool.result !== null && !stale.has(tool)
  const result = isWorthTelling ? shortText(tool.result, MAX_TOOL_RESULT_CHARS) : null
  return [header, quoted(mark, input), result && quoted(mark, result)].filter(Boolean).join('\n')
}

function endOf(tool: ToolUse, stale: ReadonlySet<ToolUse>): string {
  const { result, isError } = tool
  if (result === null) return '(how it ended is not known; it may have had effects)'
  if (stale.has(tool)) return RAN_AGAIN
  return isError ? '(failed)' : '(gave a result)'
}

function countToLeaveOut(entries: readonly string[], room: number): number {
  let total = entries.reduce((sum, entry) => sum + entry.length + 2, 0)
  let count = 0
  for (const entry of entries.slice(0, -1)) {
    if (total <= room) break
    total -= entry.length + 2
    count += 1
  }
  return count
}
