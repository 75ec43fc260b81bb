import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../test/properties.ts'
import type { AgentEvent } from '../../../core/run/events.ts'
import { createParser } from './parser.ts'
import { looksUnasked } from './tools.ts'

const RECORDINGS = join(import.meta.dirname, '../../../../test/recordings/claude-code')
const LINES = readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.jsonl'))
  .flatMap(path => readFileSync(join(RECORDINGS, path), 'utf8').split('\n'))
  .filter(line => line !== '')

function events(...lines: readonly unknown[]): readonly AgentEvent[] {
  const parser = createParser()
  return lines.flatMap(line => parser.parse(typeof line === 'string' ? line : JSON.stringify(line)))
}

const piece = (event: object, parent: string | null = null) => ({
  type: 'stream_event',
  parent_tool_use_id: parent,
  event,
})
const start = (id: string, parent: string | null = null) =>
  piece({ type: 'message_start', message: { id, model: 'm', usage: { input_tokens: 3 } } }, parent)
const delta = (text: string, parent: string | null = null) =>
  piece({ type: 'content_block_delta', delta: { type: 'text_delta', text } }, parent)
const whole = (id: string, text: string, parent: string | null = null) => ({
  type: 'assistant',
  uuid: `u-${id}`,
  parent_tool_use_id: parent,
  message: { id, model: 'm', content: [{ type: 'text', text }], usage: { output_tokens: 1 } },
})
const textOf = (found: readonly AgentEvent[]) =>
  found.flatMap(event => (event.type === 'text' ? event.text : [])).join('')

describe('text', () => {
  test('is reported once, as it arrives', () => {
    const found = events(start('m1'), delta('he'), delta('llo'), whole('m1', 'hello'))
    expect(found.filter(event => event.type === 'text')).toEqual([
      { type: 'text', text: 'he' },
      { type: 'text', text: 'llo' },
    ])
    expect(found.at(-1)).toEqual({ type: 'block', anchor: 'u-m1' })
  })

  test('comes from the whole message when no pieces came', () => {
    expect(textOf(events(whole('m1', 'hello')))).toBe('hello')
  })

  test('continues where an interrupted stream ended when the answer then comes in one piece', () => {
    expect(textOf(events(start('m1'), delta('hel'), whole('m2', 'hello')))).toBe('hello')
  })

  test('continues where an interrupted stream ended when the answer is streamed again', () => {
    const again = [start('m2'), delta('he'), delta('llo'), whole('m2', 'hello')]
    const next = [start('m3'), delta('hello'), whole('m3', 'hello')]
    expect(textOf(events(start('m1'), delta('hel'), ...again, ...next))).toBe('hellohello')
  })

  test('of a new attempt that differs is reported as a whole, in a paragraph of its own', () => {
    const again = [start('m2'), delta('he'), delta('y!'), whole('m2', 'hey!')]
    expect(textOf(events(start('m1'), delta('hello'), ...again))).toBe('hello\n\nhey!')
  })

  test('of a subagent is not the answer', () => {
    const sub = 'toolu_1'
    const found = events(start('m1', sub), delta('inner', sub), whole('m1', 'inner', sub))
    expect(found.map(event => event.type)).toEqual(['usage'])
    expect(found[0]).toMatchObject({ main: false })
  })
})

describe('usage', () => {
  test.each([
    ['the conversation', null, true],
    ['a subagent', 'toolu_1', false],
  ])('D-6 of %s in one piece says so', (_, parent, main) => {
    const [usage] = events(whole('m1', 'a', parent)).filter(({ type }) => type === 'usage')
    expect(usage).toMatchObject({ type: 'usage', requestId: 'm1', main })
  })

  test('M-1 of a message in pieces ends with its last count, under one request', () => {
    const end = piece({ type: 'message_delta', usage: { output_tokens: 9 } })
    const found = events(start('m1'), delta('a'), whole('m1', 'a'), end)
    const usages = found.filter(event => event.type === 'usage')
    expect(usages).toHaveLength(2)
    expect(usages.at(-1)).toMatchObject({
      requestId: 'm1',
      usage: { inputTokens: 3, outputTokens: 9 },
    })
  })
})

