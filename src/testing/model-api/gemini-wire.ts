// The Gemini API: its bodies, its chunks, its usage. The model and the way of answering are in the path.
import type { ReplyBlock } from './replies.ts'
import {
  type RequestBlock,
  type RequestMessage,
  type RequestPart,
  requestBlocks,
  requestMessage,
  toolCallPart,
  toolResultPart,
} from './request.ts'
import {
  type AnswerHead,
  dataFrame,
  type MessageReply,
  newId,
  stopReasonOf,
  textOfPieces,
  type Wire,
  type WireError,
} from './wire.ts'

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

export const geminiWire: Wire = {
  name: 'gemini',
  caching: 'automatic',
  takes: path => PATH.test(path),
  read(body, path) {
    const [, model = '', verb] = PATH.exec(path) ?? []
    return {
      model,
      streaming: verb === 'streamGenerateContent',
      system: partsOf(body.systemInstruction)
        .map(part => part.text)
        .join('\n'),
      tools: requestBlocks(body.tools)
        .flatMap(tool => requestBlocks(tool.functionDeclarations))
        .map(tool => String(tool.name)),
      messages: requestBlocks(body.contents).map(readContent),
    }
  },
  promptSections: body => [
    ...requestBlocks(body.tools).map(block => ({ section: 'tools', block })),
    ...requestBlocks([body.systemInstruction]).map(block => ({ section: 'system', block })),
    ...requestBlocks(body.contents).map(block => ({ section: 'contents', block })),
  ],
  errorBody: geminiError,
  whole: (head, reply) => ({
    ...chunkOf(head, reply.blocks.map(partOfBlock), finishReason(reply)),
    usageMetadata: geminiUsage(head),
  }),
  frames: head => ({
    // The first chunk already has a text.
    open: () => [],
    begin: block => (block.type === 'text' ? [] : [dataFrame(chunkOf(head, [partOfBlock(block)]))]),
    text: text => [dataFrame(chunkOf(head, [{ text }]))],
    finish: () => [],
    close: reply => [
      dataFrame({
        ...chunkOf(head, [{ text: '' }], finishReason(reply)),
        usageMetadata: geminiUsage(head),
      }),
    ],
    fail: error => [dataFrame(geminiError({ status: 500, ...error }))],
  }),
}

function chunkOf(
  { model }: AnswerHead,
  parts: readonly RequestBlock[],
  finishReason?: string,
): RequestBlock {
  const ended = finishReason === undefined ? {} : { finishReason }
  const candidate = { content: { role: 'model', parts }, ...ended, index: 0 }
  return { candidates: [candidate], modelVersion: model, responseId: newId('response') }
}

function partOfBlock(block: ReplyBlock): RequestBlock {
  if (block.type === 'text') return { text: textOfPieces(block.pieces) }
  if (block.type === 'thinking') return { text: block.text, thought: true }
  const id = block.id === undefined ? {} : { id: block.id }
  return { functionCall: { ...id, name: block.name, args: block.input } }
}

/** A call of a tool ends with `STOP` as well. */
function finishReason(reply: MessageReply): string {
  const reasons: Readonly<Record<string, string>> = {
    end_turn: 'STOP',
    tool_use: 'STOP',
    max_tokens: 'MAX_TOKENS',
    refusal: 'SAFETY',
  }
  return reasons[stopReasonOf(reply)] ?? stopReasonOf(reply)
}

function geminiUsage({ usage }: AnswerHead): RequestBlock {
  const promptTokenCount = usage.inputTokens + usage.cacheReadTokens
  const cached =
    usage.cacheReadTokens === 0 ? {} : { cachedContentTokenCount: usage.cacheReadTokens }
  return {
    promptTokenCount,
    ...cached,
    candidatesTokenCount: usage.outputTokens,
    totalTokenCount: promptTokenCount + usage.outputTokens,
  }
}

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

function geminiError({ status, message }: WireError): unknown {
  return { error: { code: status, message, status: STATUS[status] ?? 'UNKNOWN' } }
}

function readContent(content: RequestBlock): RequestMessage {
  const role = content.role === 'model' ? 'assistant' : String(content.role ?? 'user')
  return requestMessage(role === 'function' ? 'user' : role, partsOf(content))
}

function partsOf(content: unknown): readonly RequestPart[] {
  const [value] = requestBlocks([content])
  return requestBlocks(value?.parts).map(partOf)
}

function partOf(block: RequestBlock): RequestPart {
  const [call] = requestBlocks([block.functionCall])
  if (call) return toolCallPart(call.id, call.name, call.args)
  const [result] = requestBlocks([block.functionResponse])
  if (result) return toolResultPart(result.id ?? result.name, JSON.stringify(result.response))
  if (typeof block.text === 'string' && block.thought !== true)
    return { type: 'text', text: block.text }
  return { type: 'other', text: JSON.stringify(block) }
}
