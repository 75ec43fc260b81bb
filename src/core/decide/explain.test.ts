import { describe, expect, test } from 'vitest'
import type { Decision, Reason } from './decision.ts'
import { explain, explanationOf, inWords, shortOf, shortReason, wordsOf } from './explain.ts'

const retired = (because: Extract<Reason, { code: 'session-retired' }>['because']) =>
  ({ code: 'session-retired', sessionId: '5b2f1c9e-aaaa', because }) as const
const runtime = (was: string, now: string) => ({ code: 'runtime-changed', was, now }) as const
const full = (tokens: number, window: number) =>
  ({ code: 'context-full', tokens, window, threshold: 0.8 }) as const
const damaged = (detail: string) => ({ code: 'file-damaged', path: '/x.jsonl', detail }) as const

describe('D-7 a reason for a table is its code and the datum that proves it', () => {
  const cases: readonly (readonly [string, Reason])[] = [
    ['agent-cannot-resume, other', { code: 'agent-cannot-resume', agent: 'other' }],
    ['resume-off', { code: 'resume-off' }],
    ['fresh-asked', { code: 'fresh-asked' }],
    ['first-turn', { code: 'first-turn' }],
    ['no-session, claude-code', { code: 'no-session', agent: 'claude-code' }],
    [
      'tier-agent-changed, codex',
      { code: 'tier-agent-changed', tier: 2, was: 'claude-code', now: 'codex' },
    ],
    [
      'session-unconfirmed, 5b2f1c9e…',
      { code: 'session-unconfirmed', sessionId: '5b2f1c9e-aaaa-bbbb' },
    ],
    [
      'session-unconfirmed, 5b2f1c9e-aaa',
      { code: 'session-unconfirmed', sessionId: '5b2f1c9e-aaa' },
    ],
    ['session-retired, refused', retired({ code: 'refused', detail: 'gone' })],
    ['session-retired, left-asking', retired({ code: 'left-asking' })],
    ['history-changed, 4 of 6 still true', { code: 'history-changed', shared: 4, seen: 6 }],
    ['foreign-turns, 2 not known', { code: 'foreign-turns', messages: 2, shared: 1 }],
    [
      'directory-changed, was /srv/shop',
      { code: 'directory-changed', was: '/srv/shop', now: '/a' },
    ],
    [
      'runtime-changed, 2.1.197 to 2.1.325',
      runtime('/usr/bin/claude 2.1.197 (resume, fork)', '/usr/bin/claude 2.1.325 (resume, fork)'),
    ],
    [
      'runtime-changed, 2.1.197 to 2.1.325',
      runtime('/my programs/claude 2.1.197', '/my programs/claude 2.1.325 (resume)'),
    ],
    ['runtime-changed, was /a/claude', runtime('/a/claude 2.1.197 ()', '/b/claude 2.1.197 ()')],
    ['runtime-changed, other abilities', runtime('/a 2.1 (resume)', '/a 2.1 (resume, fork)')],
    ['runtime-changed, was r1', runtime('r1', 'r2')],
    [
      'session-too-old, 4 days, limit 24 h',
      { code: 'session-too-old', ageMs: 100 * 3_600_000, maxAgeMs: 86_400_000 },
    ],
    ['resumes-fruitless, 3 of 3', { code: 'resumes-fruitless', count: 3, max: 3 }],
    ['context-full, 170 k of 200 k', full(170_000, 200_000)],
    ['context-full, 850 of 1 k', full(850, 1_000)],
    ['context-full, 999 k of 1 M', full(999_499, 999_500)],
    ['context-full, 1 M of 1.2 M', full(1_049_999, 1_200_000)],
    ['file-missing', { code: 'file-missing', path: '/x.jsonl' }],
    ['file-damaged, its last line is not whole', damaged('its last line\n is not whole')],
    [`file-damaged, ${'x'.repeat(40)}`, damaged('x'.repeat(40))],
    [`file-damaged, ${'x'.repeat(39)}…`, damaged('x'.repeat(41))],
    ['tier-entered, tier 3', { code: 'tier-entered', tier: 3 }],
    ['session-busy, run_c90p…', { code: 'session-busy', holder: 'run_c90p2xkq81e' }],
    [
      'fact-unknown, context-fill',
      { code: 'fact-unknown', guard: 'context-fill', question: 'how full is it?' },
    ],
    [
      'resume-refused, no conversation found',
      { code: 'resume-refused', sessionId: 'a', detail: 'no conversation found' },
    ],
  ]
  test.each(cases)('%s', (words, reason) => expect(shortReason(reason)).toBe(words))

  test('a resume needs no reason', () => {
    const resume: Decision = {
      action: 'resume',
      session: { id: 'ses_1', sessionId: 'a' },
      catchUpFrom: 0,
      checks: [],
    }
    expect(shortOf(resume)).toBe('')
    expect(explain(resume)).toMatchObject({ short: '' })
  })
})

describe('D-7 a decision that was not acted on yet is in the future tense', () => {
  const session = { id: 'ses_1', sessionId: 'a' }
  const first = { code: 'first-turn' } as const
  const edited = { code: 'history-changed', shared: 4, seen: 6 } as const
  const note = { code: 'file-missing', path: '/x' } as const
  const busy = { code: 'session-busy', holder: 'run_9' } as const
  const cases: readonly (readonly [string, Decision])[] = [
    [
      "The agent's own session is resumed; it gets only what it has not seen.",
      { action: 'resume', session, catchUpFrom: 2, checks: [] },
    ],
    [
      "A copy of the agent's session goes on, cut where it still agrees with the thread: of the 6 messages that the session has seen, only the first 4 are still in the thread.",
      { action: 'fork', session, at: 'x', catchUpFrom: 4, reason: edited, checks: [] },
    ],
    [
      'A new session starts with the transcript in front of the prompt: a fresh session was asked for.',
      { action: 'replay', reason: { code: 'fresh-asked' }, checks: [] },
    ],
    [
      "A new session starts with a handover note in front of the prompt: the agent's session file is gone (/x).",
      { action: 'handover', reason: note, checks: [] },
    ],
    [
      'A new session starts with nothing to carry over: this is the first turn.',
      { action: 'start', reason: first, checks: [] },
    ],
    [
      'Nothing starts yet: run_9 uses the session right now.',
      { action: 'wait', reason: busy, checks: [] },
    ],
  ]
  test.each(cases)('%s', (words, decision) => {
    expect(explain(decision, { tense: 'future' }).words).toBe(words)
    expect(wordsOf(decision, 'future')).toBe(words)
    expect(wordsOf(decision)).not.toBe(words)
  })
})

test('D-7 an explanation is the same after it went over the wire', () => {
  const decision: Decision = {
    action: 'replay',
    reason: { code: 'resume-off' },
    checks: [{ guard: 'resume-enabled', result: 'block', reason: { code: 'resume-off' } }],
  }
  const explanation = explain(decision)
  expect(explanationOf(JSON.parse(JSON.stringify(inWords(explanation))))).toEqual(explanation)
})