describe('M-1 the counts of usage', () => {
  const counts = {
    input_tokens: 1,
    cache_read_input_tokens: 2,
    cache_creation_input_tokens: 3,
    output_tokens: 4,
  }
  const usage = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 }
  const usagesIn = (...lines: readonly unknown[]) =>
    events(...lines).flatMap(event => (event.type === 'usage' ? [event.usage] : []))
  const begun = piece({ type: 'message_start', message: { id: 'm', model: 'm', usage: counts } })
  const later = (usage: object) => piece({ type: 'message_delta', usage })

  test('of a message are of four kinds', () => {
    expect(usagesIn(begun)).toEqual([usage])
  })

  test.each([
    ['input_tokens', 'inputTokens'],
    ['cache_read_input_tokens', 'cacheReadTokens'],
    ['cache_creation_input_tokens', 'cacheWriteTokens'],
    ['output_tokens', 'outputTokens'],
  ])('change one at a time: %s leaves the others as they were', (theirs, ours) => {
    expect(usagesIn(begun, later({ [theirs]: 9 })).at(-1)).toEqual({ ...usage, [ours]: 9 })
  })

  test('are never negative: a count below zero is not one', () => {
    expect(usagesIn(begun, later({ output_tokens: -5 })).at(-1)).toEqual(usage)
  })

  test('of a result are kept for each model, with its cost and its window', () => {
    const theirs = {
      inputTokens: 1,
      cacheReadInputTokens: 2,
      cacheCreationInputTokens: 3,
      outputTokens: 4,
      costUSD: 0.5,
      contextWindow: 200_000,
    }
    const ours = { usage, costUsd: 0.5, contextWindow: 200_000 }
    const [result] = events({
      type: 'result',
      num_turns: 7,
      usage: counts,
      modelUsage: { big: theirs, odd: { contextWindow: -1 } },
      model_usage_since_last_result: { big: theirs },
    })
    expect(result).toMatchObject({
      turns: 7,
      usage,
      models: { big: ours, odd: { contextWindow: null, costUsd: 0 } },
      modelsSinceLastResult: { big: ours },
    })
  })

  test('of a text that the program wrote itself are none', () => {
    const message = { id: 'm', model: '<synthetic>', content: [], usage: counts }
    expect(usagesIn({ type: 'assistant', message })).toEqual([])
  })
})

describe('F-1 the kind of a failed request', () => {
  const failed = (parent: string | null = null) => ({
    type: 'assistant',
    error: 'rate_limit',
    parent_tool_use_id: parent,
    message: { id: 'm', model: '<synthetic>', content: [{ type: 'text', text: 'Try later.' }] },
  })
  const result = { type: 'result', subtype: 'success', is_error: true, api_error_type: 'other' }
  const kinds = (...lines: readonly unknown[]) =>
    events(...lines).flatMap(event => (event.type === 'result' ? [event.errorKind] : []))

  test('is in the result after it, and in no later one', () => {
    expect(kinds(failed(), result, result)).toEqual(['rate_limit', 'other'])
  })

  test('is that of the conversation: a failure of a subagent says nothing about the turn', () => {
    expect(kinds(failed('toolu_1'), result)).toEqual(['other'])
  })

  test('is none when the turn went well', () => {
    expect(kinds(failed(), { ...result, is_error: false })).toEqual([null])
  })

  test('its words are a notice, and words of the program without an error are an answer', () => {
    const types = (line: object) => events(line).map(({ type }) => type)
    expect(types(failed())).toEqual(['notice'])
    expect(types({ ...failed(), error: undefined })).toEqual(['text'])
  })
})

describe('what is not known', () => {
  test.each([
    ['no json', 'no-event'],
    ['null', 'no-event'],
    ['[1]', 'no-event'],
    ['{"type":7}', 'no-event'],
    ['{"__proto__":{"type":"result"}}', 'no-event'],
    ['{"type":"novelty"}', 'novelty'],
    ['{"type":"system","subtype":"novelty"}', 'system/novelty'],
  ])('%s is kept as unknown %s', (line, kind) => {
    expect(events(line)).toEqual([{ type: 'unknown', kind, raw: line }])
  })

  test('is kept in part when it is long', () => {
    const [event] = events('x'.repeat(1_000_000))
    expect(event).toMatchObject({ type: 'unknown' })
    expect(JSON.stringify(event).length).toBeLessThan(5_000)
  })

  test('cannot change a prototype', () => {
    const [result] = events('{"type":"result","modelUsage":{"__proto__":{"costUSD":1}}}')
    expect(result).toMatchObject({ type: 'result', ok: false })
    expect(({} as Record<string, unknown>).costUSD).toBeUndefined()
  })
})

test('a limit holds its reset time in milliseconds', () => {
  const info = { status: 'rejected', resetsAt: 1_794_777_493 }
  expect(events({ type: 'rate_limit_event', rate_limit_info: info })).toEqual([
    { type: 'limit', rejected: true, resetsAt: 1_794_777_493_000 },
  ])
})

test('a result for a background task is not the one we asked for', () => {
  const result = (origin?: object) => ({ type: 'result', subtype: 'success', origin })
  const [ours, other] = events(result(), result({ kind: 'task-notification' }))
  expect([ours, other]).toMatchObject([{ unasked: false }, { unasked: true }])
})

