// Clients of the four APIs of models, as small as they can be, for the tests of the fake one.
import type { WireName } from '../../src/testing/index.ts'

export type Answered = {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly {
    readonly id: unknown
    readonly name: unknown
    readonly input: unknown
  }[]
  readonly stop: unknown
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number }
}

type Asked = {
  readonly stream: boolean
  readonly system: string
  /** The first is the user's, and then they take turns. */
  readonly turns: readonly string[]
}
type Sent = { readonly path: string; readonly body: unknown }

export type Speaker = {
  readonly name: WireName
  /** Does the API keep prompts in its cache without being asked to? */
  readonly caches: boolean
  request(asked: Asked): Sent
  /** A conversation in which a tool was called. */
  readonly withTool: Sent
  decode(text: string, streaming: boolean): Answered
  readonly stops: { readonly end: string; readonly tools: string; readonly limit: string }
  readonly errors: Readonly<Record<number, object>>
}

const TOOL_RESULT = 'a.txt'

const roleOf = (index: number) => (index % 2 === 0 ? 'user' : 'assistant')

const messages: Speaker = {
  name: 'messages',
  caches: false,
  request: ({ stream, system, turns }) => ({
    path: '/v1/messages',
    body: {
      model: 'mock-model',
      stream,
      system,
      messages: turns.map((content, index) => ({ role: roleOf(index), content })),
    },
  }),
  withTool: {
    path: '/v1/messages',
    body: {
      model: 'mock-model',
      system: 'Be brief.',
      tools: [{ name: 'shell' }],
      messages: [
        { role: 'user', content: 'What is here?' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c1', name: 'shell', input: { command: 'ls' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: TOOL_RESULT }],
        },
        { role: 'assistant', content: 'One file.' },
        { role: 'user', content: 'Thanks.' },
      ],
    },
  },
  decode(text, streaming) {
    const events = streaming ? dataOf(text) : []
    const whole = streaming ? merged(events) : JSON.parse(text)
    const blocks = list(whole, 'content')
    const usage = at(whole, 'usage')
    return {
      text: joined(blocks, 'text'),
      thoughts: joined(blocks, 'thinking'),
      calls: blocks
        .filter(block => at(block, 'type') === 'tool_use')
        .map(block => ({
          id: at(block, 'id'),
          name: at(block, 'name'),
          input: at(block, 'input'),
        })),
      stop: at(whole, 'stop_reason'),
      usage: {
        input: number(usage, 'input_tokens'),
        cached: number(usage, 'cache_read_input_tokens'),
        output: number(usage, 'output_tokens'),
      },
    }
  },
  stops: { end: 'end_turn', tools: 'tool_use', limit: 'max_tokens' },
  errors: {
    401: { type: 'error', error: { type: 'authentication_error' } },
    429: { type: 'error', error: { type: 'rate_limit_error' } },
    500: { type: 'error', error: { type: 'api_error' } },
  },
}

/** Puts the events of the Messages API together into a message. */
function merged(events: readonly unknown[]): unknown {
  const blocks: Record<string, unknown>[] = []
  for (const event of events) {
    const index = number(event, 'index')
    if (at(event, 'type') === 'content_block_start')
      blocks[index] = { ...(at(event, 'content_block') as object) }
    const [block, delta] = [blocks[index], at(event, 'delta')]
    if (at(event, 'type') !== 'content_block_delta' || !block) continue
    for (const field of ['text', 'thinking'])
      if (field in block) block[field] = `${block[field]}${at(delta, field) ?? ''}`
    if (block.type === 'tool_use') block.input = JSON.parse(String(at(delta, 'partial_json')))
  }
  const end = events.find(event => at(event, 'type') === 'message_delta')
  return { content: blocks, stop_reason: at(end, 'delta', 'stop_reason'), usage: at(end, 'usage') }
}

const OPENAI_ERRORS = {
  401: { error: { type: 'invalid_request_error', code: 'invalid_api_key' } },
  429: { error: { code: 'rate_limit_exceeded' } },
  500: { error: { type: 'server_error' } },
}

const responses: Speaker = {
  name: 'responses',
  caches: true,
  request: ({ stream, system, turns }) => ({
    path: '/v1/responses',
    body: {
      model: 'mock-model',
      stream,
      instructions: system,
      input: turns.map((content, index) => ({ role: roleOf(index), content })),
    },
  }),
  withTool: {
    path: '/v1/responses',
    body: {
      model: 'mock-model',
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'shell' }],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'What is here?' }] },
        { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":"ls"}' },
        { type: 'function_call_output', call_id: 'c1', output: TOOL_RESULT },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'One file.' }],
        },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
      ],
    },
  },
  decode(text, streaming) {
    const events = streaming ? dataOf(text) : []
    const whole = streaming ? at(events.at(-1), 'response') : JSON.parse(text)
    const items = list(whole, 'output')
    const typed = (type: string) => items.filter(item => at(item, 'type') === type)
    const content = typed('message').flatMap(item => list(item, 'content'))
    const said = joined(content, 'text')
    const deltas = events.filter(event => at(event, 'type') === 'response.output_text.delta')
    if (streaming && joined(deltas, 'delta') !== said)
      throw new Error('The deltas are another text')
    const usage = at(whole, 'usage')
    return {
      text: said,
      thoughts: joined(
        typed('reasoning').flatMap(item => list(item, 'summary')),
        'text',
      ),
      calls: typed('function_call').map(item => ({
        id: at(item, 'call_id'),
        name: at(item, 'name'),
        input: JSON.parse(String(at(item, 'arguments'))),
      })),
      stop: at(whole, 'incomplete_details', 'reason') ?? at(whole, 'status'),
      usage: openAiUsage(usage, 'input_tokens', 'output_tokens'),
    }
  },
  stops: { end: 'completed', tools: 'completed', limit: 'max_output_tokens' },
  errors: OPENAI_ERRORS,
}

