import { expect, test } from 'vitest'
import { hashOf, type Message, type ToolUse } from './messages.ts'
import { transcriptOf } from './transcript.ts'

function message(role: 'user' | 'assistant', text: string, more: Partial<Message> = {}): Message {
  const content = { role, agent: role === 'user' ? null : 'codex', text }
  const rest = { tools: [], interrupted: false, runId: null, createdAt: 0, id: 'msg' }
  return { ...content, ...rest, hash: hashOf(content), ...more }
}

const tool = (id: string, input: string, result: string | null, isError = false): ToolUse => ({
  ...{ id, name: 'Bash', input, result, isError },
})

const transcript = (messages: readonly Message[], maxChars = 100_000) =>
  transcriptOf(messages, { mark: 'mark', maxChars })

test('F-6 a transcript names who spoke, what was interrupted, and how each call ended', () => {
  const tools = [
    tool('t1', 'ls', 'old'),
    tool('t2', 'make', 'no rule', true),
    tool('t3', 'rm\nx', null),
    tool('t4', 'ls', 'new'),
    tool('t5', 'true', ''),
  ]
  const messages = [
    message('user', 'Go.'),
    message('assistant', 'I went.', { tools }),
    message('assistant', '', { agent: null, interrupted: true }),
  ]
  expect(transcript(messages)).toEqual({
    text: `--- mark user
Go.

--- mark assistant codex
I went.
--- mark tool Bash (ran again later)
ls
--- mark tool Bash (failed)
make
no rule
--- mark tool Bash (how it ended is not known; it may have had effects)
rm x
--- mark tool Bash (gave a result)
ls
new
--- mark tool Bash (gave a result)
true

--- mark assistant (interrupted before it was done)`,
    leftOut: 0,
  })
})

test.each([
  ['the input of a call', 400, (text: string) => tool('t', text, null)],
  ['the result of a call', 600, (text: string) => tool('t', '', text)],
])('F-6 %s is cut in its middle when it is too long', (_, most, call) => {
  const text = (length: number) =>
    transcript([message('assistant', '', { tools: [call(`${'a'.repeat(length - 1)}z`)] })]).text
  const half = most / 2
  expect(text(most)).toMatch(new RegExp(`^a{${most - 1}}z$`, 'm'))
  expect(text(most + 1)).toMatch(
    new RegExp(`^a{${half}}… \\(1 characters left out\\) …a{${half - 1}}z$`, 'm'),
  )
})

test('F-6 a cut inside of a character leaves no half of it', () => {
  const call = tool('t', `${'a'.repeat(199)}😀${'a'.repeat(300)}`, null)
  const { text } = transcript([message('assistant', '', { tools: [call] })])
  expect(text).toContain(`${'a'.repeat(199)}\uFFFD… (101 characters left out)`)
})

test('F-6 the oldest messages are left out as far as the rest does not fit, and the last one never', () => {
  const header = '--- mark user\n'.length
  const ofChars = (length: number) => message('user', 'x'.repeat(length - header - 2))
  const four = [ofChars(500), ofChars(500), ofChars(500), ofChars(1_000)]
  expect(transcript(four, 2_500).leftOut).toBe(0)
  const { text, leftOut } = transcript(four, 2_499)
  expect(leftOut).toBe(1)
  expect(text).toMatch(
    /^\(The oldest 1 messages, about 498 characters, are left out: they do not fit into the model's window\.\)\n\n--- mark user\nx/,
  )
  expect(transcript(four, 2_000).leftOut).toBe(1)
  expect(transcript(four, 1_999).leftOut).toBe(1)
  expect(transcript(four, 0).text).toContain('(The oldest 1 messages, about 498 characters,')
  expect(transcript([...four, ...four].slice(-5), 2_000)).toMatchObject({ leftOut: 2 })
})

test('F-6 one message takes at most half of the room', () => {
  const { text, leftOut } = transcript([message('user', 'y'.repeat(4_000))], 3_000)
  const shown = '--- mark user\n'.length
  expect(leftOut).toBe(0)
  expect(text).toBe(
    `--- mark user\n${'y'.repeat(750 - shown)}… (${4_000 + shown - 1_500} characters left out) …${'y'.repeat(750)}`,
  )
})
