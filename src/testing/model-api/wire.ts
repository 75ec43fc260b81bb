// What one API of models must say about itself, so that the same script can be answered in its words.
import { randomBytes } from 'node:crypto'
import type { Piece, ReplyBlock, ScriptedReply } from './replies.ts'
import type { BilledUsage, RequestBlock, RequestMessage, WireName } from './request.ts'

export type MessageReply = Extract<ScriptedReply, { kind: 'message' }>
export type ErrorReply = Extract<ScriptedReply, { kind: 'error' }>

/** What a body says, in the same words for every wire. */
export type WireReading = {
  readonly model: string
  readonly streaming: boolean
  readonly system: string
  readonly tools: readonly string[]
  readonly messages: readonly RequestMessage[]
}

/** A part of the prompt in the order in which the API caches it. */
export type PromptSection = { readonly section: string; readonly block: RequestBlock }

/** What every part of an answer needs to know. */
export type AnswerHead = {
  readonly model: string
  readonly body: Readonly<Record<string, unknown>>
  readonly usage: BilledUsage
}

export type WireError = Pick<ErrorReply, 'status' | 'type' | 'message'>

/** Makes the frames of one streamed answer: pure, one per answer. */
export type AnswerFrames = {
  open(): readonly string[]
  begin(block: ReplyBlock): readonly string[]
  text(delta: string): readonly string[]
  finish(block: ReplyBlock): readonly string[]
  close(reply: MessageReply): readonly string[]
  fail(error: Omit<WireError, 'status'>): readonly string[]
}

export type Wire = {
  readonly name: WireName
  /** Does a POST to this path ask for a message of this wire? */
  takes(path: string): boolean
  read(body: Readonly<Record<string, unknown>>, path: string): WireReading
  promptSections(body: Readonly<Record<string, unknown>>): readonly PromptSection[]
  /** The prompt cache: written where the request says so, or by the API itself. */
  readonly caching: 'asked-for' | 'automatic'
  errorBody(error: WireError): unknown
  /** The whole answer as one JSON value. */
  whole(head: AnswerHead, reply: MessageReply): unknown
  frames(head: AnswerHead): AnswerFrames
}

export function textOfPieces(pieces: readonly Piece[]): string {
  return pieces.filter(piece => typeof piece === 'string').join('')
}

export function textsOfReply(reply: MessageReply): string {
  return reply.blocks
    .map(block => (block.type === 'text' ? textOfPieces(block.pieces) : ''))
    .join('')
}

export function callsOfReply(
  reply: MessageReply,
): readonly Extract<ReplyBlock, { type: 'tool' }>[] {
  return reply.blocks.filter(block => block.type === 'tool')
}

/** The reason in the words of the Messages API, which scripts use. */
export function stopReasonOf(reply: MessageReply): string {
  if (reply.stopReason !== undefined) return reply.stopReason
  return callsOfReply(reply).length > 0 ? 'tool_use' : 'end_turn'
}

export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** A server-sent event that is named by its type. */
export function eventFrame(data: {
  readonly type: string
  readonly [field: string]: unknown
}): string {
  return `event: ${data.type}\n${dataFrame(data)}`
}

export function newId(prefix: string): string {
  return `${prefix}_01${randomBytes(9).toString('hex')}`
}
