// What an ended run has cost and used, what it has saved, and how full its session is.
import { expect, test } from 'vitest'
import { COMPLETED, finished, GREW, PROMPT, REPLAY, resultOf } from '../../../test/finished-run.ts'
import type { AgentResult } from '../../core/run/events.ts'
import { newObservation } from '../../core/run/observe.ts'
import { type Finished, settle } from './settle.ts'

const USED = { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4_000 }
const PRICE = {
  ...{ inputUsd: 1, cacheReadUsd: 1, cacheWriteUsd: 5, cacheWriteHourUsd: 9, outputUsd: 1 },
}
/** A run on an agent with a price list; `money` changes what its figures mean. */
function priced(change: Partial<Finished> = {}, money: object = {}): Finished {
  const given = finished({ outcome: COMPLETED, ...change })
  const list = { ...given.agent.adapter.money, price: () => PRICE, ...money }
  const adapter = { ...given.agent.adapter, money: list }
  return { ...given, agent: { ...given.agent, adapter } as Finished['agent'] }
}
const REQUESTS = new Map([['r', { requestId: 'r', model: 'm', usage: USED, main: true }]])
const paying = (totalCostUsd: number, usage = USED, change: object = {}) => {
  const lastResult = resultOf({ totalCostUsd, usage } as Partial<AgentResult>)
  return { ...newObservation(), lastResult, result: lastResult, ...change }
}

test('M-1 a total of the process is the cost of a run, unless its process was kept: then what it had reported before does not count', () => {
  const observation = paying(0.5)
  const mark = { path: null, sizeBytes: 0, costUsd: 0.2 }
  const { run } = finished()
  expect(settle(priced({ observation, mark })).costUsd).toBe(0.5)
  const warm = { ...run, process: 'warm' } as Finished['run']
  expect(settle(priced({ observation, mark, run: warm }))).toMatchObject({
    costUsd: 0.3,
    costSource: 'session-delta',
  })
  const none = settle(priced({ mark }))
  expect([none.costUsd, none.failure]).toEqual([null, null])
})

test('M-1 a cost that the tokens do not explain is disputed, but not where the agent compacted: nobody saw that request', () => {
  const disputed = (change: object) =>
    settle(priced({ observation: paying(9, USED, { requests: REQUESTS, ...change }) })).costDisputed
  expect([disputed({}), disputed({ compacted: true })]).toEqual([true, false])
})

test.each([
  ['count where the agent reports them for this run', 6_000, 'process', 8_000],
  ['do not count where the report may cover earlier runs', 6_000, 'session', 4_000],
  ['do not count where the cost is disputed', 9_000_000, 'process', 4_000],
])('M-1 tokens of a subagent, whose requests no event shows, %s', (_, micro, meaning, expected) => {
  const usage = { ...USED, outputTokens: 8_000 }
  const models = { m: { usage, costUsd: micro / 1e6, contextWindow: null } }
  const lastResult = resultOf({ totalCostUsd: micro / 1e6, models })
  const observation = { ...newObservation(), requests: REQUESTS, result: lastResult, lastResult }
  const money = { costMeans: () => meaning }
  expect(settle(priced({ observation }, money)).usage.outputTokens).toBe(expected)
  const told = { sinceLastCostUsd: 0.0095, sinceLastTokens: [{ model: 'm', usage }] }
  const end = settle(priced({ observation: { ...observation, ...told } }))
  expect(end).toMatchObject({ usage, costDisputed: false, contextTokens: 4_321 })
})

test('M-1 an agent that reports totals of the session has used what the total has grown by', () => {
  const before = { inputTokens: 1, cacheReadTokens: 10, cacheWriteTokens: 100, outputTokens: 0 }
  const mark = { path: null, sizeBytes: 0, costUsd: 0, usage: before }
  const money = { usageMeans: 'session' }
  const { usage } = settle(priced({ observation: paying(1), mark }, money))
  expect(usage).toEqual({
    ...{ inputTokens: 0, cacheReadTokens: 10, cacheWriteTokens: 200, outputTokens: 4_000 },
  })
})

