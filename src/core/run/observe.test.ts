import { expect, test } from 'vitest'
import { settingsFromEnvironment } from '../decide/settings.ts'
import { redact } from '../secrets/redact.ts'
import type { AgentEvent, AgentResult } from './events.ts'
import { NO_USAGE } from './events.ts'
import {
  contextTokensOf,
  isStoredPart,
  modelOfRequests,
  newObservation,
  observe,
  totalUsage,
} from './observe.ts'

const result: AgentResult = {
  type: 'result',
  ok: true,
  subtype: 'success',
  sessionId: 's',
  text: 'done',
  errors: [],
  apiErrorStatus: null,
  errorKind: null,
  stopReason: 'end_turn',
  terminalReason: null,
  turns: 1,
  durationMs: 1,
  totalCostUsd: 0.1,
  models: {},
  modelsSinceLastResult: null,
  usage: NO_USAGE,
  unasked: false,
}
const observed = (...events: AgentEvent[]) => {
  const observation = newObservation()
  for (const event of events) observe(observation, event)
  return observation
}
const usage = (requestId: string, inputTokens: number, main = true): AgentEvent => ({
  type: 'usage',
  requestId,
  model: 'm',
  main,
  usage: { ...NO_USAGE, inputTokens, outputTokens: 1 },
})
const call: AgentEvent = { type: 'tool', id: 't1', name: 'Bash', input: '{}', parentId: null }

test('D-6 the context is the last main request, not the sum and not a subagent', () => {
  const { requests } = observed(usage('a', 100), usage('b', 300), usage('sub', 9_000, false))
  expect(contextTokensOf([...requests.values()])).toBe(301)
})

test('M-1 a later report of the same request replaces the earlier one', () => {
  const { requests } = observed(usage('a', 100), usage('a', 120))
  expect(totalUsage(requests.values())).toMatchObject({ inputTokens: 120, outputTokens: 1 })
})

test('H-3 the first result that answers our prompt counts; the last one carries the totals', () => {
  const second = { ...result, text: 'background task ended', totalCostUsd: 0.3, unasked: true }
  const seen = observed({ type: 'text', text: 'done' }, result, { type: 'text', text: '?' }, second)
  expect(seen.result?.text).toBe('done')
  expect(seen.lastResult?.totalCostUsd).toBe(0.3)
  expect(seen.text).toBe('done')
})

test('M-1 deltas of several results add up', () => {
  const delta = { m: { usage: NO_USAGE, costUsd: 0.25, contextWindow: null } }
  const seen = observed(
    { ...result, modelsSinceLastResult: delta },
    { ...result, modelsSinceLastResult: delta, unasked: true },
  )
  expect(seen.sinceLastCostUsd).toBe(0.5)
})

test('F-3 a denied call did not run, any other did, also when its end was not seen', () => {
  expect(observed(call).toolsRan).toBe(1)
  const denied: AgentEvent = {
    type: 'tool-result',
    id: 't1',
    isError: true,
    denied: true,
    text: '',
  }
  expect(observed(call, denied).toolsRan).toBe(0)
})

test('F-7 a result whose outcome is not known changes nothing, and one without its call neither', () => {
  const unknown = { type: 'tool-result', isError: true, denied: true, text: 'rejected' } as const
  const seen = observed(
    call,
    { ...unknown, id: 't1', outcomeUnknown: true },
    { ...unknown, id: 'x' },
  )
  expect(seen.toolsRan).toBe(1)
  expect([...seen.tools.values()]).toEqual([
    { id: 't1', name: 'Bash', input: '{}', result: null, isError: false },
  ])
})

test('F-6 what a call gave is stored with whether it failed, and at most 4,000 characters of it', () => {
  const gave = { type: 'tool-result', id: 't1', isError: true, denied: false } as const
  const results = ['r'.repeat(4_000), 'r'.repeat(4_001)].map(
    text => observed(call, { ...gave, text }).tools.get('t1')?.result?.length,
  )
  expect(results).toEqual([4_000, 4_001])
  const half = `${'r'.repeat(3_999)}😀`
  const seen = observed(call, { ...gave, text: half })
  expect(seen.tools.get('t1')).toMatchObject({ isError: true })
  expect(seen.tools.get('t1')?.result?.isWellFormed()).toBe(true)
  expect(seen.toolsRan).toBe(1)
})

test('M-1 usage is summed by kind, and the context counts all of a request', () => {
  const all = (n: number) => ({
    inputTokens: n,
    cacheReadTokens: 10 * n,
    cacheWriteTokens: 100 * n,
    outputTokens: 1_000 * n,
  })
  const requests = [1, 2].map(n => ({ requestId: `r${n}`, model: 'm', usage: all(n), main: true }))
  expect(totalUsage(requests)).toEqual(all(3))
  expect(contextTokensOf(requests)).toBe(2_222)
  expect(contextTokensOf([])).toBeNull()
  expect(modelOfRequests(requests)).toBe('m')
  expect(modelOfRequests([])).toBeNull()
})

test('J-4 a limit counts when a request was rejected, and the latest known reset time stays', () => {
  const limit = (rejected: boolean, resetsAt: number | null) =>
    ({ type: 'limit', rejected, resetsAt }) as const
  expect(observed(limit(false, 5))).toMatchObject({ limitRejected: false, limitResetsAt: null })
  expect(observed(limit(true, 5), limit(true, null), limit(false, 9))).toMatchObject({
    limitRejected: true,
    limitResetsAt: 5,
  })
})

