// What an ended run leaves behind, as a table of what its stream and its session file said.
import { expect, test } from 'vitest'
import { CALL, COMPLETED, finished, GREW, REPLAY, resultOf } from '../../../test/finished-run.ts'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import { CHARS_PER_TOKEN } from '../../core/money/savings.ts'
import type { AgentResult, QuestionEvent } from '../../core/run/events.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { Failure } from '../../core/run/run.ts'
import { type Finished, settle } from './settle.ts'

test('T-8 a session knows new instructions, and runs on a new program, only when it was shown the prompt', () => {
  expect(settle(finished()).session).toMatchObject({ instructionsHash: 'new', runtime: 'agent 2' })
  const unsaved = settle(finished({ growth: NOTHING_GREW })).session
  expect(unsaved).toMatchObject({ instructionsHash: 'old', runtime: 'agent 1', seen: [] })
})

test('C-2 a session file that grew without our prompt confirms nothing', () => {
  expect(settle(finished()).session).toMatchObject({ evidence: 'file', knownEnd: 'a-1' })
  const growth = { ...GREW, holdsPrompt: false }
  expect(settle(finished({ growth })).session).toMatchObject({
    evidence: null,
    knownEnd: null,
    seen: [],
  })
})

test.each([
  ['all that was heard', false, { danglingTools: 0 }],
  ['a call without the result that was heard', true, { danglingTools: 1 }],
  ['less text than was heard', true, { text: 'ha' }],
])(
  'F-7 D-4 of a broken answer, a session that holds %s has seen only a part: %s',
  (_, isPart, growth) => {
    const observation = { ...newObservation(), text: 'half', tools: new Map([[CALL.id, CALL]]) }
    const end = settle(finished({ observation, growth: { ...GREW, tools: [CALL], ...growth } }))
    expect(end.answer).toMatchObject({ text: 'half', interrupted: true })
    expect(end.session?.seen.at(-1)).toMatchObject({ hash: end.answer?.hash, isPart })
  },
)

const failure = (kind: Failure['class'], toolsRan = 0): Failure => ({
  ...{ class: kind, message: '', hint: '', toolsRan, resetsAt: null },
})
const FORK = { action: 'fork', catchUpFrom: 0, session: { id: 'ses_1' } } as Finished['decision']

test.each([
  ['a resume that completed', {}, COMPLETED, true],
  ['a fork that completed', { decision: FORK }, COMPLETED, true],
  ['a replay', { decision: REPLAY }, COMPLETED, false],
  ['a resume that broke off', {}, { kind: 'failed', failure: failure('network') }, true],
  ['a refused resume', {}, { kind: 'failed', failure: failure('resume-refused') }, false],
  ['a fork without its anchor', {}, { kind: 'failed', failure: failure('anchor-missing') }, false],
] as const)('T-11 %s counts as resumed, or not', (_, change, outcome, expected) => {
  const end = settle(finished({ ...change, outcome: outcome as Finished['outcome'] }))
  expect(end.sessionResumed).toBe(expected)
})

test.each([
  ['the text that was heard', 'heard', {}, COMPLETED, 'heard'],
  ['the text of the result where nothing was heard', '', { text: 'result' }, COMPLETED, 'result'],
  ['what was heard, not the result', 'heard', { text: 'result' }, COMPLETED, 'heard'],
])('C-7 the answer of a completed run is %s', (_, text, result, outcome, expected) => {
  const observation = { ...newObservation(), text, result: resultOf(result) }
  const growth = { ...GREW, text: '' }
  expect(settle(finished({ observation, growth, outcome })).answer).toMatchObject({
    id: 'msg_2',
    role: 'assistant',
    agent: 'claude-code',
    runId: 'run_1',
    createdAt: 2,
    text: expected,
    interrupted: false,
  })
})

test('F-2 neither the text of a failed result nor half an answer of a refused session is an answer', () => {
  const outcome = { kind: 'failed', failure: failure('network') } as Finished['outcome']
  const observation = { ...newObservation(), result: resultOf({ ok: false, text: 'API down' }) }
  const growth = NOTHING_GREW
  expect(settle(finished({ observation, growth, outcome })).answer).toBeNull()
  const heard = { ...newObservation(), text: 'half' }
  const fallback = { type: 'fallback', nextRunId: 'run_2', words: 'refused' } as const
  expect(settle(finished({ observation: heard, growth, outcome })).answer?.text).toBe('half')
  const end = settle(finished({ observation: heard, growth, outcome, fallback }))
  expect(end).toMatchObject({ answer: null, next: { runId: 'run_2' } })
  expect(end.events.map(({ type, at }) => [type, at])).toEqual([['fallback', 2]])
})

test('F-7 an answer that only the session file holds whole is not interrupted', () => {
  const observation = { ...newObservation(), result: resultOf({ text: 'whole' }) }
  const growth = { ...GREW, complete: true, text: 'whole' }
  expect(settle(finished({ observation, growth })).answer).toMatchObject({
    text: 'whole',
    interrupted: false,
  })
  const tools = [CALL]
  const called = settle(finished({ growth: { ...NOTHING_GREW, tools } })).answer
  expect(called).toMatchObject({ text: '', interrupted: true, tools: [{ id: 'call' }] })
})

const QUESTION = {
  type: 'question',
  toolUseId: 'ask',
  requestId: null,
  kind: 'question',
  tool: 'AskUserQuestion',
  input: '{"password":"hunter2"}',
} as unknown as QuestionEvent

