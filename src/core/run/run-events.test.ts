import { expect, test } from 'vitest'
import {
  endedEvent,
  fallbackEvent,
  isSaidByAgent,
  queuedEvent,
  supervisedEvent,
} from './run-events.ts'
import { runEventJson, runEventOf } from './stored-events.ts'

test('T-10 a turn that waits says for what', () => {
  expect(queuedEvent({ code: 'thread-busy', runId: 'run_1' })).toEqual({
    type: 'queued',
    behind: 'run_1',
    words: 'waits for run_1, which goes first on this thread',
  })
  expect(queuedEvent({ code: 'no-slot', running: 4, max: 4 })).toEqual({
    type: 'queued',
    behind: null,
    words: 'waits for a slot: 4 of 4 turns run',
  })
})

test.each([
  ['transcript', 'a new session with the transcript'],
  ['written-session', 'a new session that is written with the conversation so far'],
  ['note', 'a new session with a handover note'],
] as const)(
  'F-5 after a refusal that is followed by a %s, the turn goes on in %s',
  (brings, place) => {
    const refused = { code: 'resume-refused', sessionId: 's1', detail: 'gone' } as const
    expect(fallbackEvent(refused, { runId: 'run_2', brings })).toEqual({
      type: 'fallback',
      nextRunId: 'run_2',
      words: `the agent refused to continue session s1 (gone); the turn goes on in ${place}`,
    })
  },
)

test('E-7 the decision of a supervisor is an event with its words', () => {
  const step = { kind: 'enter', tier: 1, because: { code: 'begun', tier: 1 } } as const
  expect(supervisedEvent(step, 'run_2')).toEqual({
    type: 'supervised',
    step,
    nextRunId: 'run_2',
    words: 'the chain began → tier 1',
  })
})

test('S21 the end of a run shows no secret that its program printed', () => {
  const end = { status: 'failed', continuedBy: null } as const
  const failure = { class: 'agent-crashed', hint: 'look', toolsRan: 1, resetsAt: null } as const
  const key = `sk-ant-api03-${'x'.repeat(40)}`
  expect(endedEvent({ ...end, failure: { ...failure, message: `bad key ${key}` } })).toEqual({
    type: 'ended',
    ...end,
    failure: { ...failure, message: 'bad key [redacted]' },
  })
  expect(endedEvent({ ...end, failure: null })).toEqual({ type: 'ended', ...end, failure: null })
})

test('C-1 Reprise separates its own events from what the agent said', () => {
  const ours = ['queued', 'started', 'answer', 'fallback', 'supervised', 'ended']
  const theirs = ['session', 'text', 'tool', 'question', 'result', 'notice', 'unknown']
  const isTheirs = (type: string) => isSaidByAgent({ type } as Parameters<typeof isSaidByAgent>[0])
  expect(ours.filter(isTheirs)).toEqual([])
  expect(theirs.filter(isTheirs)).toEqual(theirs)
})

test('C-1 a stored event is the same whether it is parsed or passed on as text', () => {
  const stored = {
    runId: 'run_"1"',
    seq: 3,
    at: 7,
    type: 'text',
    json: '{"type":"text","text":"a"}',
  }
  const event = { runId: 'run_"1"', seq: 3, at: 7, type: 'text', text: 'a' }
  expect(runEventOf(stored)).toEqual(event)
  expect(JSON.parse(runEventJson(stored))).toEqual(event)
})
