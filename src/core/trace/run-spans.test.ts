import { expect, test } from 'vitest'
import { SAMPLE_RUN } from '../../../test/sample-run.ts'
import type { Run } from '../run/run.ts'
import type { RunEvent } from '../run/run-events.ts'
import { decisionEvent, runEnd, runStart, stepEnd, stepStart } from './run-spans.ts'
import { ToolSpans } from './tool-spans.ts'

const TELLER = { process: 'here:1', provider: null }
const failed = (change: Partial<Run>): Run => ({
  ...SAMPLE_RUN,
  failure: { class: 'network', message: 'secret', hint: '', toolsRan: 0, resetsAt: null },
  ...change,
})

test.each([
  ['turn', {}, {}],
  ['attempt', { jobId: 'job_1', attempt: 2 }, { 'reprise.job.id': 'job_1', 'reprise.attempt': 2 }],
  ['tier', { chainId: 'chn_1', tier: 3 }, { 'reprise.chain.id': 'chn_1', 'reprise.tier': 3 }],
] as const)('O-2 the step of a run is a %s', (name, change, attributes) => {
  const start = stepStart({ ...SAMPLE_RUN, ...change, queuedAt: 5 })
  expect(start).toEqual({
    name,
    startAt: 5,
    attributes: { 'reprise.thread.id': SAMPLE_RUN.threadId, ...attributes },
  })
})

test('O-2 the tokens of the cache are part of the input, and are named besides', () => {
  const usage = { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4 }
  expect(runEnd({ ...SAMPLE_RUN, usage }).attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 321,
    'gen_ai.usage.cache_read.input_tokens': 20,
    'gen_ai.usage.cache_creation.input_tokens': 300,
    'gen_ai.usage.output_tokens': 4,
  })
})

test.each([
  ['failed', 'network'],
  ['interrupted', 'network'],
  ['cancelled', null],
  ['waiting', null],
] as const)(
  'O-2 a run that is %s has the error %j, and not the words of its failure',
  (status, error) => {
    const run = failed({ status })
    expect([runEnd(run).error, stepEnd(run).error]).toEqual([error, error])
    expect(JSON.stringify([runEnd(run), runStart(run, TELLER), stepEnd(run)])).not.toContain(
      'secret',
    )
  },
)

test('O-2 what is not known has no attribute', () => {
  const unknown = { ...SAMPLE_RUN, model: null, costUsd: null, decision: null, startedAt: null }
  const told = { ...runStart(unknown, TELLER).attributes, ...runEnd(unknown).attributes }
  for (const name of ['gen_ai.response.model', 'reprise.cost.usd', 'gen_ai.provider.name']) {
    expect(told).not.toHaveProperty([name])
  }
  expect(decisionEvent(unknown)).toBeNull()
  expect(stepEnd(unknown).attributes).not.toHaveProperty(['reprise.waited_ms'])
})

const call = (id: string, at: number, parentId: string | null = null): RunEvent => ({
  ...{ runId: 'r', seq: at, at, type: 'tool', name: 'Task', input: 'secret', parentId },
  id,
})
const result = (id: string, at: number, change: object = {}): RunEvent => ({
  ...{ runId: 'r', seq: at, at, type: 'tool-result', isError: false, denied: false },
  ...{ id, text: 'secret' },
  ...change,
})

test('O-2 each call is a span from its beginning to its result; the calls of a sub-agent are below its call', () => {
  const spans = new ToolSpans()
  const events = [
    call('a', 10),
    call('b', 11, 'a'),
    result('b', 15, { isError: true }),
    result('a', 20),
    call('c', 21),
    result('c', 22, { denied: true }),
    call('d', 23),
    result('unheard', 24),
    call('e', 25),
    result('e', 26, { outcomeUnknown: true }),
  ]
  for (const event of events) spans.see(event)
  const told = spans.of({ ...SAMPLE_RUN, endedAt: 30 })
  expect(
    told.map(({ id, parentId, start, end }) => [
      id,
      parentId,
      start.startAt,
      end.endAt,
      end.attributes['reprise.tool.outcome'],
      end.error,
    ]),
  ).toEqual([
    ['a', null, 10, 20, 'done', null],
    ['b', 'a', 11, 15, 'failed', 'failed'],
    ['c', null, 21, 22, 'denied', 'denied'],
    ['d', null, 23, 30, 'unknown', null],
    ['e', null, 25, 26, 'unknown', null],
  ])
  expect(JSON.stringify(told)).not.toContain('secret')
})