test.each([
  ['the stream of a completed run', COMPLETED, QUESTION, null, 'ask'],
  ['the session file of an interrupted run', undefined, null, QUESTION, 'ask'],
  [
    'nothing of a failed run',
    { kind: 'failed', failure: failure('network') },
    QUESTION,
    QUESTION,
    null,
  ],
])('T-7 a parked question comes from %s', (_, outcome, heard, saved, expected) => {
  const end = settle(
    finished({
      ...(outcome && { outcome: outcome as Finished['outcome'] }),
      observation: { ...newObservation(), parked: heard },
      growth: { ...GREW, parked: saved },
    }),
  )
  expect(end.parked?.toolUseId ?? null).toBe(expected)
  expect(end.events.map(({ type }) => type)).toEqual(expected === null ? [] : ['question'])
  expect(JSON.stringify([end.parked, end.events])).not.toContain('hunter2')
})

test('a chain asks no user: its parked call is in the log and waits for nobody', () => {
  const { run } = finished()
  const end = settle(
    finished({
      outcome: COMPLETED,
      run: { ...run, chainId: 'chn_1' },
      observation: { ...newObservation(), parked: QUESTION },
    }),
  )
  expect(end.parked).toBeNull()
  expect(end.events.map(({ type }) => type)).toEqual(['question'])
})

test('M-1 a run has its duration, its turns, its model and the window that its own model reported', () => {
  const models = (names: readonly string[]) =>
    Object.fromEntries(names.map((name, index) => [name, { contextWindow: 1_000 * (index + 1) }]))
  const windowWith = (names: readonly string[]) => {
    const lastResult = resultOf({ models: models(names) as unknown as AgentResult['models'] })
    const observation = { ...newObservation(), lastResult, result: lastResult }
    return settle(finished({ observation })).contextWindow
  }
  expect(windowWith(['m', 'other'])).toBe(1_000)
  expect(windowWith(['other', 'm'])).toBe(2_000)
  // The only one reported is the run's own, under a longer name; of several, any may be a sub-agent's.
  expect(windowWith(['longer-m'])).toBe(1_000)
  expect(windowWith(['other', 'another'])).toBe(200_000)
  const observation = { ...newObservation(), model: 'seen', result: resultOf({}) }
  expect(settle(finished({ observation }))).toMatchObject({
    durationMs: 1,
    turns: 3,
    model: 'seen',
  })
  expect(settle(finished())).toMatchObject({ turns: 0, model: 'm', sessionId: 's' })
  const { run } = finished()
  expect(settle(finished({ run: { ...run, startedAt: null } })).durationMs).toBeNull()
  const unnamed = { ...newObservation(), announcedSessionId: 'announced' }
  expect(settle(finished({ session: null, observation: unnamed })).sessionId).toBe('announced')
})

test('S21 what the program wrote to stderr is stored without secrets', () => {
  const exit = { code: 1, stderr: 'password=hunter2' } as unknown as Finished['exit']
  expect(settle(finished({ exit })).exit).toMatchObject({ code: 1, stderr: 'password=[redacted]' })
  expect(settle(finished()).exit).toBeNull()
})

test('D-6 a run that broke off before anything was measured fills its session by the size of its messages, never by less than before', () => {
  const long = { text: 'x'.repeat(4_000) } as Finished['view'][number]
  const filled = (contextTokens: number | null, view: Finished['view']) => {
    const { session } = finished()
    const given = session && { ...session, contextTokens }
    return settle(finished({ session: given, view })).session?.contextTokens
  }
  expect(filled(null, [long])).toBe(Math.ceil(4_005 / CHARS_PER_TOKEN))
  expect(filled(1_000_000, [long])).toBe(1_000_000)
  expect(filled(null, [])).toBe(Math.ceil(5 / CHARS_PER_TOKEN))
})

test('T-7 a parked question may be answered until it expires', () => {
  const observation = { ...newObservation(), parked: QUESTION }
  const end = settle(finished({ outcome: COMPLETED, observation, expireAfterMs: 30 }))
  expect(end.parked).toMatchObject({ askedAt: 2, expiresAt: 32 })
})

test('C-7 a completed run that was heard answers with that, although its file holds more', () => {
  const observation = { ...newObservation(), text: 'heard' }
  const growth = { ...GREW, text: 'heard, and more of it' }
  expect(settle(finished({ observation, growth, outcome: COMPLETED })).answer?.text).toBe('heard')
  expect(settle(finished({ observation, growth })).answer?.text).toBe('heard, and more of it')
})

test.each<[string, object, object, boolean]>([
  ['whole, with its prompt', {}, COMPLETED, false],
  ['broken off, with spaces around it', { text: ' half ' }, {}, false],
  ['by the word of the agent alone', { anchors: [], by: 'word' }, COMPLETED, false],
  ['without a message of the answer', { anchors: [] }, COMPLETED, true],
])('D-4 a session that holds an answer %s has seen all of it: %j', (_, growth, outcome, lacks) => {
  const observation = { ...newObservation(), text: 'half' }
  const given = 'kind' in outcome ? { outcome: outcome as Finished['outcome'] } : {}
  const end = settle(finished({ observation, growth: { ...GREW, ...growth }, ...given }))
  const seen = end.session?.seen.find(({ hash }) => hash === end.answer?.hash)
  expect(seen === undefined || seen.isPart).toBe(lacks)
})

test('F-7 a call whose end is unknown makes the session hold only a part of the answer', () => {
  const open = { ...CALL, id: 'open', result: null }
  const tools = new Map<string, typeof CALL | typeof open>([
    [CALL.id, CALL],
    [open.id, open],
  ])
  const observation = { ...newObservation(), text: 'half', tools } as Finished['observation']
  const end = settle(finished({ observation, growth: { ...GREW, tools: [CALL] } }))
  expect(end.session?.seen.at(-1)).toMatchObject({ hash: end.answer?.hash, isPart: true })
})
