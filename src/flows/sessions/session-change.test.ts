// What a run leaves of its session, as a table of how the run ended and what its session file holds.
import { describe, expect, test } from 'vitest'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import { FOREIGN } from '../../core/decide/history.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { FailureClass } from '../../core/run/run.ts'
import { announcedSession, newSession } from './new-session.ts'
import { type Measured, type SessionUse, sessionChange } from './session-change.ts'

const GREW = { ...NOTHING_GREW, grew: true, holdsPrompt: true, anchors: ['a-1', 'a-2'], end: 'e' }
const COMPLETED = { kind: 'completed' }
const ANSWER = { hash: 'answer' } as Measured['answer']
const MEASURED: Measured = {
  answer: ANSWER,
  answerSeen: true,
  model: 'measured',
  contextTokens: 42,
  contextWindow: 1_000,
}

const broken = (kind: FailureClass, how: 'failed' | 'interrupted' | 'cancelled' = 'failed') => ({
  kind: how,
  failure: { class: kind, message: `it was ${kind}`, hint: '', toolsRan: 0, resetsAt: null },
})

/** Only what a change looks at: a resume that completed, unless the test says something else. */
function changeOf(use: object = {}, measured: Partial<Measured> = {}) {
  const given = {
    run: { runtime: 'agent 2' },
    session: {
      id: 'ses_1',
      runtime: 'agent 1',
      model: 'before',
      instructionsHash: 'old',
      contextTokens: 7,
      failedResumes: 0,
    },
    decision: { action: 'resume', catchUpFrom: 1, session: { id: 'ses_1' } },
    view: [{ hash: 'one' }, { hash: 'two' }],
    prompt: { hash: 'prompt' },
    sent: { prompt: 'go on' },
    instructionsHash: 'new',
    growth: GREW,
    observation: newObservation(),
    outcome: COMPLETED,
    ...use,
  }
  return sessionChange(given as unknown as SessionUse, { ...MEASURED, ...measured })
}

const REPLAY = { decision: { action: 'replay' } }
const FORK = { decision: { action: 'fork', catchUpFrom: 1, session: { id: 'ses_1' }, at: 'a' } }
const seen = (hash: string, anchor: string | null = null, isPart = false) => ({
  hash,
  anchor,
  isPart,
})

describe('C-2 a session that holds the turn', () => {
  test('is confirmed, and has seen what it had missed, the prompt and the answer with its anchor', () => {
    expect(changeOf()).toMatchObject({
      id: 'ses_1',
      evidence: 'file',
      knownEnd: 'e',
      seen: [seen('two'), seen('prompt'), seen('answer', 'a-2')],
      runtime: 'agent 2',
      model: 'measured',
      instructionsHash: 'new',
      contextTokens: 42,
      contextWindow: 1_000,
      retire: null,
      fruitless: 'reset',
      failed: 'reset',
    })
  })

  test('has seen the whole view when it is new', () => {
    expect(changeOf(REPLAY)?.seen.map(({ hash }) => hash)).toEqual([
      'one',
      'two',
      'prompt',
      'answer',
    ])
  })

  test('D-9 has seen messages of others before ours', () => {
    const change = changeOf({ growth: { ...GREW, foreignBefore: 2 } })
    expect(change?.seen.slice(0, 3)).toEqual([FOREIGN, FOREIGN, seen('two')])
  })

  test.each([
    ['a part of its answer', {}, { answerSeen: false }, [seen('answer', null, true)]],
    ['no answer', {}, { answer: null }, []],
    ['an answer without an anchor', { anchors: [] }, {}, []],
    ['a parked call', { parked: {} }, {}, [seen('answer')]],
    ['a parked call without words', { parked: {} }, { answer: null }, []],
  ])('D-4 with %s has seen so much of it', (_, growth, measured, expected) => {
    const change = changeOf({ growth: { ...GREW, ...growth } }, measured)
    expect(change?.seen.slice(2)).toEqual(expected)
  })

  test('L-3 has the cost and the stop reason that the agent named', () => {
    const observation = {
      ...newObservation(),
      result: { stopReason: 'end_turn' },
      lastResult: { totalCostUsd: 3 },
    }
    expect(changeOf({ observation })).toMatchObject({
      reportedCostUsd: 3,
      lastStopReason: 'end_turn',
    })
    expect(changeOf()).toMatchObject({ reportedCostUsd: null, lastStopReason: null })
  })
})

test.each([
  ['did not grow', { grew: false }],
  ['grew without our prompt', { holdsPrompt: false }],
])('C-2 a session whose file %s is as it was', (_, growth) => {
  expect(changeOf({ growth: { ...GREW, ...growth } }, { model: null })).toMatchObject({
    evidence: null,
    knownEnd: null,
    seen: [],
    runtime: 'agent 1',
    model: 'before',
    instructionsHash: 'old',
    contextTokens: 7,
  })
})

test('C-7 a run without a runtime keeps that of its session; without a session nothing changes', () => {
  expect(changeOf({ run: { runtime: null } })?.runtime).toBe('agent 1')
  expect(changeOf({ session: null })).toBeNull()
})