test('O-2 a run with thousands of calls has a thousand spans and says how many it left out', () => {
  const spans = new ToolSpans()
  for (let at = 0; at < 1_234; at += 1) spans.see(call(`t${at}`, at))
  expect([spans.of(SAMPLE_RUN).length, spans.untold]).toEqual([1_000, 234])
})

const DECIDED = { action: 'replay', reason: { code: 'fresh-asked' }, checks: [] } as const
const RESUMED = {
  action: 'resume',
  session: { id: 'ses_1', sessionId: 's' },
  catchUpFrom: 0,
  checks: [],
} as const
const TIMES = { queuedAt: 5, startedAt: 8, lastEventAt: 20, endedAt: 30 }

test('O-2 the span of a run begins with its process and is named after its agent', () => {
  const run = { ...SAMPLE_RUN, ...TIMES, endedAt: null, model: 'sonnet', agent: 'one' }
  expect(runStart(run, { process: 'here:1', provider: 'them' })).toEqual({
    name: 'invoke_agent one',
    startAt: 8,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'them',
      'gen_ai.agent.name': 'one',
      'gen_ai.conversation.id': SAMPLE_RUN.threadId,
      'gen_ai.request.model': 'sonnet',
      'reprise.run.id': SAMPLE_RUN.id,
      'reprise.process': 'here:1',
      'reprise.thread.id': SAMPLE_RUN.threadId,
    },
  })
  // Of a run that has ended, the model is the one that answered, not the one that was asked for.
  const ended = runStart({ ...run, endedAt: 30, startedAt: null }, TELLER)
  expect(ended.attributes).not.toHaveProperty(['gen_ai.request.model'])
  expect(ended.startAt).toBe(5)
})

test('O-2 the decision is on the span of the run and an event of its step', () => {
  const run = { ...SAMPLE_RUN, ...TIMES, decision: DECIDED }
  const attributes = {
    'reprise.decision.action': 'replay',
    'reprise.decision.reason': 'fresh-asked',
  }
  expect(decisionEvent(run)).toEqual({ name: 'reprise.decision', at: 8, attributes })
  expect(decisionEvent({ ...run, startedAt: null })?.at).toBe(5)
  expect(runEnd(run).attributes).toMatchObject(attributes)
  expect(decisionEvent({ ...run, decision: RESUMED })?.attributes).toEqual({
    'reprise.decision.action': 'resume',
  })
})

test('O-2 a step says how its run ended and how long it waited; its end is the last that is known', () => {
  const run = { ...SAMPLE_RUN, ...TIMES, status: 'completed' } as const
  expect(stepEnd(run)).toEqual({
    attributes: { 'reprise.status': 'completed', 'reprise.waited_ms': 3 },
    error: null,
    endAt: 30,
  })
  const ends = [{ endedAt: null }, { lastEventAt: null }, { startedAt: null }]
  let known: Run = run
  const times = ends.map(gone => {
    known = { ...known, ...gone }
    return stepEnd(known).endAt
  })
  expect(times).toEqual([20, 8, 5])
  expect(stepEnd(failed({ status: 'failed', failure: null })).error).toBe('unknown')
})

test('O-2 the tier of a run that belongs to no chain is not told', () => {
  const alone = { ...SAMPLE_RUN, chainId: null, jobId: null, tier: 3, attempt: 2 }
  expect(stepStart(alone).attributes).toEqual({ 'reprise.thread.id': SAMPLE_RUN.threadId })
})
