import { expect, test } from 'vitest'
import { continuationOf, continuesWritten, isNative } from './continuation.ts'
import type { Decision } from './decision.ts'

const session = { id: 'ses_1', sessionId: 'theirs' }
const rest = { reason: { code: 'fresh-asked' }, checks: [] } as const
const trimmed = { way: 'trimmed' } as NonNullable<Extract<Decision, { action: 'fork' }>['carry']>
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

test.each<[string, Decision, boolean, boolean]>([
  ['a replay with roles', { action: 'replay', form: 'native', ...rest }, true, true],
  ['a replay in the prompt', { action: 'replay', ...rest }, false, false],
  ['a trimmed copy', { ...fork, at: null, carry: trimmed }, false, true],
  ['a whole fork', { ...fork, at: null, carry: { ...trimmed, way: 'whole' } }, false, false],
  ['a fork', { ...fork, at: null }, false, false],
  [
    'a handover that names a form',
    { action: 'handover', form: 'native', ...rest } as Decision,
    false,
    false,
  ],
  [
    'a resume that names a way',
    { action: 'resume', session, catchUpFrom: 0, checks: [], carry: trimmed } as Decision,
    false,
    false,
  ],
])('W-3 E-15 %s continues a file that we made', (_, decision, native, written) => {
  expect([isNative(decision), continuesWritten(decision)]).toEqual([native, written])
  const continued = { kind: 'written', sessionId: 'new' }
  if (written) expect(continuationOf(decision, 'new')).toEqual(continued)
  // Where the agent chooses the id of a session, none can be written for it.
  expect(continuationOf(decision, null)).not.toMatchObject({ kind: 'written' })
})
