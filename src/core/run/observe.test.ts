import { expect, test } from 'vitest'
import { settingsFromEnvironment } from '../decide/settings.ts'
import { redact } from '../secrets/redact.ts'
import type { AgentEvent, AgentResult } from './events.ts'
import { NO_USAGE } from './events.ts'
import { contextTokensOf, newObservation, observe, totalUsage } from './observe.ts'

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

test('text before and after a tool are two paragraphs', () => {
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
