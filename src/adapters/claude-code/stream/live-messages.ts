// Messages that arrive in pieces (`stream_event`): text at once, exact usage, nothing reported twice.
import type { AgentEvent, Usage } from '../../../core/run/events.ts'
import { type Fields, fieldsIn, textIn } from '../../fields.ts'
import { usageIn } from './usage.ts'

export type LiveMessages = {
  note(event: Fields): readonly AgentEvent[]
  /** The part of a complete block of the main conversation that was not reported in pieces. */
  rest(block: Fields): readonly AgentEvent[]
  /** Whether this message is arriving in pieces right now. */
  holds(messageId: string): boolean
}

type Speech = 'text' | 'thinking'

type Live = {
  /** The message that is arriving now, per conversation: the main one and each subagent's. */
  readonly messages: Map<string | null, { id: string; model: string; usage: Usage }>
  /** Blocks of the main conversation that were reported in pieces and have not arrived as a whole. */
  reported: { readonly speech: Speech; text: string }[]
  /** Text of an interrupted message. It was reported already, and the agent may repeat it. */
  abandoned: string
}

export function createLiveMessages(): LiveMessages {
  const live: Live = { messages: new Map(), reported: [], abandoned: '' }
  return {
    note: event => note(live, event),
    rest: block => rest(live, block),
    holds: messageId => [...live.messages.values()].some(({ id }) => id === messageId),
  }
}

function note(live: Live, { event, parent_tool_use_id }: Fields): readonly AgentEvent[] {
  const piece = fieldsIn(event)
  const parentId = textIn(parent_tool_use_id)
  switch (piece?.type) {
    case 'message_start':
      return start(live, fieldsIn(piece.message) ?? {}, parentId)
    case 'content_block_start':
      return parentId === null ? openBlock(live, fieldsIn(piece.content_block) ?? {}) : []
    case 'content_block_delta':
      return parentId === null ? addPiece(live, fieldsIn(piece.delta) ?? {}) : []
    case 'message_delta':
      return correctUsage(live, piece, parentId)
    case 'message_stop':
      live.messages.delete(parentId)
      return []
    default:
      return []
  }
}

function start(live: Live, message: Fields, parentId: string | null): readonly AgentEvent[] {
  if (parentId === null) abandon(live)
  const [id, model] = [textIn(message.id), textIn(message.model)]
  if (id === null || model === null) return []
  live.messages.set(parentId, { id, model, usage: usageIn(message.usage) })
  return usageOf(live, parentId)
}

/** A message that begins before the last one is complete is a new attempt at the same answer. */
function abandon(live: Live): void {
  const texts = live.reported.filter(block => block.speech === 'text').map(block => block.text)
  live.abandoned = texts.join('')
  live.reported = []
}

function openBlock(live: Live, block: Fields): readonly AgentEvent[] {
  const speech = speechOf(block)
  if (speech === null) return []
  live.reported.push({ speech, text: '' })
  return piece(live, speech, textIn(block[speech]) ?? '')
}

function addPiece(live: Live, delta: Fields): readonly AgentEvent[] {
  if (delta.type === 'text_delta') return piece(live, 'text', textIn(delta.text) ?? '')
  if (delta.type === 'thinking_delta') return piece(live, 'thinking', textIn(delta.thinking) ?? '')
  return []
}

function piece(live: Live, speech: Speech, text: string): readonly AgentEvent[] {
  if (text === '') return []
  const last = live.reported.at(-1)
  if (last?.speech === speech) last.text += text
  else live.reported.push({ speech, text })
  const fresh = speech === 'text' ? sayOnce(live, text) : text
  return fresh === '' ? [] : [{ type: speech, text: fresh }]
}

/** While a new attempt repeats the interrupted text, nothing is reported. Where it differs, it is reported from its start. */
function sayOnce(live: Live, text: string): string {
  const { abandoned } = live
  if (abandoned === '') return text
  if (abandoned.startsWith(text)) {
    live.abandoned = abandoned.slice(text.length)
    return ''
  }
  live.abandoned = ''
  if (text.startsWith(abandoned)) return text.slice(abandoned.length)
  return `\n\n${live.reported.at(-1)?.text ?? text}`
}

function correctUsage(live: Live, piece: Fields, parentId: string | null): readonly AgentEvent[] {
  const message = live.messages.get(parentId)
  if (!message) return []
  message.usage = usageIn(piece.usage, message.usage)
  return usageOf(live, parentId)
}

function usageOf(live: Live, parentId: string | null): readonly AgentEvent[] {
  const message = live.messages.get(parentId)
  if (!message) return []
  const { id, model, usage } = message
  return [{ type: 'usage', requestId: id, model, usage, main: parentId === null }]
}

/** After an interrupted stream the agent asks for the whole answer at once: only its new part is reported. */
function rest(live: Live, block: Fields): readonly AgentEvent[] {
  const speech = speechOf(block)
  if (speech === null) return []
  const text = textIn(block[speech]) ?? ''
  const index = live.reported.findIndex(block => block.speech === speech)
  const reported = index < 0 ? '' : (live.reported.splice(index, 1)[0]?.text ?? '')
  const fresh = text.startsWith(reported) ? text.slice(reported.length) : text
  if (speech === 'text') live.abandoned = ''
  return fresh === '' ? [] : [{ type: speech, text: fresh }]
}

function speechOf(block: Fields): Speech | null {
  return block.type === 'text' || block.type === 'thinking' ? block.type : null
}
