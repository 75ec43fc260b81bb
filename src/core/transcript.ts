// F-6: messages as text for an agent that has not seen them: whole where it fits, honest about what was cut.
import { hashText } from './hash-text.ts'
import type { Message, ToolUse } from './messages.ts'

export type Transcript = { readonly text: string; readonly leftOut: number }

const MAX_TOOL_INPUT_CHARS = 400
const MAX_TOOL_RESULT_CHARS = 600
/** A single message may take at most this share of the room. */
const LONGEST_SHARE = 0.5

export function transcriptOf(messages: readonly Message[], maxChars: number): Transcript {
  const room = Math.max(maxChars, 2_000)
  // Headers carry a hash of the content, so that no message can pretend to be another one.
  const mark = hashText(messages.map(message => message.hash).join()).slice(0, 8)
  const stale = staleCalls(messages)
  const entries = messages.map(message =>
    shortened(entryOf(message, mark, stale), Math.floor(room * LONGEST_SHARE)),
  )
  const leftOut = countToLeaveOut(entries, room)
  const kept = entries.slice(leftOut)
  if (leftOut === 0) return { text: kept.join('\n\n'), leftOut }
  const chars = entries.slice(0, leftOut).reduce((sum, entry) => sum + entry.length, 0)
  const note = `(The oldest ${leftOut} messages, about ${chars} characters, are left out: they do not fit into the model's window.)`
  return { text: [note, ...kept].join('\n\n'), leftOut }
}

function entryOf(message: Message, mark: string, stale: ReadonlySet<string>): string {
  const who = message.role === 'user' ? 'user' : `assistant ${message.agent ?? ''}`.trim()
  const ending = message.interrupted ? ' (interrupted before it was done)' : ''
  const tools = message.tools.map(tool => toolLine(tool, stale))
  return [`--- ${mark} ${who}${ending}`, message.text, ...tools].filter(Boolean).join('\n')
}

function toolLine(tool: ToolUse, stale: ReadonlySet<string>): string {
  const call = `[tool ${tool.name} ${shortened(tool.input, MAX_TOOL_INPUT_CHARS)}]`
  if (stale.has(tool.id)) return `${call} (ran again later)`
  if (tool.result === null) return `${call} (how it ended is not known; it may have had effects)`
  const label = tool.isError ? 'failed' : 'gave'
  return `${call} ${label}: ${shortened(tool.result, MAX_TOOL_RESULT_CHARS)}`
}

/** The same call that ran again later makes an earlier result stale. */
function staleCalls(messages: readonly Message[]): ReadonlySet<string> {
  const latest = new Map<string, string>()
  const stale = new Set<string>()
  for (const tool of messages.flatMap(message => message.tools)) {
    const call = `${tool.name} ${tool.input}`
    const earlier = latest.get(call)
    if (earlier) stale.add(earlier)
    latest.set(call, tool.id)
  }
  return stale
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

function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const half = Math.floor(maxChars / 2)
  const cut = text.length - 2 * half
  return `${text.slice(0, half)}… (${cut} characters left out) …${text.slice(-half)}`.toWellFormed()
}
