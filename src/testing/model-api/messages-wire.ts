// The Messages API of Anthropic: its bodies, its events, its usage.
import type { ReplyBlock } from './replies.ts'
import {
  type RequestBlock,
  type RequestPart,
  requestBlocks,
  requestMessage,
  toolCallPart,
  toolResultPart,
} from './request.ts'
import {
  type AnswerFrames,
  type AnswerHead,
  eventFrame,
  newId,
  type PromptSection,
  stopReasonOf,
  textOfPieces,
  type Wire,
} from './wire.ts'

export const messagesWire: Wire = {
  name: 'messages',
  caching: 'asked-for',
  takes: path => path === '/v1/messages',
  read: body => ({
    model: String(body.model ?? ''),
    streaming: body.stream === true,
    system: blocksText(requestBlocks(body.system)),
    tools: requestBlocks(body.tools).map(tool => String(tool.name ?? tool.type)),
    messages: messagesOf(body).map(({ role, content }) =>
      requestMessage(role, content.map(partOf)),
    ),
  }),
  promptSections,
  errorBody: ({ type, message }) => ({
    type: 'error',
    error: { type, message },
    request_id: newId('req'),
  }),
  whole: (head, reply) => ({
    ...messageHead(head),
    content: reply.blocks.map(wholeBlock),
    stop_reason: stopReasonOf(reply),
    usage: wireUsage(head),
  }),
  frames: messageFrames,
}

function messageFrames(head: AnswerHead): AnswerFrames {
  let index = 0
  const delta = (part: object) => eventFrame({ type: 'content_block_delta', index, delta: part })
  return {
    open() {
      const usage = { ...wireUsage(head), output_tokens: 1 }
      const message = { ...messageHead(head), content: [], stop_reason: null, usage }
      return [eventFrame({ type: 'message_start', message })]
    },
    begin(block) {
      const content_block = emptyBlock(block)
      const start = eventFrame({ type: 'content_block_start', index, content_block })
      if (block.type === 'text') return [start]
      if (block.type === 'thinking')
        return [
          start,
          delta({ type: 'thinking_delta', thinking: block.text }),
          delta({ type: 'signature_delta', signature: 'c2lnbmVk' }),
        ]
      const json = JSON.stringify(block.input)
      return [start, delta({ type: 'input_json_delta', partial_json: json })]
    },
    text: text => [delta({ type: 'text_delta', text })],
    finish: () => [eventFrame({ type: 'content_block_stop', index: index++ })],
    close: reply => [
      eventFrame({
        type: 'message_delta',
        delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
        usage: wireUsage(head),
      }),
      eventFrame({ type: 'message_stop' }),
    ],
    fail: error => [eventFrame({ type: 'error', error })],
  }
}

function emptyBlock(block: ReplyBlock): RequestBlock {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...wholeBlock(block), input: {} }
}

function wholeBlock(block: ReplyBlock): RequestBlock {
  if (block.type === 'text') return { type: 'text', text: textOfPieces(block.pieces) }
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: block.text, signature: 'c2lnbmVk' }
  return {
    type: 'tool_use',
    id: block.id ?? newId('toolu'),
    name: block.name,
    input: block.input,
  }
}

function messageHead({ model }: AnswerHead): RequestBlock {
  return { id: newId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null }
}

function wireUsage({ usage }: AnswerHead): RequestBlock {
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

/** In the order the real API caches them: tools, system, messages. */
function promptSections(body: RequestBlock): readonly PromptSection[] {
  const system = requestBlocks(body.system).filter(block => !isBillingNote(block))
  return [
    ...requestBlocks(body.tools).map(block => ({ section: 'tools', block })),
    ...system.map(block => ({ section: 'system', block })),
    ...messagesOf(body).flatMap(({ role, content }) =>
      content.map(block => ({ section: role, block })),
    ),
  ]
}

/** Claude Code puts a note about itself before its system prompt. The note differs per session and does not count as prompt. */
function isBillingNote(block: RequestBlock): boolean {
  return String(block.text ?? '').startsWith('x-anthropic-billing-header:')
}

export function messagesOf(
  body: RequestBlock,
): readonly { readonly role: string; readonly content: readonly RequestBlock[] }[] {
  return requestBlocks(body.messages).map(message => ({
    role: String(message.role),
    content: requestBlocks(message.content),
  }))
}

function partOf(block: RequestBlock): RequestPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: String(block.text ?? '') }
    case 'thinking':
      return { type: 'other', text: String(block.thinking ?? '') }
    case 'tool_use':
      return toolCallPart(block.id, block.name, block.input)
    case 'tool_result':
      return toolResultPart(block.tool_use_id, blocksText(requestBlocks(block.content)))
    default:
      return { type: 'other', text: JSON.stringify(block) }
  }
}

function blocksText(blocks: readonly RequestBlock[]): string {
  return blocks.map(block => partOf(block).text).join('\n')
}