test('the session is announced once, and again only under another id', () => {
  const init = (id: string) => ({ type: 'system', subtype: 'init', session_id: id })
  const found = events(init('a'), init('a'), init('b'))
  expect(found.map(event => event.type === 'session' && event.sessionId)).toEqual(['a', 'b'])
})

test('the input of a tool is bounded', () => {
  const call = { type: 'tool_use', id: 't', name: 'Write', input: { content: 'x'.repeat(100_000) } }
  const [tool] = events({ type: 'assistant', message: { content: [call] } })
  expect(tool).toMatchObject({ type: 'tool', name: 'Write' })
  expect(JSON.stringify(tool).length).toBeLessThan(20_000)
})

describe('E-5 a tool result', () => {
  const result = (content: string, meta?: object) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content }] },
    ...(meta && { tool_result_meta: [{ id: 't', ...meta }] }),
  })
  const isDenied = (...lines: readonly unknown[]) =>
    events(...lines).some(event => event.type === 'tool-result' && event.denied)

  test.each([
    ["Claude requested permissions to use Bash, but you haven't granted it yet.", true],
    ['This command requires approval', true],
    ['Permission to use Bash with command rm x has been denied.', true],
    ["mkdir in '/home/dev/x' was blocked. For security, it may only …", true],
    ['<tool_use_error>Error: No such tool available: Write. …</tool_use_error>', true],
    ['Exit code 1\nThis command requires approval', false],
    ["The user doesn't want to proceed with this tool use. The tool use was rejected", false],
    ['File does not exist.', false],
  ])('that reads %j is a refusal: %s', (content, expected) => {
    expect(isDenied(result(content))).toBe(expected)
  })

  test.each([
    ['<tool_use_error>File has not been read yet. Read it first …</tool_use_error>', true],
    ['<tool_use_error>InputValidationError: Write failed due to …</tool_use_error>', true],
    ['<tool_use_error>Error calling tool (Write): no space left</tool_use_error>', false],
    ['<tool_use_error>Error: Streaming fallback - tool execution discarded', false],
    ['<tool_use_error>Cancelled: Claude ended the conversation</tool_use_error>', false],
    ['Exit code 1\n<tool_use_error>InputValidationError: </tool_use_error>', false],
    ['EACCES: permission denied', false],
  ])('E-14 that reads %j was rejected before the program asked: %s', (content, expected) => {
    expect(looksUnasked(content)).toBe(expected)
  })

  test('counts as the program decided, where it says so, whatever the text is', () => {
    const decided = (decision: string) => ({ permission_decision: { decision } })
    expect(isDenied(result('This command requires approval', decided('accept')))).toBe(false)
    expect(isDenied(result('anything', decided('reject')))).toBe(true)
    const denied = { type: 'system', subtype: 'permission_denied', tool_use_id: 't' }
    expect(isDenied(denied, result('anything'))).toBe(true)
  })
})

test('5,000 mutilated lines are read without a throw, and each says something or nothing', () => {
  const mutilated = fc
    .tuple(
      fc.constantFrom(...LINES),
      fc.nat(),
      fc.nat(20),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    .map(([line, at, cut, insert]) => {
      const from = at % line.length
      return line.slice(0, from) + insert + line.slice(from + cut)
    })
  const shuffled = fc.tuple(fc.constantFrom(...LINES), fc.nat(), fc.jsonValue()).map(mixIn)
  const parser = createParser()
  fc.assert(
    fc.property(fc.oneof(mutilated, shuffled), line => {
      for (const event of parser.parse(line)) expect(typeof event.type).toBe('string')
    }),
    { numRuns: 5_000 },
  )
})

/** Puts any JSON in the place of one value of a line, at whatever depth. */
function mixIn([line, at, value]: [string, number, unknown]): string {
  let count = 0
  const total = [...line.matchAll(/"[^"]*":/g)].length || 1
  return JSON.stringify(JSON.parse(line), (_, old) => (count++ === 1 + (at % total) ? value : old))
}

test.each(['2.1.197', '2.1.325'])(
  'E-2 %s: structured output is in the result; the call that gave it is no tool call',
  version => {
    const lines = readFileSync(join(RECORDINGS, version, 'verdict.jsonl'), 'utf8').split('\n')
    const found = events(...lines.filter(line => line !== ''))
    expect(found.findLast(event => event.type === 'result')).toMatchObject({
      ok: true,
      structured: { verdict: 'escalate', summary: 's' },
    })
    expect(found.flatMap(event => (event.type === 'tool' ? event.name : []))).toEqual(['Bash'])
    expect(found.filter(event => event.type === 'tool-result')).toHaveLength(1)
  },
)