const chat: Speaker = {
  name: 'chat-completions',
  caches: true,
  request: ({ stream, system, turns }) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'mock-model',
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [
        { role: 'system', content: system },
        ...turns.map((content, index) => ({ role: roleOf(index), content })),
      ],
    },
  }),
  withTool: {
    path: '/v1/chat/completions',
    body: {
      model: 'mock-model',
      tools: [{ type: 'function', function: { name: 'shell' } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What is here?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'shell', arguments: '{"command":"ls"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: TOOL_RESULT },
        { role: 'assistant', content: 'One file.' },
        { role: 'user', content: 'Thanks.' },
      ],
    },
  },
  decode(text, streaming) {
    const chunks = streaming ? dataOf(text) : [JSON.parse(text)]
    const parts = chunks.map(chunk => at(chunk, 'choices', 0, streaming ? 'delta' : 'message'))
    const calls = parts.flatMap(part => list(part, 'tool_calls'))
    const heads = calls.filter(call => at(call, 'id') !== undefined)
    const argumentsOf = (index: number) =>
      joined(
        calls
          .filter(call => !streaming || at(call, 'index') === index)
          .map(call => at(call, 'function')),
        'arguments',
      )
    return {
      text: joined(parts, 'content'),
      thoughts: joined(parts, 'reasoning_content'),
      calls: heads.map((call, index) => ({
        id: at(call, 'id'),
        name: at(call, 'function', 'name'),
        input: JSON.parse(
          streaming ? argumentsOf(index) : String(at(call, 'function', 'arguments')),
        ),
      })),
      stop: chunks.map(chunk => at(chunk, 'choices', 0, 'finish_reason')).findLast(Boolean),
      usage: openAiUsage(at(chunks.at(-1), 'usage'), 'prompt_tokens', 'completion_tokens'),
    }
  },
  stops: { end: 'stop', tools: 'tool_calls', limit: 'length' },
  errors: OPENAI_ERRORS,
}

const gemini: Speaker = {
  name: 'gemini',
  caches: true,
  request: ({ stream, system, turns }) => ({
    path: `/v1beta/models/mock-model:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      systemInstruction: { parts: [{ text: system }] },
      contents: turns.map((text, index) => ({
        role: index % 2 === 0 ? 'user' : 'model',
        parts: [{ text }],
      })),
    },
  }),
  withTool: {
    path: '/v1beta/models/mock-model:generateContent',
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'shell' }] }],
      contents: [
        { role: 'user', parts: [{ text: 'What is here?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'shell', args: { command: 'ls' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'shell', response: { output: TOOL_RESULT } } }],
        },
        { role: 'model', parts: [{ text: 'One file.' }] },
        { role: 'user', parts: [{ text: 'Thanks.' }] },
      ],
    },
  },
  decode(text, streaming) {
    const chunks = streaming ? dataOf(text) : [JSON.parse(text)]
    const parts = chunks.flatMap(chunk => list(at(chunk, 'candidates', 0, 'content'), 'parts'))
    const thoughts = parts.filter(part => at(part, 'thought') === true)
    const calls = parts.filter(part => at(part, 'functionCall') !== undefined)
    const usage = at(chunks.at(-1), 'usageMetadata')
    const cached = number(usage, 'cachedContentTokenCount')
    return {
      text: joined(
        parts.filter(part => !thoughts.includes(part)),
        'text',
      ),
      thoughts: joined(thoughts, 'text'),
      calls: calls.map(part => ({
        id: at(part, 'functionCall', 'id'),
        name: at(part, 'functionCall', 'name'),
        input: at(part, 'functionCall', 'args'),
      })),
      stop: at(chunks.at(-1), 'candidates', 0, 'finishReason'),
      usage: {
        input: number(usage, 'promptTokenCount') - cached,
        cached,
        output: number(usage, 'candidatesTokenCount'),
      },
    }
  },
  stops: { end: 'STOP', tools: 'STOP', limit: 'MAX_TOKENS' },
  errors: {
    401: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    429: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    500: { error: { code: 500, status: 'INTERNAL' } },
  },
}

export const SPEAKERS: readonly Speaker[] = [messages, responses, chat, gemini]

function openAiUsage(usage: unknown, input: string, output: string) {
  const cached = number(at(usage, `${input}_details`), 'cached_tokens')
  return { input: number(usage, input) - cached, cached, output: number(usage, output) }
}

/** The data of each server-sent event, without the word that ends some streams. */
function dataOf(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map(line => JSON.parse(line.slice('data: '.length)))
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key],
    value,
  )
}

function list(value: unknown, key: string): readonly unknown[] {
  const found = at(value, key)
  return Array.isArray(found) ? found : []
}

function joined(values: readonly unknown[], key: string): string {
  return values.map(value => at(value, key) ?? '').join('')
}

function number(value: unknown, key: string): number {
  return Number(at(value, key) ?? 0)
}
