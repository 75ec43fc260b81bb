// Checks the options of a caller before anything is stored or started, because callers may write JavaScript without types.
import { RepriseError } from '../errors.ts'
import type { ExecuteOptions } from './execute-options.ts'

const SHAPE = `Give an array of { role: 'user' | 'assistant', content: [{ type: 'text', text }, …] }.`
const BLOCKS = 'A block is of type text, tool_use or tool_result.'
const FIELDS = {
  text: 'Write { type: "text", text: "…" }.',
  tool_use:
    'Write { type: "tool_use", tool_use: { id, name, input } }, with the input as JSON text.',
  tool_result: 'Write { type: "tool_result", tool_result: { tool_use_id, content, is_error } }.',
} as const

export function refuseBadQuery({
  maxTurns,
  sdkSessionId,
  conversationHistory,
}: ExecuteOptions): void {
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw bad(`maxTurns is ${String(maxTurns)}, not a whole number over 0`, 'Leave it out for 20.')
  }
  if (sdkSessionId !== undefined && typeof sdkSessionId !== 'string') {
    throw bad('sdkSessionId is not a string', 'Give the `session_id` of a result, or leave it out.')
  }
  if (conversationHistory !== undefined) refuseBadHistory(conversationHistory)
}

function refuseBadHistory(history: unknown): void {
  if (!Array.isArray(history)) throw bad('conversationHistory is not an array', SHAPE)
  for (const [index, message] of history.entries()) {
    const what = `message ${index} of conversationHistory`
    const { role, content } = fieldsOf(message)
    if (role !== 'user' && role !== 'assistant') {
      throw bad(`${what} has no role that we know: ${JSON.stringify(role) ?? 'none'}`, SHAPE)
    }
    if (!Array.isArray(content)) throw bad(`the content of ${what} is not an array`, SHAPE)
    for (const [position, block] of content.entries()) {
      refuseBadBlock(`block ${position} of ${what}`, fieldsOf(block))
    }
  }
}

function refuseBadBlock(what: string, block: Fields): void {
  const { type } = block
  if (type !== 'text' && type !== 'tool_use' && type !== 'tool_result') {
    throw bad(`${what} has no type that we know: ${JSON.stringify(type) ?? 'none'}`, BLOCKS)
  }
  if (!IS_GOOD[type](fieldsOf(type === 'text' ? block : block[type]))) {
    throw bad(`${what} is not a ${type} block as we know it`, FIELDS[type])
  }
}

const IS_GOOD: Readonly<Record<keyof typeof FIELDS, (fields: Fields) => boolean>> = {
  text: ({ text }) => isText(text),
  tool_use: ({ id, name, input }) => [id, name, input].every(isText),
  tool_result: ({ tool_use_id, content, is_error = false }) =>
    isText(tool_use_id) && isText(content) && typeof is_error === 'boolean',
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

const isText = (value: unknown): boolean => typeof value === 'string'

function bad(what: string, hint: string): RepriseError {
  return new RepriseError('bad-input', what, hint)
}
