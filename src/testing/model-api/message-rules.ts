// The rules of the Messages API about a conversation: what the real one answers with 400.
import { messagesOf } from './messages-wire.ts'
import type { RequestBlock } from './request.ts'

const NAME = /^[A-Za-z0-9_-]{1,128}$/

/** What is wrong with the messages of a request; `null`: the real API would take them. */
export function brokenRule(body: Readonly<Record<string, unknown>>): string | null {
  const messages = joined(messagesOf(body).filter(({ role }) => role !== 'system'))
  if (messages[0]?.role !== 'user') return 'messages: the first message must use the "user" role'
  let open: readonly string[] = []
  const known = new Set<string>()
  for (const [index, { role, content }] of messages.entries()) {
    const problem =
      emptyIn(content) ??
      (role === 'user' ? wrongResults(content, open) : wrongCalls(content, known))
    if (problem !== null) return `messages.${index}: ${problem}`
    open = role === 'assistant' ? callsIn(content) : []
  }
  return open.length === 0 ? null : `messages: tool_use ${open[0]} has no tool_result`
}

type Said = ReturnType<typeof messagesOf>

/** The API joins messages of the same role. */
function joined(messages: Said): Said {
  const turns: { role: string; content: readonly RequestBlock[] }[] = []
  for (const { role, content } of messages) {
    const last = turns.at(-1)
    if (last?.role === role) last.content = [...last.content, ...content]
    else turns.push({ role, content })
  }
  return turns
}

function emptyIn(content: readonly RequestBlock[]): string | null {
  if (content.length === 0) return 'the content is empty'
  const isEmpty = ({ type, text }: RequestBlock) => type === 'text' && String(text).trim() === ''
  return content.some(isEmpty) ? 'text content blocks must contain non-whitespace text' : null
}

function callsIn(content: readonly RequestBlock[]): readonly string[] {
  return content.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id))
}

/** Every call has its result at the beginning of the very next message, and no other result is there. */
function wrongResults(content: readonly RequestBlock[], open: readonly string[]): string | null {
  const results = content.filter(({ type }) => type === 'tool_result')
  const answered = results.map(({ tool_use_id: id }) => String(id))
  const missing = open.find(id => !answered.includes(id))
  if (missing !== undefined) return `tool_use ${missing} has no tool_result right after it`
  const foreign = answered.find(id => !open.includes(id))
  if (foreign !== undefined) return `tool_result ${foreign} belongs to no tool_use before it`
  if (new Set(answered).size < answered.length) return 'a tool_use has two tool_results'
  return content.slice(0, results.length).every(({ type }) => type === 'tool_result')
    ? null
    : 'tool_results come before anything else'
}

function wrongCalls(content: readonly RequestBlock[], known: Set<string>): string | null {
  for (const { type, id, name, input } of content) {
    if (type === 'tool_result') return 'a tool_result stands in an answer'
    if (type !== 'tool_use') continue
    if (!NAME.test(String(id)) || !NAME.test(String(name))) return `a call is named ${id}, ${name}`
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return `the input of ${id} is not an object`
    if (known.has(String(id))) return `tool_use ${id} is there twice`
    known.add(String(id))
  }
  return null
}
