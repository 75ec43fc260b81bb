// The Chat Completions API of OpenAI, which most other providers speak too: its bodies, its chunks, its usage.
import { openAiError, openAiUsage } from './openai.ts'
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
  callsOfReply,
  dataFrame,
  type MessageReply,
  newId,
  stopReasonOf,
  textsOfReply,
  type Wire,
} from './wire.ts'

export const chatWire: Wire = {
  name: 'chat-completions',
  caching: 'automatic',
  takes: path => path === '/v1/chat/completions',
  read(body) {
    const all = requestBlocks(body.messages)
    const isSystem = ({ role }: RequestBlock) => role === 'system' || role === 'developer'
    return {
      model: String(body.model ?? ''),
      streaming: body.stream === true,
      system: all.filter(isSystem).map(contentText).join('\n'),
      tools: requestBlocks(body.tools).map(tool => nameOf(tool.function)),
      messages: all.filter(message => !isSystem(message)).map(readMessage),
    }
  },
  promptSections: body => [
    ...requestBlocks(body.tools).map(block => ({ section: 'tools', block })),
    ...requestBlocks(body.messages).map(block => ({ section: 'messages', block })),
  ],
  errorBody: openAiError,
  whole: (head, reply) => ({
    ...completionHead(head, newId('chatcmpl'), 'chat.completion'),
    choices: [{ index: 0, message: wholeMessage(reply), finish_reason: finishReason(reply) }],
    usage: chatUsage(head),
  }),
  frames: completionFrames,
}

function completionFrames(head: AnswerHead): AnswerFrames {
  const shared = completionHead(head, newId('chatcmpl'), 'chat.completion.chunk')
  let calls = 0
  const chunk = (delta: RequestBlock, finish_reason: string | null = null) =>
    dataFrame({ ...shared, choices: [{ index: 0, delta, finish_reason }] })
  return {
    open: () => [chunk({ role: 'assistant', content: '' })],
    begin(block) {
      if (block.type === 'text') return []
      if (block.type === 'thinking') return [chunk({ reasoning_content: block.text })]
      const index = calls++
      const call = { index, id: block.id ?? newId('call'), type: 'function' }
      const json = JSON.stringify(block.input)
      return [
        chunk({ tool_calls: [{ ...call, function: { name: block.name, arguments: '' } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: json } }] }),
      ]
    },
    text: content => [chunk({ content })],
    finish: () => [],
    close: reply => [
      chunk({}, finishReason(reply)),
      ...(wantsUsage(head) ? [dataFrame({ ...shared, choices: [], usage: chatUsage(head) })] : []),
      'data: [DONE]\n\n',
    ],
    fail: ({ type, message }) => [dataFrame(openAiError({ status: 500, type, message }))],
  }
}

function wholeMessage(reply: MessageReply): RequestBlock {
  const calls = callsOfReply(reply).map(({ id, name, input }) => ({
    id: id ?? newId('call'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const text = textsOfReply(reply)
  const thoughts = reply.blocks.map(block => (block.type === 'thinking' ? block.text : '')).join('')
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function wantsUsage({ body }: AnswerHead): boolean {
  const [options] = requestBlocks([body.stream_options])
  return options?.include_usage === true
}

function finishReason(reply: MessageReply): string {
  const reasons: Readonly<Record<string, string>> = {
    end_turn: 'stop',
    tool_use: 'tool_calls',
    max_tokens: 'length',
    refusal: 'content_filter',
  }
  return reasons[stopReasonOf(reply)] ?? stopReasonOf(reply)
}

function completionHead({ model }: AnswerHead, id: string, object: string): RequestBlock {
  return { id, object, created: 0, model }
}

function chatUsage({ usage }: AnswerHead): RequestBlock {
  const { input, output, cached, total } = openAiUsage(usage)
  return {
    prompt_tokens: input,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
  }
}

function readMessage(message: RequestBlock): RequestMessage {
  if (message.role === 'tool')
    return requestMessage('user', [toolResultPart(message.tool_call_id, contentText(message))])
  return requestMessage(String(message.role), [
    ...requestBlocks(message.content).map(partOf),
    ...requestBlocks(message.tool_calls).map(callPart),
  ])
}

function callPart(call: RequestBlock): RequestPart {
  const [fn] = requestBlocks([call.function])
  return toolCallPart(call.id, fn?.name, parsedArguments(fn?.arguments))
}

function partOf(block: RequestBlock): RequestPart {
  if (typeof block.text === 'string') return { type: 'text', text: block.text }
  return { type: 'other', text: JSON.stringify(block) }
}

function contentText(message: RequestBlock): string {
  return requestBlocks(message.content)
    .map(block => partOf(block).text)
    .join('\n')
}

function nameOf(value: unknown): string {
  const [fn] = requestBlocks([value])
  return String(fn?.name ?? '')
}
