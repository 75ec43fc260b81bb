import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createHold,
  dropReply,
  errorReply,
  heldReply,
  messageReply,
  silentReply,
  textReply,
  toolReply,
} from './replies.ts'
import { requestTexts } from './request.ts'
import { type ModelApi, startModelApi } from './server.ts'

let api: ModelApi
beforeEach(async () => {
  api = await startModelApi()
})
afterEach(() => api.close())

type Body = Record<string, unknown>

function ask(text: string, extra: Body = {}, headers: Record<string, string> = {}) {
  const body = { model: 'claude-x', messages: [{ role: 'user', content: text }], ...extra }
  return fetch(`${api.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
}

async function events(response: Response): Promise<Body[]> {
  const lines = (await response.text()).split('\n').filter(line => line.startsWith('data: '))
  return lines.map(line => JSON.parse(line.slice(6)))
}

const textOf = async (response: Response) =>
  ((await response.json()) as { content: { text: string }[] }).content[0]?.text

describe('the fake model API', () => {
  test('echoes the last text when nothing is scripted', async () => {
    expect(await textOf(await ask('hello'))).toBe('MOCK-OK: hello')
  })

  test('takes scripted replies in order, then asks the responder', async () => {
    api.script([textReply('one'), request => textReply(`two ${request.model}`)])
    api.respond(() => textReply('rest'))
    const answers = [await ask('a'), await ask('b'), await ask('c'), await ask('d')]
    expect(await Promise.all(answers.map(textOf))).toEqual(['one', 'two claude-x', 'rest', 'rest'])
  })

  test('streams every block with its deltas and the usage', async () => {
    api.script([
      messageReply(
        { type: 'thinking', text: 'hm' },
        { type: 'text', pieces: ['a', 'b'] },
        { type: 'tool', name: 'Bash', input: { command: 'ls' }, id: 'toolu_1' },
      ),
    ])
    const all = await events(await ask('go', { stream: true }))
    expect(all.map(event => event.type)).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_delta'],
      'content_block_stop',
      ...['content_block_start', 'content_block_delta', 'content_block_delta'],
      'content_block_stop',
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ])
    expect(all.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
    expect(all.at(-2)).toMatchObject({ usage: { input_tokens: 1, cache_read_input_tokens: 0 } })
  })

  test('answers errors in the shape of the real API, with headers', async () => {
    api.script([errorReply(429, { headers: { 'retry-after': '2' } })])
    const response = await ask('a')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2'])
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
    })
    expect(api.billed.requests).toBe(0)
  })

  test('drops the connection before and within a stream', async () => {
    api.script([dropReply(), dropReply('par', 'tial')])
    await expect(ask('a', { stream: true })).rejects.toThrow()
    const response = await ask('b', { stream: true })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  test('holds a reply until the test releases it', async () => {
    const before = createHold()
    const within = createHold()
    api.script([heldReply(before, 'late'), textReply('first ', within, 'second')])
    const late = ask('a')
    await before.reached
    before.release()
    expect(await textOf(await late)).toBe('late')
    const pieces = ask('b')
    await within.reached
    within.release()
    expect(await textOf(await pieces)).toBe('first second')
  })

  test('closing ends requests that are never answered', async () => {
    api.script([silentReply()])
    const never = ask('a')
    await api.waitFor(request => request.messages[0]?.text === 'a')
    await api.close()
    await expect(never).rejects.toThrow()
    api = await startModelApi()
  })

  test('records what was asked, with the session and without reminders', async () => {
    const content = [
      { type: 'text', text: '<system-reminder>x</system-reminder>' },
      { type: 'text', text: 'real' },
    ]
    const body = { messages: [{ role: 'user', content }], system: 'S', tools: [{ name: 'Bash' }] }
    await ask('', body, { 'x-claude-code-session-id': 'abc' })
    const [request] = api.turns
    expect(request).toMatchObject({ sessionId: 'abc', system: 'S', tools: ['Bash'] })
    expect(request === undefined ? [] : requestTexts(request)).toEqual(['real'])
  })

  test('answers side requests beside the script', async () => {
    api.script([textReply('for the turn')])
    await ask('title?', {}, { 'x-claude-code-session-id': 'abc' })
    await ask('quota', { max_tokens: 1 })
    expect(await textOf(await ask('turn'))).toBe('for the turn')
    expect(api.requests.map(request => request.purpose)).toEqual(['side', 'quota', 'turn'])
  })

  test('bills tokens and dollars', async () => {
    const free = { cacheReadUsd: 0, cacheWriteUsd: 0, cacheWriteHourUsd: 0 }
    api = await startModelApi({
      prices: { claude: { ...free, inputUsd: 1, outputUsd: 10 } },
    })
    api.script([textReply('y'.repeat(400))])
    await ask('x'.repeat(4000))
    expect(api.billed).toMatchObject({ requests: 1, inputTokens: 1000, outputTokens: 100 })
    expect(api.billed.costUsd).toBeCloseTo(0.002, 9)
  })

  test('counts tokens, knows its root and refuses unknown routes and broken bodies', async () => {
    const counted = await fetch(`${api.url}/v1/messages/count_tokens`, {
      method: 'POST',
      body: 'x'.repeat(40),
    })
    expect(await counted.json()).toEqual({ input_tokens: 10 })
    expect((await fetch(api.url, { method: 'HEAD' })).status).toBe(200)
    const unknown = await fetch(`${api.url}/v1/nothing`)
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { type: 'error' }])
    const broken = await fetch(`${api.url}/v1/messages`, { method: 'POST', body: '{' })
    expect(broken.status).toBe(400)
  })

  test('a responder that throws becomes an error the agent can show', async () => {
    api.respond(() => {
      throw new Error('the test is wrong')
    })
    const response = await ask('a')
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('the test is wrong')
  })

  test('answers tool calls without a stream', async () => {
    api.script([toolReply('Read', { file_path: 'a' })])
    expect(await (await ask('a')).json()).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'Read' }],
    })
  })
})
