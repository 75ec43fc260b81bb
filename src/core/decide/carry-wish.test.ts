import { expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import type { Carry } from '../chain/carry.ts'
import { carryWish, fitsWithout } from './carry-wish.ts'
import { decide } from './decide.ts'
import type { Facts, SessionFacts } from './decision.ts'
import { DEFAULT_RESUME } from './settings.ts'

const session: SessionFacts = { ...SAMPLE_SESSION, relation: { kind: 'same', shared: 4 } }
const going: Facts = { ...SAMPLE_FACTS, viewLength: 4, sessions: [session] }
const withSession = (more: Partial<SessionFacts>): Facts => ({
  ...going,
  sessions: [{ ...session, ...more }],
})
const full = withSession({ contextTokens: 190_000 })
const entering: Facts = { ...going, purpose: { kind: 'chain', tier: 2, enters: true } }

const wishOf = (carry: Carry | undefined, facts: Facts, writtenWasRefused = false) => {
  const settings = DEFAULT_RESUME
  return carryWish(decide(facts, settings), { carry, facts, settings, writtenWasRefused })
}

test.each<readonly [string, Carry | undefined, Facts, object | null]>([
  ['nothing is asked for', undefined, going, null],
  ['the whole session goes on anyway', 'whole', going, null],
  ['a first turn has nothing to carry', 'note', { ...going, viewLength: 0, sessions: [] }, null],
  [
    'a copy of the session can go on',
    'trimmed',
    going,
    { kind: 'copy', isTooFull: false, decision: { action: 'fork', at: null, catchUpFrom: 4 } },
  ],
  [
    'a note instead of a session that could go on',
    'note',
    going,
    { kind: 'copy', decision: { reason: { code: 'carried-over', way: 'note' } } },
  ],
  [
    'a note instead of a transcript',
    'note',
    withSession({ file: { state: 'missing', path: '/f' } }),
    {
      kind: 'note',
      decision: {
        action: 'handover',
        reason: { code: 'file-missing' },
        carry: { way: 'note', because: 'set' },
      },
    },
  ],
  [
    'another agent joins with a note',
    'note',
    { ...going, sessions: [] },
    { kind: 'note', decision: { action: 'handover', reason: { code: 'no-session' } } },
  ],
  [
    'a session that is too full may fit when it is cut',
    'auto',
    full,
    { kind: 'copy', isTooFull: true, decision: { action: 'fork', session: { id: 'ses_1' } } },
  ],
  [
    'a session whose file is gone as well cannot be cut',
    'auto',
    withSession({
      contextTokens: 190_000,
      file: { state: 'restorable', path: '/f', detail: 'gone' },
    }),
    null,
  ],
  [
    'a transcript in the prompt is short already',
    'trimmed',
    { ...going, freshSession: true },
    null,
  ],
  [
    'a session that we write can be cut',
    'auto',
    { ...going, freshSession: true, replayForm: { form: 'native' } },
    { kind: 'replay', decision: { action: 'replay', form: 'native' } },
  ],
  [
    'a tier that enters',
    'note',
    entering,
    { kind: 'copy', decision: { reason: { code: 'tier-entered' } } },
  ],
  [
    'a tier whose session below is too full',
    'trimmed',
    { ...full, purpose: { kind: 'chain', tier: 2, enters: true } },
    { kind: 'copy', isTooFull: true, decision: { reason: { code: 'tier-entered' } } },
  ],
  [
    'a tier that stays where it is',
    'note',
    { ...going, purpose: { kind: 'chain', tier: 2, enters: false, ownSessions: ['aaaa'] } },
    null,
  ],
])('E-15 %s (carry: %s)', (_, carry, facts, wish) => {
  const found = wishOf(carry, facts)
  if (wish === null) expect(found).toBeNull()
  else expect(found).toMatchObject(wish)
})

test('E-15 the guard that found a session too full stays in the record of its cut copy', () => {
  const wish = wishOf('trimmed', full)
  expect(wish?.decision.checks).toContainEqual(
    expect.objectContaining({ guard: 'context-fill', result: 'block' }),
  )
})

test('E-15 F-1 after the agent refused a written session no other one is written, but a note can still be sent', () => {
  expect(wishOf('trimmed', going, true)).toBeNull()
  expect(wishOf('note', { ...going, sessions: [] }, true)).toMatchObject({ kind: 'note' })
})

test.each([
  [30_000, true],
  [29_999, false],
])(
  'E-15 a session of 190,000 tokens without %i of them fits under 80 %% of 200,000: %s',
  (cut, fits) => {
    const room = { facts: { ...full, contextWindow: 200_000 }, settings: DEFAULT_RESUME }
    expect(fitsWithout(cut, { ...room, sessionId: session.id })).toBe(fits)
    expect(fitsWithout(cut, { ...room, sessionId: 'another' })).toBe(false)
  },
)
