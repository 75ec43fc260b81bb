// Reads what `claude` prints for its caller, in each form of output, and what the caller writes to it.
import type { AgentEvent } from '../../../core/run/events.ts'
import type { AgentCalls, CallReader } from '../../agent-call.ts'
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../../fields.ts'
import { createParser } from '../stream/parser.ts'

/** A longer result of `--output-format json` is not read; the session file still holds the answer. */
const MAX_JSON_CHARS = 16 * 1024 * 1024

export const callReader: AgentCalls['reader'] = output => {
  if (output === 'stream-json') {
    const parser = createParser()
    return { read: line => parser.parse(line), end: () => [] }
  }
  // The session file holds everything that a text says.
  return output === 'json' ? jsonReader() : { read: () => [], end: () => [] }
}

/** One object at the end, or with `--verbose` a list of all events. */
function jsonReader(): CallReader {
  let text = ''
  return {
    read(line) {
      if (text.length <= MAX_JSON_CHARS) text += `${line}\n`
      return []
    },
    end: () => eventsIn(text),
  }
}

function eventsIn(text: string): readonly AgentEvent[] {
  const parser = createParser()
  const events = objectsIn(text).flatMap(fields => parser.parse(JSON.stringify(fields)))
  if (events.some(({ type }) => type === 'session')) return events
  return [...announced(events), ...events]
}

function objectsIn(text: string): readonly Fields[] {
  if (text.length > MAX_JSON_CHARS) return []
  const wrapped = parseFields(`{"events":${text.trimStart().startsWith('[') ? text : `[${text}]`}}`)
  return fieldsOf(wrapped?.events)
}

/** A single result names its session. One of a refused resume would name the session that was asked for, but prints nothing. */
function announced(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const result = events.find(event => event.type === 'result')
  if (!result?.sessionId) return []
  const [model] = Object.keys(result.models)
  const { sessionId } = result
  const unknown = { version: null, tools: [], permissionMode: null }
  return [{ type: 'session', sessionId, model: model ?? null, ...unknown }]
}

export const promptIn: AgentCalls['promptIn'] = line => {
  // Most lines are answers to requests of the agent, and some are long.
  if (!line.includes('"user"')) return null
  const fields = parseFields(line)
  if (fields?.type !== 'user') return null
  const content = fieldsIn(fields.message)?.content
  if (typeof content === 'string') return content
  const blocks = fieldsOf(content)
  if (blocks.some(block => block.type === 'tool_result')) return null
  const texts = blocks.flatMap(block => (block.type === 'text' ? (textIn(block.text) ?? []) : []))
  return texts.length > 0 || blocks.length === 0 ? texts.join('\n\n') : '(an attachment)'
}
