// Whole sentences and whole explanations; `explain.test.ts` has the short forms.

import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import type { Check, Decision, Reason } from './decision.ts'
import { explain, explanationOf, inWords, reasonWords, retiredWords, wordsOf } from './explain.ts'

/** Every reason that a user can read, as the sentence that the user reads. */
const SENTENCES: Record<Reason['code'], readonly (readonly [object, string])[]> = {
  'agent-cannot-resume': [[{ agent: 'codex' }, 'codex cannot resume sessions']],
  'resume-off': [[{}, 'resuming is switched off (resume.mode: never)']],
  'fresh-asked': [[{}, 'a fresh session was asked for']],
  'first-turn': [[{}, 'this is the first turn']],
  'no-session': [[{ agent: 'codex' }, 'codex has no session in this thread yet']],
  'tier-agent-changed': [
    [
      { tier: 2, was: 'claude-code', now: 'codex' },
      'tier 2 has another agent: codex, after claude-code',
    ],
  ],
  'session-unconfirmed': [
    [{ sessionId: 's1' }, 'session s1 was announced, but the agent never saved a turn under it'],
  ],
  'session-retired': [
    [
      { sessionId: 's1', because: { code: 'never-persisted' } },
      'session s1 was retired because the agent never saved anything under it',
    ],
  ],
  'history-changed': [
    [
      { shared: 0, seen: 4 },
      'the thread no longer begins with any of the 4 messages that the session has seen',
    ],
    [
      { shared: 1, seen: 4 },
      'of the 4 messages that the session has seen, only the first 1 are still in the thread',
    ],
  ],
  'foreign-turns': [
    [
      { messages: 1, shared: 0 },
      'the session holds a message that this thread does not know (somebody else continued it, or these records are older than it); the thread shares none that it could continue from',
    ],
    [
      { messages: 2, shared: 3 },
      'the session holds 2 messages that this thread does not know (somebody else continued it, or these records are older than it); the first 3 messages are shared',
    ],
  ],
  'directory-changed': [
    [{ was: '/a', now: '/b' }, 'the session belongs to /a, this turn runs in /b'],
  ],
  'runtime-changed': [
    [{ was: 'x 1', now: 'x 2' }, 'the session was written by x 1, now there is x 2'],
  ],
  'session-too-old': [
    [{ ageMs: 29_400, maxAgeMs: 1_000 }, 'the session was last used 29 s ago, the limit is 1 s'],
    [
      { ageMs: 60_000, maxAgeMs: 30_000 },
      'the session was last used 1 min ago, the limit is 1 min',
    ],
    [
      { ageMs: 120 * 60_000, maxAgeMs: 119 * 60_000 },
      'the session was last used 2 h ago, the limit is 119 min',
    ],
    [
      { ageMs: 72 * 3_600_000, maxAgeMs: 71 * 3_600_000 },
      'the session was last used 3 days ago, the limit is 71 h',
    ],
  ],
  'resumes-fruitless': [[{ count: 4, max: 3 }, '4 resumes in a row brought no answer (limit 3)']],
  'context-full': [
    [
      { tokens: 170_000, window: 200_000, threshold: 0.825 },
      "the session holds 170000 tokens, over 82.5 % of the model's 200000",
    ],
  ],
  'file-missing': [[{ path: '/s.jsonl' }, "the agent's session file is gone (/s.jsonl)"]],
  'file-damaged': [
    [
      { path: '/s.jsonl', detail: 'line 3 is torn' },
      "the agent's session file is damaged: line 3 is torn (/s.jsonl)",
    ],
  ],
  'caller-asked': [[{}, 'the program that called the agent wanted a fork']],
  'tier-entered': [[{ tier: 2 }, 'tier 2 gets a session of its own']],
  'carried-over': [[{ way: 'trimmed' }, 'the session goes on in a copy with its long outputs cut']],
  'session-busy': [[{ holder: 'run_9' }, 'run_9 uses the session right now']],
  'fact-unknown': [
    [
      { guard: 'context-fill', question: 'how full is the session?' },
      'it is not known: how full is the session?',
    ],
  ],
  'resume-refused': [
    [
      { sessionId: 's1', detail: 'No conversation found' },
      'the agent refused to continue session s1 (No conversation found)',
    ],
  ],
}

