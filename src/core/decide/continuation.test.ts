import { expect, test } from 'vitest'
import { continuationOf } from './continuation.ts'
import type { Decision } from './decision.ts'

const session = { id: 'ses_1', sessionId: 'theirs' }
const rest = { reason: { code: 'fresh-asked' }, checks: [] } as const
const fork = { action: 'fork', session, catchUpFrom: 2, ...rest } as const

test.each<[Decision, object]>([
  [
    { action: 'resume', session, catchUpFrom: 2, checks: [] },
    { kind: 'resume', sessionId: 'theirs' },
  ],
  [
    { ...fork, at: 'answer-1' },
    { kind: 'fork', from: 'theirs', at: 'answer-1', sessionId: 'new' },
  ],
  [
    { ...fork, at: null },
    { kind: 'fork', from: 'theirs', at: null, sessionId: 'new' },
  ],
  [
    { action: 'replay', ...rest },
    { kind: 'new', sessionId: 'new' },
  ],
  [
    { action: 'handover', ...rest },
    { kind: 'new', sessionId: 'new' },
  ],
  [
    { action: 'start', ...rest },
    { kind: 'new', sessionId: 'new' },
  ],
])('D-2 the agent continues as decided: $action', (decision, expected) => {
  expect(continuationOf(decision, 'new')).toEqual(expected)
})
