// Turns a scripted reply into the bytes of the Messages API: one JSON message, or server-sent events.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokensOf } from './prompt-cache.ts'
import type { Piece, ReplyBlock, ScriptedReply } from './replies.ts'
import type { BilledUsage } from './request.ts'

type MessageReply = Extract<ScriptedReply, { kind: 'message' }>

export type ApiAnswer = {
  readonly response: ServerResponse
  readonly model: string
  /** Usage without output tokens, which only the reply knows. */
  readonly usage: BilledUsage
  readonly signal: AbortSignal
}

/** An event of the stream, named by its type. */
type SseEvent = { readonly type: string; readonly [field: string]: unknown }

export function outputTokensOf(reply: ScriptedReply): number {
  if (reply.kind === 'message') return tokensOf(reply.blocks.reduce((n, b) => n + lengthOf(b), 0))
  if (reply.kind === 'drop' || reply.kind === 'stream-error')
    return tokensOf(textOf(reply.after ?? []).length)
  return 0
}

export function answerError(
  response: ServerResponse,
  error: Pick<Extract<ScriptedReply, { kind: 'error' }>, 'status' | 'type' | 'message' | 'headers'>,
): void {
  const { type, message } = error
  const body = { type: 'error', error: { type, message }, request_id: newId('req') }
  sendJson(response, { status: error.status, body, headers: error.headers })
}

export function sendJson(
  response: ServerResponse,
  { status, body, headers }: { status: number; body: unknown; headers?: Record<string, string> },
): void {
  const all = { 'content-type': 'application/json', 'request-id': newId('req'), ...headers }
  response.writeHead(status, all)
  response.end(JSON.stringify(body))
}

/** One JSON message, once all of its pieces are there. */
export async function answerAtOnce(answer: ApiAnswer, reply: MessageReply): Promise<void> {
  for (const block of reply.blocks)
    if (block.type === 'text') for (const piece of block.pieces) await pause(piece, answer.signal)
  if (answer.signal.aborted) return
  const message = {
    ...messageHead(answer),
    content: reply.blocks.map(wholeBlock),
    stop_reason: stopReasonOf(reply),
    usage: wireUsage(answer.usage),
  }
  sendJson(answer.response, { status: 200, body: message })
}

export async function answerStream(answer: ApiAnswer, reply: MessageReply): Promise<void> {
  startStream(answer)
  for (const [index, block] of reply.blocks.entries()) await sendBlock(answer, index, block)
  if (answer.signal.aborted) return
  sendAnswer(answer, {
    type: 'message_delta',
    delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
    usage: wireUsage(answer.usage),
  })
  sendAnswer(answer, { type: 'message_stop' })
  answer.response.end()
}

/** Starts an answer, sends these pieces, and leaves it open. */
export async function beginStream(answer: ApiAnswer, pieces: readonly Piece[]): Promise<void> {
  startStream(answer)
  sendAnswer(answer, blockStart(0, { type: 'text', text: '' }))
  await sendPieces(answer, 0, pieces)
}

export function sendAnswer({ response, signal }: ApiAnswer, event: SseEvent): void {
  if (signal.aborted) return
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function startStream(answer: ApiAnswer): void {
  answer.response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': newId('req'),
  })
  const usage = { ...wireUsage(answer.usage), output_tokens: 1 }
  const message = { ...messageHead(answer), content: [], stop_reason: null, usage }
  sendAnswer(answer, { type: 'message_start', message })
}

async function sendBlock(answer: ApiAnswer, index: number, block: ReplyBlock): Promise<void> {
  if (block.type === 'text') {
    sendAnswer(answer, blockStart(index, { type: 'text', text: '' }))
    await sendPieces(answer, index, block.pieces)
  } else if (block.type === 'thinking') {
    sendAnswer(answer, blockStart(index, { type: 'thinking', thinking: '', signature: '' }))
    sendAnswer(answer, delta(index, { type: 'thinking_delta', thinking: block.text }))
    sendAnswer(answer, delta(index, { type: 'signature_delta', signature: 'c2lnbmVk' }))
  } else {
    sendAnswer(answer, blockStart(index, { ...wholeBlock(block), input: {} }))
    const json = JSON.stringify(block.input)
    sendAnswer(answer, delta(index, { type: 'input_json_delta', partial_json: json }))
  }
  sendAnswer(answer, { type: 'content_block_stop', index })
}

async function sendPieces(
  answer: ApiAnswer,
  index: number,
  pieces: readonly Piece[],
): Promise<void> {
  for (const piece of pieces) {
    if (typeof piece === 'string')
      sendAnswer(answer, delta(index, { type: 'text_delta', text: piece }))
    else await pause(piece, answer.signal)
  }
}

async function pause(piece: Piece, signal: AbortSignal): Promise<void> {
  if (typeof piece === 'string') return
  if ('wait' in piece) return piece.wait(signal)
  // An abort ends the pause early; the caller checks the signal.
  await sleep(piece.delayMs, undefined, { signal }).catch(() => undefined)
}

function wholeBlock(block: ReplyBlock): Readonly<Record<string, unknown>> {
  if (block.type === 'text') return { type: 'text', text: textOf(block.pieces) }
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: block.text, signature: 'c2lnbmVk' }
  return {
    type: 'tool_use',
    id: block.id ?? newId('toolu'),
    name: block.name,
    input: block.input,
  }
}

function messageHead({ model }: ApiAnswer): Readonly<Record<string, unknown>> {
  return { id: newId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null }
}

function wireUsage(usage: BilledUsage): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens - usage.cacheWriteHourTokens,
      ephemeral_1h_input_tokens: usage.cacheWriteHourTokens,
    },
    output_tokens: usage.outputTokens,
    service_tier: 'standard',
  }
}

function stopReasonOf(reply: MessageReply): string {
  if (reply.stopReason !== undefined) return reply.stopReason
  return reply.blocks.some(block => block.type === 'tool') ? 'tool_use' : 'end_turn'
}

function lengthOf(block: ReplyBlock): number {
  if (block.type === 'text') return textOf(block.pieces).length
  return block.type === 'thinking' ? block.text.length : JSON.stringify(block.input).length + 40
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.filter(piece => typeof piece === 'string').join('')
}

function blockStart(index: number, block: object): SseEvent {
  return { type: 'content_block_start', index, content_block: block }
}

function delta(index: number, part: object): SseEvent {
  return { type: 'content_block_delta', index, delta: part }
}

function newId(prefix: 'msg' | 'req' | 'toolu'): string {
  return `${prefix}_01${randomBytes(9).toString('hex')}`
}