const rows = Object.entries(SENTENCES).flatMap(([code, cases]) =>
  cases.map(([data, sentence]) => [{ code, ...data } as Reason, sentence] as const),
)

test.each(rows)('D-7 the reason %j in words', (reason, sentence) => {
  expect(reasonWords(reason)).toBe(sentence)
})

test.each([
  [{ code: 'refused', detail: 'gone' }, 'the agent refused it (gone)'],
  [{ code: 'failed-twice', detail: 'no answer' }, 'two resumes in a row failed (no answer)'],
  [{ code: 'left-asking' }, 'it waits at a question that nobody will answer'],
  [{ code: 'never-persisted' }, 'the agent never saved anything under it'],
] as const)('C-2 why a session was retired: %j', (because, words) => {
  expect(retiredWords(because)).toBe(words)
})

const session = { id: 'ses_1', sessionId: 's1' }
const resumed: Decision = { action: 'resume', session, catchUpFrom: 1, checks: [] }

test('D-7 a decision is one sentence: what happens, and why if the session is not simply resumed', () => {
  expect(wordsOf(resumed)).toBe(
    "The agent's own session was resumed; it got only what it had not seen.",
  )
  expect(wordsOf({ action: 'wait', reason: { code: 'first-turn' }, checks: [] })).toBe(
    'Nothing was started yet: this is the first turn.',
  )
})

describe('D-7 an explanation', () => {
  const passed: Check = { guard: 'resume-enabled', result: 'pass', saw: 'resume mode is auto' }
  const refused: Check = {
    guard: 'fresh-not-asked',
    result: 'block',
    reason: { code: 'fresh-asked' },
  }
  const unsure = (guard: 'context-fill' | 'session-file'): Check => ({
    ...{ guard, result: 'unknown', question: `what about ${guard}?` },
  })
  const checks = [passed, unsure('session-file'), refused, unsure('context-fill')]

  test('has the words of every guard, and marks the one behind the decision', () => {
    const decision: Decision = { action: 'replay', reason: { code: 'fresh-asked' }, checks }
    expect(explain(decision)).toEqual({
      decision,
      words:
        'A new session was started with the transcript in front of the prompt: a fresh session was asked for.',
      short: 'fresh-asked',
      changes: [],
      checks: [
        { check: passed, words: 'resume mode is auto', cause: false },
        { check: checks[1], words: 'what about session-file?', cause: false },
        { check: refused, words: 'a fresh session was asked for', cause: true },
        { check: checks[3], words: 'what about context-fill?', cause: false },
      ],
    })
  })

  test.each<[string, Decision, readonly boolean[]]>([
    [
      'the guard that did not know, when an unknown fact decided',
      {
        action: 'replay',
        reason: { code: 'fact-unknown', guard: 'context-fill', question: 'x' },
        checks,
      },
      [false, false, false, true],
    ],
    [
      'no guard when the agent refused, as all of them passed',
      {
        action: 'replay',
        reason: { code: 'resume-refused', sessionId: 's1', detail: 'gone' },
        checks: checks.slice(0, 2),
      },
      [false, false],
    ],
    ['no guard of a resume', { ...resumed, checks: [passed] }, [false]],
  ])('marks %s', (_, decision, causes) => {
    expect(explain(decision).checks.map(({ cause }) => cause)).toEqual(causes)
  })

  test('is the same after a way over HTTP', () => {
    const anyReason = fc.constantFrom(...rows.map(([reason]) => reason))
    fc.assert(
      fc.property(anyReason, fc.shuffledSubarray(checks), (reason, some) => {
        const explained = explain({ action: 'replay', reason, checks: some })
        const sent = JSON.parse(JSON.stringify(inWords(explained)))
        expect(explanationOf(sent)).toEqual(explained)
        expect(sent).toMatchObject({ action: 'replay', words: explained.words })
      }),
    )
  })
})
