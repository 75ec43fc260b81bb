// The Responses API of OpenAI: its bodies, its events, its usage.
import { openAiError, openAiUsage } from './openai.ts'
import type { ReplyBlock } from './replies.ts'
import {
  parsedArguments,
  type RequestBlock,
  type RequestMessage,
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
  type MessageReply,
  newId,
  stopReasonOf,
  textOfPieces,
  type Wire,
} from './wire.ts'

export const responsesWire: Wire = {
  name: 'responses',
  caching: 'automatic',
  takes: path => path === '/v1/responses',
  read(body) {
    const items = inputItems(body)
    const isSystem = ({ role }: RequestBlock) => role === 'system' || role === 'developer'
    const system = [body.instructions ?? '', ...items.filter(isSystem).map(contentText)]
    return {
      model: String(body.model ?? ''),
      streaming: body.stream === true,
      system: system.filter(text => text !== '').join('\n'),
      tools: requestBlocks(body.tools).map(tool => String(tool.name ?? tool.type)),
      messages: items.filter(item => !isSystem(item)).map(messageOfItem),
    }
  },
  promptSections: body => [
    ...requestBlocks(body.tools).map(block => ({ section: 'tools', block })),
    ...requestBlocks(body.instructions).map(block => ({ section: 'system', block })),
    ...inputItems(body).map(block => ({ section: 'input', block })),
  ],
  errorBody: openAiError,
  whole: (head, reply) => ({
    ...responseHead(head, newId('resp')),
    ...endOf(reply),
    output: reply.blocks.map(block => outputItem(head, block)),
    usage: responsesUsage(head),
  }),
  frames: responseFrames,
}

function responseFrames(head: AnswerHead): AnswerFrames {
  const id = newId('resp')
  const output: RequestBlock[] = []
  let itemId = ''
  let sequence_number = 0
  const event = (type: string, fields: RequestBlock) =>
    eventFrame({ type, sequence_number: sequence_number++, ...fields })
  const place = () => ({ item_id: itemId, output_index: output.length, content_index: 0 })
  const response = { ...responseHead(head, id), status: 'in_progress', output: [], usage: null }
  return {
    open: () => [
      event('response.created', { response }),
      event('response.in_progress', { response }),
    ],
    begin(block) {
      const item = outputItem(head, block)
      itemId = String(item.id)
      const added = event('response.output_item.added', {
        output_index: output.length,
        item: { ...item, ...emptied(block), status: 'in_progress' },
      })
      if (block.type !== 'text') return [added]
      return [added, event('response.content_part.added', { ...place(), part: textPart('') })]
    },
    text: delta => [event('response.output_text.delta', { ...place(), delta, logprobs: [] })],
    finish(block) {
      const item = { ...outputItem(head, block), id: itemId }
      const frames = [
        ...detailEvents(block).map(([type, fields]) => event(type, { ...place(), ...fields })),
        event('response.output_item.done', { output_index: output.length, item }),
      ]
      output.push(item)
      return frames
    },
    close(reply) {
      const ended = { ...response, ...endOf(reply), output, usage: responsesUsage(head) }
      return [event(`response.${ended.status}`, { response: ended })]
    },
    fail({ type, message }) {
      const failed = { ...response, status: 'failed', error: { code: type, message } }
      return [event('response.failed', { response: failed })]
    },
  }
}

/** What stands between the beginning and the end of an item. */
function detailEvents(block: ReplyBlock): readonly (readonly [string, RequestBlock])[] {
  if (block.type === 'text') {
    const text = textOfPieces(block.pieces)
    return [
      ['response.output_text.done', { text, logprobs: [] }],
      ['response.content_part.done', { part: textPart(text) }],
    ]
  }
  if (block.type === 'thinking')
    return [
      [
        'response.reasoning_summary_part.added',
        { summary_index: 0, part: { type: 'summary_text', text: '' } },
      ],
      ['response.reasoning_summary_text.delta', { summary_index: 0, delta: block.text }],
      ['response.reasoning_summary_text.done', { summary_index: 0, text: block.text }],
    ]
  const json = JSON.stringify(block.input)
  return [
    ['response.function_call_arguments.delta', { delta: json }],
    ['response.function_call_arguments.done', { arguments: json, name: block.name }],
  ]
}

function outputItem(head: AnswerHead, block: ReplyBlock): RequestBlock {
  const status = 'completed'
  if (block.type === 'text') {
    const content = [textPart(textOfPieces(block.pieces))]
    return { type: 'message', id: newId('msg'), status, role: 'assistant', content }
  }
  if (block.type === 'thinking') {
    const summary = [{ type: 'summary_text', text: block.text }]
    return { type: 'reasoning', id: newId('rs'), status, summary }
  }
  const call = { id: newId('fc'), status, call_id: block.id ?? newId('call'), name: block.name }
  // A tool of free text takes its whole input as one string.
  if (isFreeText(head, block.name))
    return { type: 'custom_tool_call', ...call, input: String(block.input.input ?? '') }
  return { type: 'function_call', ...call, arguments: JSON.stringify(block.input) }
}

function isFreeText({ body }: AnswerHead, name: string): boolean {
  return requestBlocks(body.tools).some(tool => tool.name === name && tool.type === 'custom')
}

function emptied(block: ReplyBlock): RequestBlock {
  if (block.type === 'text') return { content: [] }
  return block.type === 'thinking' ? { summary: [] } : { arguments: '' }
}

function textPart(text: string): RequestBlock {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function responseHead({ model }: AnswerHead, id: string): RequestBlock {
  return { id, object: 'response', created_at: 0, model, error: null, incomplete_details: null }
}

function endOf(reply: MessageReply): { readonly status: string; incomplete_details: unknown } {
  const reason = stopReasonOf(reply)
  if (reason === 'max_tokens')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  if (reason === 'refusal')
    return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  return { status: 'completed', incomplete_details: null }
}

function responsesUsage({ usage }: AnswerHead): RequestBlock {
  const { input, output, cached, total } = openAiUsage(usage)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
  }
}

function inputItems(body: RequestBlock): readonly RequestBlock[] {
  if (typeof body.input === 'string') return [{ role: 'user', content: body.input }]
  return requestBlocks(body.input)
}

function messageOfItem(item: RequestBlock): RequestMessage {
  const type = String(item.type ?? 'message')
  if (type === 'message')
    return requestMessage(String(item.role), requestBlocks(item.content).map(partOf))
  if (type.endsWith('_call_output')) {
    const text = requestBlocks(item.output).map(blockText).join('\n')
    return requestMessage('user', [toolResultPart(item.call_id, text)])
  }
  if (type === 'function_call') return assistantCall(item, parsedArguments(item.arguments))
  if (type === 'custom_tool_call') return assistantCall(item, { input: item.input })
  return requestMessage('assistant', [{ type: 'other', text: JSON.stringify(item) }])
}

function assistantCall(item: RequestBlock, input: unknown): RequestMessage {
  return requestMessage('assistant', [toolCallPart(item.call_id, item.name, input)])
}

function partOf(block: RequestBlock): RequestPart {
  const isText = typeof block.text === 'string'
  return { type: isText ? 'text' : 'other', text: blockText(block) }
}

function contentText(item: RequestBlock): string {
  return requestBlocks(item.content).map(blockText).join('\n')
}

function blockText(block: RequestBlock): string {
  return typeof block.text === 'string' ? block.text : JSON.stringify(block)
}