describe('C-4 F-4 a session is retired', () => {
  const UNSAVED = { growth: { ...GREW, holdsPrompt: false } }
  const PARKED = { growth: { ...GREW, parked: {} } }
  const once = { session: { id: 'ses_1', failedResumes: 1 } }

  test.each([
    ['after a resume that completed', {}, null],
    [
      'after a new one that was never saved',
      { ...REPLAY, ...UNSAVED },
      { code: 'never-persisted' },
    ],
    ['after a fork that was never saved', { ...FORK, ...UNSAVED }, { code: 'never-persisted' }],
    ['after a resume whose prompt is not in the file', UNSAVED, null],
    [
      'with an answer that it lacks',
      { ...UNSAVED, sent: { answerTo: 'call' } },
      { code: 'left-asking' },
    ],
    ['with an answer that it has', { sent: { answerTo: 'call' } }, null],
    [
      'at a question, when it failed',
      { ...PARKED, outcome: broken('network') },
      { code: 'left-asking' },
    ],
    [
      'at a question, when it was broken off',
      { ...PARKED, outcome: broken('silent', 'interrupted') },
      null,
    ],
    [
      'when the agent refused it',
      { outcome: broken('resume-refused') },
      { code: 'refused', detail: 'it was resume-refused' },
    ],
    ['after one failed resume', { outcome: broken('agent-crashed') }, null],
    [
      'after two failed resumes',
      { ...once, outcome: broken('agent-crashed') },
      { code: 'failed-twice', detail: 'it was agent-crashed' },
    ],
    ['after two that the network failed', { ...once, outcome: broken('network') }, null],
    ['after a replay that failed', { ...REPLAY, ...once, outcome: broken('agent-crashed') }, null],
    [
      'after two failed forks',
      { ...FORK, ...once, outcome: broken('no-result') },
      { code: 'failed-twice', detail: 'it was no-result' },
    ],
  ])('%s, or not', (_, use, expected) => {
    expect(changeOf(use)?.retire).toEqual(expected)
  })
})

test.each([
  ['a resume that completed', {}, 'reset'],
  ['a resume that crashed', { outcome: broken('agent-crashed') }, 'count'],
  ['a fork that crashed', { ...FORK, outcome: broken('agent-crashed') }, 'count'],
  ['a replay that crashed', { ...REPLAY, outcome: broken('agent-crashed') }, 'keep'],
  ['a resume without a network', { outcome: broken('network') }, 'keep'],
  ['a resume that was cancelled', { outcome: broken('cancelled', 'cancelled') }, 'keep'],
])('F-4 %s counts against its session: %j', (_, use, expected) => {
  expect(changeOf(use)?.failed).toBe(expected)
})

describe('I7 a resume that brings nothing is counted', () => {
  const NOTHING = { growth: { ...GREW, anchors: [] } }
  const unseen = { answerSeen: false }
  test.each([
    ['nothing, completed', NOTHING, unseen, 'count'],
    ['nothing, silent', { ...NOTHING, outcome: broken('silent') }, unseen, 'count'],
    ['nothing, too slow', { ...NOTHING, outcome: broken('too-slow') }, unseen, 'count'],
    ['nothing, crashed', { ...NOTHING, outcome: broken('agent-crashed') }, unseen, 'count'],
    ['nothing, without a network', { ...NOTHING, outcome: broken('network') }, unseen, 'keep'],
    ['nothing, in a fork', { ...NOTHING, ...FORK }, unseen, 'keep'],
    ['an answer', NOTHING, {}, 'reset'],
    ['an anchor', { outcome: broken('silent') }, unseen, 'reset'],
  ])('%s: %s', (_, use, measured, expected) => {
    expect(changeOf(use, measured)?.fruitless).toBe(expected)
  })
})

describe('C-5 the record of a session that a run begins', () => {
  const situation = {
    agent: { name: 'claude-code', runtime: { fingerprint: 'agent 2' } },
    threadId: 'thr_1',
    workDir: '/project',
    model: 'sonnet',
  }
  const source = { seen: [seen('one', 'a-1'), seen('two', 'a-2'), seen('three', 'a-3')] }
  type Plan = Parameters<typeof newSession>[2]
  const begun = (decision: object, from: object | null = source) =>
    newSession('ses_2', 'uuid', {
      situation,
      decision,
      source: from,
      instructions: { hash: 'hash' },
    } as unknown as Plan)

  test('has the agent, the place and the instructions of its run, and has seen nothing', () => {
    expect(begun({ action: 'replay' })).toEqual({
      id: 'ses_2',
      sessionId: 'uuid',
      threadId: 'thr_1',
      agent: 'claude-code',
      workDir: '/project',
      model: 'sonnet',
      runtime: 'agent 2',
      forkedFrom: null,
      instructionsHash: 'hash',
      knownEnd: null,
      seen: [],
    })
  })

  test.each([
    ['at an answer', 'a-2', source.seen.slice(0, 2)],
    ['at its end', null, source.seen],
    ['at an answer that nobody knows', 'a-9', []],
  ])('E-3 of a fork that is cut %s holds what the fork has seen', (_, at, expected) => {
    const fork = { action: 'fork', session: { id: 'ses_1' }, at }
    expect(begun(fork)).toMatchObject({ forkedFrom: 'ses_1', seen: expected })
    expect(begun(fork, null).seen).toEqual([])
  })

  test('is made before the start only where we choose the id', () => {
    const random = { id: () => 'ses_3' }
    const plan = (continuation: object) =>
      ({
        situation,
        decision: { action: 'start' },
        source: null,
        instructions: { hash: null },
        spec: { continuation },
      }) as never
    const announced = (continuation: object) =>
      announcedSession({ random } as never, plan(continuation))
    expect(announced({ kind: 'new', sessionId: 'uuid' })).toMatchObject({
      id: 'ses_3',
      sessionId: 'uuid',
    })
    expect(announced({ kind: 'new', sessionId: null })).toBeNull()
    expect(announced({ kind: 'resume', sessionId: 'uuid' })).toBeNull()
  })
})

test('C-2 a model that does not exist is not the model of its session', () => {
  const missing = broken('model-not-found')
  expect(changeOf({ outcome: missing })?.model).toBe('before')
  expect(changeOf({ outcome: missing, decision: { action: 'start' } })?.model).toBeNull()
  expect(changeOf({ outcome: broken('network') })?.model).toBe('measured')
})
