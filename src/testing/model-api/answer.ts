// Sends a scripted reply in the words of a wire: one JSON value, or server-sent events.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokensOf } from './prompt-cache.ts'
import type { Piece, ReplyBlock, ScriptedReply } from './replies.ts'
import {
  type AnswerFrames,
  type AnswerHead,
  type MessageReply,
  newId,
  textOfPieces,
  type Wire,
  type WireError,
} from './wire.ts'

export type ApiAnswer = {
  readonly wire: Wire
  readonly response: ServerResponse
  readonly head: AnswerHead
  readonly streaming: boolean
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

type AnsweredReply = Extract<ScriptedReply, { kind: 'message' | 'drop' | 'stream-error' }>

export async function sendReply(answer: ApiAnswer, reply: AnsweredReply): Promise<void> {
  if (reply.kind === 'message')
    return answer.streaming ? streamMessage(answer, reply) : sendWhole(answer, reply)
  if (!answer.streaming) return void answer.response.destroy()
  const frames = answer.wire.frames(answer.head)
  startStream(answer, frames)
  const pieces = reply.after ?? []
  write(answer, frames.begin({ type: 'text', pieces }))
  await sendPieces(answer, frames, pieces)
  if (reply.kind === 'drop') {
    await flush(answer.response)
    return void answer.response.destroy()
  }
  write(answer, frames.fail({ type: reply.type, message: reply.message }))
  answer.response.end()
}

export function sendError(
  response: ServerResponse,
  wire: Wire,
  error: WireError & { readonly headers: Readonly<Record<string, string>> },
): void {
  const { status, headers } = error
  sendJson(response, { status, body: wire.errorBody(error), headers })
}

export function sendJson(
  response: ServerResponse,
  { status, body, headers }: { status: number; body: unknown; headers?: Record<string, string> },
): void {
  const all = { 'content-type': 'application/json', 'request-id': newId('req'), ...headers }
  response.writeHead(status, all)
  response.end(JSON.stringify(body))
}

export function outputTokensOf(reply: ScriptedReply): number {
  if (reply.kind === 'message') return tokensOf(reply.blocks.reduce((n, b) => n + lengthOf(b), 0))
  if (reply.kind === 'drop' || reply.kind === 'stream-error')
    return tokensOf(textOfPieces(reply.after ?? []).length)
  return 0
}

/** One JSON value, once all of its pieces are there. */
async function sendWhole(answer: ApiAnswer, reply: MessageReply): Promise<void> {
  for (const block of reply.blocks)
    if (block.type === 'text') for (const piece of block.pieces) await pause(piece, answer.signal)
  if (answer.signal.aborted) return
  sendJson(answer.response, { status: 200, body: answer.wire.whole(answer.head, reply) })
}

async function streamMessage(answer: ApiAnswer, reply: MessageReply): Promise<void> {
  const frames = answer.wire.frames(answer.head)
  startStream(answer, frames)
  for (const block of reply.blocks) {
    write(answer, frames.begin(block))
    if (block.type === 'text') await sendPieces(answer, frames, block.pieces)
    write(answer, frames.finish(block))
  }
  if (answer.signal.aborted) return
  write(answer, frames.close(reply))
  answer.response.end()
}

function startStream(answer: ApiAnswer, frames: AnswerFrames): void {
  answer.response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': newId('req'),
  })
  // Some wires say nothing before the first text; the client waits for the head of the answer all the same.
  answer.response.flushHeaders()
  write(answer, frames.open())
}

async function sendPieces(
  answer: ApiAnswer,
  frames: AnswerFrames,
  pieces: readonly Piece[],
): Promise<void> {
  for (const piece of pieces) {
    if (typeof piece === 'string') write(answer, frames.text(piece))
    else await pause(piece, answer.signal)
  }
}

function write({ response, signal }: ApiAnswer, frames: readonly string[]): void {
  if (signal.aborted) return
  for (const frame of frames) response.write(frame)
}

async function pause(piece: Piece, signal: AbortSignal): Promise<void> {
  if (typeof piece === 'string') return
  if ('wait' in piece) return piece.wait(signal)
  // An abort ends the pause early; the caller checks the signal.
  await sleep(piece.delayMs, undefined, { signal }).catch(() => undefined)
}

/** A destroyed socket drops unsent bytes. The callback of a comment shows that all bytes were sent. */
function flush(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.write(': end\n\n', () => resolve())
  return promise
}

function lengthOf(block: ReplyBlock): number {
  if (block.type === 'text') return textOfPieces(block.pieces).length
  return block.type === 'thinking' ? block.text.length : JSON.stringify(block.input).length + 40
}