test('T-7a a question over the input is not parked, one without an address is', () => {
  const asked = { type: 'question', toolUseId: 't', kind: 'question', tool: 'Ask' } as const
  const question = (requestId: string | null) => ({ ...asked, input: '{}', items: [], requestId })
  expect(observed(question('r')).parked).toBeNull()
  expect(observed(question(null)).parked).toEqual(question(null))
})

test('H-3 only lines that are no event leave a run without any', () => {
  expect(observed({ type: 'unknown', kind: 'x', raw: 'x' }).sawAnyEvent).toBe(false)
  expect(observed({ type: 'thinking', text: 'hm' }).sawAnyEvent).toBe(true)
})

test('D-4 the anchor of an answer is its last block before the result', () => {
  const blocks = ['a1', 'a2', 'a3'].map(anchor => ({ type: 'block', anchor }) as const)
  const [first, second, late] = blocks
  if (!first || !second || !late) throw new TypeError('three blocks')
  expect(observed(first, second, result, late).lastAnchor).toBe('a2')
})

test('H-3 a result that nobody asked for does not answer the prompt', () => {
  const seen = observed({ ...result, unasked: true }, { ...result, text: 'mine' })
  expect(seen.result?.text).toBe('mine')
  expect(observed({ ...result, unasked: true }).result).toBeNull()
  expect(seen.sinceLastCostUsd).toBeNull()
})

test('D-9 a compaction of the conversation is noted', () => {
  expect(observed().compacted).toBe(false)
  expect(observed({ type: 'compacted', trigger: 'auto', tokensBefore: 9 }).compacted).toBe(true)
})

test('a run of which nothing is known yet', () => {
  expect(observed()).toEqual({
    announcedSessionId: null,
    model: null,
    version: null,
    sawAnyEvent: false,
    result: null,
    lastResult: null,
    sinceLastCostUsd: null,
    sinceLastTokens: [],
    text: '',
    paragraphEnded: false,
    lastAnchor: null,
    tools: new Map(),
    toolsRan: 0,
    stopBegan: false,
    requests: new Map(),
    parked: null,
    compacted: false,
    limitRejected: false,
    limitResetsAt: null,
  })
})

test('text before and after a tool are two paragraphs', () => {
  const pieces = ['I ', 'look'].map(text => ({ type: 'text', text }) as const)
  expect(observed(...pieces).text).toBe('I look')
  expect(observed(call, ...pieces).text).toBe('I look')
  const next = { type: 'text', text: ' it' } as const
  expect(observed(...pieces, call, ...pieces, next).text).toBe('I look\n\nI look it')
  const seen = observed({ type: 'text', text: 'I look' }, call, { type: 'text', text: 'Found' })
  expect(seen.text).toBe('I look\n\nFound')
})

test('C-3 only the first announced id is taken', () => {
  const session = (sessionId: string): AgentEvent => ({
    type: 'session',
    sessionId,
    model: null,
    version: null,
    tools: [],
    permissionMode: null,
  })
  expect(observed(session('a'), session('b')).announcedSessionId).toBe('a')
  const named = { ...session('a'), model: 'opus', version: '2.1' } as AgentEvent
  expect(observed(named, session('b'))).toMatchObject({ model: 'opus', version: '2.1' })
})

test.each([
  ['one character too many', 'x'.repeat(4_001), true],
  ['a long text of words', 'a few words '.repeat(2_000), true],
  ['as much as is stored', 'x'.repeat(4_000), false],
  ['a short text that ends with the mark', 'waiting…', false],
])('F-6 E-15 it can be seen whether what is stored of %s is a part', (_, text, isPart) => {
  const seen = observed(call, {
    type: 'tool-result',
    id: 't1',
    text,
    isError: false,
    denied: false,
  })
  expect(isStoredPart(seen.tools.get('t1')?.result ?? '')).toBe(isPart)
})

test('F-6 E-15 a longer text than any that is stored is no part of one', () => {
  expect(isStoredPart(`${'x'.repeat(4_001)}…`)).toBe(false)
})

test('F-6 secrets of known shapes are redacted before they are stored', () => {
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz'
  const seen = observed({ ...call, input: `{"command":"export KEY=${secret}"}` })
  expect(seen.tools.get('t1')?.input).not.toContain(secret)
  expect(redact('PASSWORD=correct-horse')).toBe('PASSWORD=[redacted]')
  expect(redact('Authorization: Bearer abcdef0123456789')).toContain('Bearer [redacted]')
  expect(redact('the tokenizer is fine, so is basketball')).toBe(
    'the tokenizer is fine, so is basketball',
  )
})

test('D-6 the threshold can be set by the environment, under both names, and nonsense is refused', () => {
  const set = (name: string, value: string) => settingsFromEnvironment({ [name]: value })
  expect(set('REPRISE_RESUME_CONTEXT_THRESHOLD', '0.5')).toEqual({
    settings: { contextThreshold: 0.5 },
  })
  expect(set('CLAUDEOPS_RESUME_CONTEXT_THRESHOLD', '0.7')).toEqual({
    settings: { contextThreshold: 0.7 },
  })
  expect(set('REPRISE_RESUME_CONTEXT_THRESHOLD', '80')).toMatchObject({
    problem: expect.stringContaining('"80"'),
  })
})
