// Lines of `--output-format stream-json` as events of ours.

import type { AgentEvent } from '../../../core/run/events.ts'
import { cutText } from '../../../core/secrets/cut-text.ts'
import { type Fields, fieldsIn, fieldsOf, parseFields, textIn } from '../../fields.ts'
import { callAsked } from '../guard.ts'
import { parkedCall, permissionAsked } from '../questions.ts'
import { createLiveMessages, type LiveMessages } from './live-messages.ts'
import { resultOf } from './result.ts'
import { systemEvent } from './system-events.ts'
import { isAnswerTool, toolInput, toolResults } from './tools.ts'
import { usageIn } from './usage.ts'

const MAX_RAW_CHARS = 4_000

/** Known types that nobody needs: they become no event, not even `unknown`. */
const QUIET_TYPES = new Set([
  'attachment',
  'command_lifecycle',
  'control_cancel_request',
  'control_response',
  'keep_alive',
  'progress',
  'prompt_suggestion',
  'tool_progress',
])

type State = {
  sessionId: string | null
  /** What the message of the last failed request called its error. */
  errorKind: string | null
  /** Calls whose refusal was reported before their result. */
  readonly denied: Set<string>
  /** Calls that hold an answer: nobody needs their results. */
  readonly answers: Set<string>
  readonly live: LiveMessages
}

/** Turns lines into events. It never throws: an unknown line becomes an `unknown` event. */
export type Parser = {
  parse(line: string): readonly AgentEvent[]
  /** Another turn of the same process: it names its session again. */
  nextTurn(): void
}

export function createParser(): Parser {
  const state: State = {
    sessionId: null,
    errorKind: null,
    denied: new Set(),
    answers: new Set(),
    live: createLiveMessages(),
  }
  return {
    parse(line) {
      if (line.trim() === '') return []
      const event = parseFields(line)
      const type = textIn(event?.type)
      if (!event || type === null) return [unknown('no-event', line)]
      return eventsOf(state, event, type) ?? [unknown(kindOf(event, type), line)]
    },
    nextTurn() {
      state.sessionId = null
      state.errorKind = null
    },
  }
}

function eventsOf(state: State, event: Fields, type: string): readonly AgentEvent[] | null {
  switch (type) {
    case 'system':
      return systemEvents(state, event)
    case 'stream_event':
      return state.live.note(event)
    case 'assistant':
      return assistantEvents(state, event)
    case 'user':
      return toolResults(event, contentOf(event), state.denied).filter(
        result => result.type !== 'tool-result' || !state.answers.has(result.id),
      )
    case 'control_request':
      return permissionAsked(event) ?? callAsked(event)
    case 'rate_limit_event':
      return limitEvent(event)
    case 'result': {
      const result = resultOf(event, state.errorKind)
      state.errorKind = null
      const parked = parkedCall(fieldsIn(event.deferred_tool_use))
      return parked ? [parked, result] : [result]
    }
    default:
      return QUIET_TYPES.has(type) ? [] : null
  }
}

function systemEvents(state: State, event: Fields): readonly AgentEvent[] | null {
  if (event.subtype === 'permission_denied') {
    const id = textIn(event.tool_use_id)
    if (id !== null) state.denied.add(id)
    return []
  }
  const events = systemEvent(event)
  const [first] = events ?? []
  if (first?.type !== 'session') return events
  // Each turn of a process announces the session again.
  if (first.sessionId === state.sessionId) return []
  state.sessionId = first.sessionId
  return events
}

function assistantEvents(state: State, event: Fields): readonly AgentEvent[] {
  const message = fieldsIn(event.message) ?? {}
  const parentId = textIn(event.parent_tool_use_id)
  const blocks = contentOf(event)
  if (parentId === null) state.errorKind = textIn(event.error)
  if (state.errorKind !== null && message.model === '<synthetic>') return errorNotice(blocks)
  for (const block of blocks.filter(isAnswerTool)) state.answers.add(textIn(block.id) ?? '')
  const calls = blocks.flatMap(block => toolEvent(block, parentId))
  const used = usageEvent(state, message, parentId)
  if (parentId !== null) return [...used, ...calls]
  const anchor = textIn(event.uuid)
  return [
    ...used,
    ...blocks.flatMap(block => state.live.rest(block)),
    ...calls,
    ...(anchor === null ? [] : [{ type: 'block' as const, anchor }]),
  ]
}

/** A text that the program writes in place of an answer is not an answer: the result holds the failure. */
function errorNotice(blocks: readonly Fields[]): readonly AgentEvent[] {
  const text = blocks.map(block => textIn(block.text) ?? '').join('\n')
  return [{ type: 'notice', code: 'request-failed', text: cutText(text, MAX_RAW_CHARS) }]
}

function toolEvent(block: Fields, parentId: string | null): readonly AgentEvent[] {
  if (block.type !== 'tool_use' || isAnswerTool(block)) return []
  const [id, name] = [textIn(block.id), textIn(block.name)]
  if (id === null || name === null) return []
  return [{ type: 'tool', id, name, input: toolInput(block), parentId }]
}

/** Only for messages that did not arrive in pieces: the pieces report usage more exactly. */
function usageEvent(state: State, message: Fields, parentId: string | null): AgentEvent[] {
  const [requestId, model] = [textIn(message.id), textIn(message.model)]
  if (requestId === null || model === null || model === '<synthetic>') return []
  if (state.live.holds(requestId)) return []
  return [
    {
      type: 'usage',
      requestId,
      model,
      usage: usageIn(message.usage),
      main: parentId === null,
    },
  ]
}

function limitEvent(event: Fields): readonly AgentEvent[] | null {
  const info = fieldsIn(event.rate_limit_info)
  if (!info) return null
  const seconds = typeof info.resetsAt === 'number' ? info.resetsAt : null
  return [
    {
      type: 'limit',
      rejected: info.status === 'rejected',
      resetsAt: seconds === null ? null : seconds * 1_000,
    },
  ]
}

function contentOf(event: Fields): readonly Fields[] {
  const content = fieldsIn(event.message)?.content
  return typeof content === 'string' ? [{ type: 'text', text: content }] : fieldsOf(content)
}

function kindOf(event: Fields, type: string): string {
  const subtype = textIn(event.subtype)
  return (subtype === null ? type : `${type}/${subtype}`).slice(0, 100)
}

function unknown(kind: string, line: string): AgentEvent {
  return { type: 'unknown', kind, raw: cutText(line, MAX_RAW_CHARS) }
}
