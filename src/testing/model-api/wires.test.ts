// Every wire answers the same script, and what it got is recorded in the same words.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answered, SPEAKERS, type Speaker } from '../../../test/fakes/wire-speakers.ts'
import {
  createHold,
  dropReply,
  errorReply,
  messageReply,
  type ScriptedReply,
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

const LONG = 'A long instruction that every request begins with. '.repeat(120)

describe.each(SPEAKERS)('the fake API of $name', (speaker: Speaker) => {
  const post = (body: { stream: boolean; system?: string; turns?: readonly string[] }) => {
    const { path, ...sent } = speaker.request({ system: 'S', turns: ['hello'], ...body })
    return fetch(api.url + path, { method: 'POST', body: JSON.stringify(sent.body) })
  }
  const ask = async (reply: ScriptedReply | null, stream: boolean): Promise<Answered> => {
    if (reply) api.script([reply])
    return speaker.decode(await (await post({ stream })).text(), stream)
  }

  test.each([true, false])('answers a text (streaming: %s)', async stream => {
    expect(await ask(null, stream)).toMatchObject({
      text: 'MOCK-OK: hello',
      stop: speaker.stops.end,
    })
    expect((await ask(textReply('one ', 'two'), stream)).text).toBe('one two')
  })

  test.each([true, false])('calls tools (streaming: %s)', async stream => {
    const two = messageReply(
      { type: 'text', pieces: ['I look.'] },
      { type: 'tool', name: 'shell', input: { command: 'ls' } },
      { type: 'tool', name: 'read', input: { path: 'a "b"' } },
    )
    expect(await ask(two, stream)).toMatchObject({
      text: 'I look.',
      stop: speaker.stops.tools,
      calls: [
        { name: 'shell', input: { command: 'ls' } },
        { name: 'read', input: { path: 'a "b"' } },
      ],
    })
  })

  test.each([true, false])('thinks beside the text (streaming: %s)', async stream => {
    const reply = messageReply({ type: 'thinking', text: 'hm' }, { type: 'text', pieces: ['so'] })
    expect(await ask(reply, stream)).toMatchObject({ text: 'so', thoughts: 'hm' })
  })

  test('a reply that reached its limit says so', async () => {
    const cut = { ...textReply('cu'), stopReason: 'max_tokens' } as ScriptedReply
    expect((await ask(cut, true)).stop).toBe(speaker.stops.limit)
    expect((await ask(cut, false)).stop).toBe(speaker.stops.limit)
  })

  test.each([401, 429, 500])('answers the error %s with the words of the API', async status => {
    api.script([errorReply(status, { headers: { 'retry-after': '2' } })])
    const response = await post({ stream: true })
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, '2'])
    expect(await response.json()).toMatchObject(speaker.errors[status] ?? {})
    expect(api.billed.requests).toBe(0)
  })

  test('usage counts what was sent once, and what the cache gave', async () => {
    await post({ stream: false, system: LONG })
    const second = await post({ stream: true, system: LONG, turns: ['hello', 'you', 'again'] })
    const { usage } = speaker.decode(await second.text(), true)
    const [first, last] = api.requests
    expect(first?.usage?.cacheReadTokens).toBe(0)
    expect(last?.usage?.cacheReadTokens).toBeGreaterThan(speaker.caches ? 1000 : -1)
    expect(usage).toEqual({
      input: last?.usage?.inputTokens,
      cached: last?.usage?.cacheReadTokens,
      output: last?.usage?.outputTokens,
    })
  })

  test('a slow answer waits in its middle until the test lets it go on', async () => {
    const gate = createHold()
    api.script([textReply('begun ', gate, 'ended')])
    const response = await post({ stream: true })
    const reader = response.body?.getReader()
    let received = ''
    while (!received.includes('begun')) {
      const { value } = (await reader?.read()) ?? {}
      received += new TextDecoder().decode(value)
    }
    await gate.reached
    expect(received).not.toContain('ended')
    gate.release()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      received += new TextDecoder().decode(part.value)
    expect(speaker.decode(received, true).text).toBe('begun ended')
  })

  test('breaks off before and within a stream, fails within one, and stays silent', async () => {
    api.script([dropReply(), dropReply('par', 'tial')])
    await expect(post({ stream: true })).rejects.toThrow()
    await expect((await post({ stream: true })).text()).rejects.toThrow()
    api.script([
      { kind: 'stream-error', after: ['par'], type: 'overloaded_error', message: 'too much' },
      silentReply(),
    ])
    const failed = await (await post({ stream: true })).text()
    expect(failed).toContain('par')
    expect(failed).toContain('too much')
    const never = post({ stream: true })
    await api.waitFor(request => request.index === 3)
    await api.close()
    await expect(never).rejects.toThrow()
    api = await startModelApi()
  })

  test('records roles, texts, calls and results in the same words', async () => {
    const { path, body } = speaker.withTool
    await fetch(api.url + path, { method: 'POST', body: JSON.stringify(body) })
    const [request] = api.requests
    expect(request).toMatchObject({
      wire: speaker.name,
      purpose: 'turn',
      model: 'mock-model',
      system: 'Be brief.',
      tools: ['shell'],
    })
    const call = { type: 'tool-call', name: 'shell', input: { command: 'ls' } }
    expect(request?.messages).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'What is here?' }] },
      { role: 'assistant', parts: [call] },
      { role: 'user', parts: [{ type: 'tool-result' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'One file.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
    ])
    const [asked, called, result, ...rest] = request ? requestTexts(request) : []
    expect([asked, called]).toEqual(['What is here?', 'shell {"command":"ls"}'])
    expect(result).toContain('a.txt')
    expect(rest).toEqual(['One file.', 'Thanks.'])
  })

  test('the call and its result have the same id, where the script names it', async () => {
    const call = { type: 'tool', name: 'shell', input: {}, id: 'call_7' } as const
    expect((await ask(messageReply(call), true)).calls).toMatchObject([{ id: 'call_7' }])
  })

  test('a body that is no JSON is refused', async () => {
    const { path } = speaker.request({ stream: true, system: '', turns: ['x'] })
    const response = await fetch(api.url + path, { method: 'POST', body: '{' })
    expect(response.status).toBe(400)
  })
})

test('one script serves all wires in the order in which they ask', async () => {
  api.script([textReply('first'), toolReply('shell', {}), textReply('third'), textReply('fourth')])
  const answers: Answered[] = []
  for (const speaker of SPEAKERS) {
    const { path, body } = speaker.request({ stream: true, system: '', turns: [speaker.name] })
    const response = await fetch(api.url + path, { method: 'POST', body: JSON.stringify(body) })
    answers.push(speaker.decode(await response.text(), true))
  }
  expect(answers.map(({ text, calls }) => text || calls[0]?.name)).toEqual([
    ...['first', 'shell', 'third', 'fourth'],
  ])
  expect(api.turns.map(turn => [turn.wire, turn.messages[0]?.text])).toEqual(
    SPEAKERS.map(({ name }) => [name, name]),
  )
})

test('a tool of free text gets its input as one string', async () => {
  api.script([toolReply('apply_patch', { input: '*** Begin Patch' })])
  const response = await fetch(`${api.url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ input: 'go', tools: [{ type: 'custom', name: 'apply_patch' }] }),
  })
  expect(await response.json()).toMatchObject({
    output: [{ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' }],
  })
})