test('D-6 a context is as full as the last request, else as the agent says', () => {
  const context = { tokens: 77, window: 1_000 }
  const said = resultOf({ context } as Partial<AgentResult>)
  const observation = { ...newObservation(), lastResult: said, result: said }
  expect(settle(finished({ observation }))).toMatchObject({
    contextTokens: 77,
    contextWindow: 1_000,
  })
  const full = finished({ observation: { ...observation, requests: REQUESTS } })
  expect(settle(full).contextTokens).toBe(4_321)
  expect(settle(finished()).contextTokens).toBeNull()
})

test('M-3 a resumed run saves the transcript that it did not send, without the last answer that its session knew', () => {
  const said = (role: string, size: number) =>
    ({
      role,
      agent: null,
      text: 'x'.repeat(size),
      tools: [],
    }) as unknown as Finished['view'][number]
  const view = [said('user', 40_000), said('assistant', 400_000)]
  const saved = (change: Partial<Finished>) => settle(priced({ view, ...change })).savings?.savedUsd
  const resume = (catchUpFrom: number) =>
    ({ ...finished().decision, catchUpFrom }) as Finished['decision']
  // A token is written for 5 and read for 1; four characters are one.
  const whole = saved({ decision: resume(2) }) ?? 0
  expect(whole).toBeGreaterThanOrEqual(0.04)
  expect(whole).toBeLessThan(0.041)
  expect([saved({ decision: resume(1) }), saved({ decision: resume(0) })]).toEqual([0, 0])
  expect(saved({ decision: REPLAY })).toBe(0)
  const unpriced = settle(priced({ view, decision: resume(2) }, { price: () => null }))
  expect(unpriced.savings?.savedUsd).toBe(0)
})

const CANCELLED = { kind: 'cancelled', failure: { class: 'cancelled' } } as Finished['outcome']

test('M-3 a run that was cancelled before the model was asked has saved nothing', () => {
  const view = [{ ...PROMPT, text: 'x'.repeat(40_000), tools: [] }] as unknown as Finished['view']
  const decision = { ...finished().decision, catchUpFrom: 2 } as Finished['decision']
  const saved = (observation: Finished['observation']) =>
    settle(priced({ view, decision, observation, outcome: CANCELLED })).savings?.savedUsd
  const asked = { ...newObservation(), requests: REQUESTS }
  expect([saved(newObservation()), saved(asked)]).toEqual([0, expect.closeTo(0.04, 3)])
})

test('M-1 a run that was cancelled in a request costs what that request read, though the agent says that it cost nothing', () => {
  const observation = paying(0, USED, { requests: REQUESTS })
  const end = settle(priced({ observation, outcome: CANCELLED }))
  expect(end).toMatchObject({ costUsd: 0.005521, costSource: 'per-message', costDisputed: true })
})

test('M-1 without a model there is neither a price nor a window', () => {
  const { run, agent } = priced()
  const nameless = { run: { ...run, model: null }, agent: { ...agent, model: null } }
  const end = settle(finished({ ...nameless, outcome: COMPLETED } as Partial<Finished>))
  expect([end.model, end.contextWindow]).toEqual([null, null])
})

test('F-3 D-6 a run that ended before it named its model has the window that its session file says', () => {
  const given = finished({ growth: { ...GREW, contextWindow: 9_000 } })
  const run = { ...given.run, model: null }
  const agent = { ...given.agent, model: null }
  const end = settle({ ...given, run, agent })
  expect([end.model, end.contextWindow]).toEqual([null, 9_000])
  expect(end.session).toMatchObject({ contextWindow: 9_000 })
})

test('D-6 the window of a model that nobody reported depends on the program and its environment', () => {
  const asked: unknown[] = []
  const contextWindow = (...given: unknown[]) => {
    asked.push(given)
    return 5
  }
  const given = priced({}, { contextWindow })
  settle({ ...given, agent: { ...given.agent, fullEnv: { A: '1' } } })
  expect(asked).toEqual([['m', { runtime: 'agent 2', env: { A: '1' } }]])
})
