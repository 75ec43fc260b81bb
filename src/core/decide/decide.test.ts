import { describe, expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import { afterRefusal, decide } from './decide.ts'
import type { Facts, GuardName, Purpose, Relation, SessionFacts } from './decision.ts'
import { GUARDS } from './decision.ts'
import { explain, GUARD_WORDS, wordsOf } from './explain.ts'
import type { ResumeSettings } from './settings.ts'
import { DEFAULT_RESUME } from './settings.ts'

const session = SAMPLE_SESSION

const facts = SAMPLE_FACTS

const withSession = (change: Partial<SessionFacts>): Facts => ({
  ...facts,
  sessions: [{ ...session, ...change }],
})
const cannotFork: Facts = {
  ...facts,
  abilities: { ...facts.abilities, fork: false, forkAtMessage: false },
}
const diverged: Relation = {
  kind: 'diverged',
  shared: 3,
  seen: 6,
  fork: { shared: 2, anchor: 'anchor-2' },
}

test('D-1 resumes when every guard passes, and needs no reason for it', () => {
  const decision = decide(facts, DEFAULT_RESUME)
  expect(decision).toMatchObject({
    action: 'resume',
    session: { id: 'ses_1', sessionId: 'aaaa' },
    catchUpFrom: 2,
  })
  expect(decision.checks.map(check => check.result)).toEqual(GUARDS.map(() => 'pass'))
})

describe('D-3 each guard alone keeps a session from being resumed, and is named as the reason', () => {
  const cases: readonly {
    guard: GuardName
    code: string
    facts?: Facts
    settings?: Partial<ResumeSettings>
    action?: string
  }[] = [
    {
      guard: 'agent-can-resume',
      code: 'agent-cannot-resume',
      facts: { ...facts, abilities: { ...facts.abilities, resume: false } },
    },
    { guard: 'resume-enabled', code: 'resume-off', settings: { mode: 'never' } },
    { guard: 'fresh-not-asked', code: 'fresh-asked', facts: { ...facts, freshSession: true } },
    {
      guard: 'prior-turn',
      code: 'first-turn',
      facts: { ...facts, viewLength: 0, sessions: [] },
      action: 'start',
    },
    { guard: 'session-confirmed', code: 'no-session', facts: { ...facts, sessions: [] } },
    {
      guard: 'session-confirmed',
      code: 'session-unconfirmed',
      facts: withSession({ pointer: 'announced' }),
    },
    {
      guard: 'session-not-retired',
      code: 'session-retired',
      facts: withSession({
        pointer: 'retired',
        retiredBecause: { code: 'refused', detail: 'No conversation found' },
      }),
    },
    {
      guard: 'history-shared',
      code: 'history-changed',
      facts: { ...cannotFork, sessions: [{ ...session, relation: diverged }] },
    },
    {
      guard: 'same-work-dir',
      code: 'directory-changed',
      facts: { ...facts, workDir: '/elsewhere' },
    },
    {
      guard: 'same-runtime',
      code: 'runtime-changed',
      facts: { ...facts, runtime: 'openclaude 1.0' },
    },
    { guard: 'session-age', code: 'session-too-old', settings: { maxSessionAgeMs: 59_999 } },
    {
      guard: 'fruitless-resumes',
      code: 'resumes-fruitless',
      facts: withSession({ fruitlessResumes: 3 }),
    },
    { guard: 'context-fill', code: 'context-full', facts: withSession({ contextTokens: 160_001 }) },
    { guard: 'context-fill', code: 'fact-unknown', facts: withSession({ contextTokens: null }) },
    { guard: 'context-fill', code: 'fact-unknown', facts: { ...facts, contextWindow: null } },
    {
      guard: 'session-file',
      code: 'file-missing',
      facts: withSession({ file: { state: 'missing', path: '/x.jsonl' } }),
    },
    {
      guard: 'session-file',
      code: 'file-damaged',
      facts: withSession({ file: { state: 'damaged', path: '/x.jsonl', detail: 'torn' } }),
    },
    {
      guard: 'session-file',
      code: 'fact-unknown',
      facts: withSession({ file: { state: 'unknown' } }),
    },
    {
      guard: 'session-free',
      code: 'session-busy',
      facts: withSession({ heldBy: 'run_9' }),
      action: 'wait',
    },
  ]
  test.each(cases)('$guard → $code', row => {
    const decision = decide(row.facts ?? facts, { ...DEFAULT_RESUME, ...row.settings })
    expect(decision.action).toBe(row.action ?? 'replay')
    expect(decision).toMatchObject({ reason: { code: row.code } })
    expect(decision.checks).toHaveLength(GUARDS.length)
    const cause = explain(decision).checks.find(check => check.cause)
    expect(cause?.check.guard).toBe(row.guard)
  })

  test('every guard has such a case', () => {
    expect(new Set(cases.map(row => row.guard))).toEqual(new Set(GUARDS))
  })
})

test('D-4 forks at the last shared answer when the session saw what was edited', () => {
  const decision = decide(withSession({ relation: diverged }), DEFAULT_RESUME)
  expect(decision).toMatchObject({
    action: 'fork',
    at: 'anchor-2',
    catchUpFrom: 2,
    reason: { code: 'history-changed', shared: 3, seen: 6 },
  })
})

test('D-4 forks at the last shared answer when somebody else continued the session, and says so', () => {
  const foreign: Relation = { ...diverged, foreign: 2 }
  const decision = decide(withSession({ relation: foreign }), DEFAULT_RESUME)
  const reason = { code: 'foreign-turns', messages: 2, shared: 3 }
  expect(decision).toMatchObject({ action: 'fork', at: 'anchor-2', catchUpFrom: 2, reason })
  expect(explain(decision).words).toContain(
    'the session holds 2 messages that this thread does not know',
  )
  const replayed = { ...cannotFork, sessions: [{ ...session, relation: foreign }] }
  expect(decide(replayed, DEFAULT_RESUME)).toMatchObject({ action: 'replay', reason })
})

test('V-1 the check says that our copy replaced the session file, from when it is, and why', () => {
  const restored = { keptAt: Date.UTC(2026, 10, 16, 17, 50), because: 'it is not there' }
  const decision = decide(withSession({ file: { state: 'present', restored } }), DEFAULT_RESUME)
  const file = explain(decision).checks.find(({ check }) => check.guard === 'session-file')
  expect(file?.words).toBe(
    "our copy of 2026-11-16T17:50:00.000Z replaced the agent's session file (what was wrong with it: it is not there)",
  )
})

test('D-4 does not fork when anything besides the history speaks against the session', () => {
  const moved = { ...withSession({ relation: diverged }), workDir: '/elsewhere' }
  expect(decide(moved, DEFAULT_RESUME)).toMatchObject({
    action: 'replay',
    reason: { code: 'history-changed' },
  })
})

test('D-4 of several sessions the one that shares most is continued', () => {
  const behind: SessionFacts = {
    ...session,
    id: 'ses_2',
    lastMessageAt: 9_000,
    relation: { kind: 'behind', shared: 1 },
  }
  const decision = decide({ ...facts, sessions: [behind, session] }, DEFAULT_RESUME)
  expect(decision).toMatchObject({ action: 'resume', session: { id: 'ses_1' } })
})

test('D-4 a session that shares less is continued when the best one cannot be', () => {
  const lost: SessionFacts = { ...session, file: { state: 'missing', path: '/gone' } }
  const behind: SessionFacts = {
    ...session,
    id: 'ses_2',
    relation: { kind: 'behind', shared: 1 },
  }
  const decision = decide({ ...facts, sessions: [lost, behind] }, DEFAULT_RESUME)
  expect(decision).toMatchObject({ action: 'resume', session: { id: 'ses_2' }, catchUpFrom: 1 })
})

test.each<[string, readonly SessionFacts[], Partial<Facts['abilities']>, string]>([
  [
    'a confirmed one before one that is only announced, also when that one shares more',
    [
      { ...session, id: 'announced', pointer: 'announced' },
      { ...session, id: 'confirmed', relation: { kind: 'behind', shared: 1 } },
    ],
    {},
    'confirmed',
  ],
  [
    'of two that share the same, the latest',
    [
      { ...session, id: 'older' },
      { ...session, id: 'latest', lastMessageAt: 2_000 },
      { ...session, id: 'oldest', lastMessageAt: 0 },
    ],
    {},
    'latest',
  ],
  [
    'one that can be forked where it shares most',
    [
      { ...session, id: 'behind', relation: { kind: 'behind', shared: 1 } },
      { ...session, id: 'forked', relation: diverged },
    ],
    {},
    'forked',
  ],
  [
    'one that shares less, where the agent cannot cut at a message',
    [
      { ...session, id: 'behind', relation: { kind: 'behind', shared: 1 } },
      { ...session, id: 'forked', relation: diverged },
    ],
    { forkAtMessage: false },
    'behind',
  ],
  [
    'one that shares nothing before one without a place to fork',
    [
      { ...session, id: 'lost', relation: { ...diverged, fork: null } },
      { ...session, id: 'empty', relation: { kind: 'behind', shared: 0 } },
    ],
    {},
    'empty',
  ],
])('D-4 of several sessions is continued: %s', (_, sessions, abilities, id) => {
  const known = { ...facts, sessions, abilities: { ...facts.abilities, ...abilities } }
  expect(decide(known, DEFAULT_RESUME)).toMatchObject({ session: { id } })
})

test('D-4 the record of a replay shows the checks of the session that shares most', () => {
  const lost = { state: 'missing', path: '/gone' } as const
  const sessions: readonly SessionFacts[] = [
    { ...session, id: 'retired', pointer: 'retired', retiredBecause: { code: 'left-asking' } },
    { ...session, id: 'unsaved', pointer: 'announced' },
    { ...session, id: 'behind', file: lost, relation: { kind: 'behind', shared: 1 } },
    { ...session, id: 'closest', file: { ...lost, path: '/closest' } },
  ]
  const reason = { code: 'file-missing', path: '/closest' }
  expect(decide({ ...facts, sessions }, DEFAULT_RESUME)).toMatchObject({ reason })
})

describe('E-3 a tier of a chain', () => {
  const inTier = (more: Partial<Purpose>, change: Partial<Facts> = {}) =>
    decide(
      { ...facts, purpose: { kind: 'chain', tier: 2, enters: false, ...more }, ...change },
      DEFAULT_RESUME,
    )
  const forked = {
    action: 'fork',
    session: { id: 'ses_1', sessionId: 'aaaa' },
    at: null,
    catchUpFrom: 2,
    reason: { code: 'tier-entered', tier: 2 },
  }

  test.each<[string, Partial<Purpose>, object]>([
    ['that begins continues in a fork', { enters: true }, forked],
    ['continues in a fork of a session that is not its own', { ownSessions: ['bbbb'] }, forked],
    ['resumes its own session', { ownSessions: ['aaaa'] }, { action: 'resume' }],
    ['of an older record resumes what it finds', {}, { action: 'resume' }],
  ])('%s', (_, purpose, expected) => expect(inTier(purpose)).toMatchObject(expected))

  test('resumes the session itself where the agent cannot fork', () => {
    const abilities = { ...facts.abilities, fork: false }
    expect(inTier({ enters: true }, { abilities }).action).toBe('resume')
  })

  test('gets a handover note where a turn gets the transcript, also after a refusal', () => {
    const reason = { code: 'resume-refused', sessionId: 'aaaa', detail: 'gone' } as const
    const purpose = { kind: 'chain', tier: 2, enters: true } as const
    expect(inTier({}, { freshSession: true }).action).toBe('handover')
    expect(afterRefusal(decide(facts, DEFAULT_RESUME), reason, { purpose })).toMatchObject({
      action: 'handover',
      reason,
    })
  })
})

test('D-4 a session that saw what was edited is not forked without the ability to cut at a message', () => {
  const abilities = { ...facts.abilities, forkAtMessage: false }
  const edited = { ...withSession({ relation: diverged }), abilities }
  expect(decide(edited, DEFAULT_RESUME).action).toBe('replay')
  const moved = { ...withSession({ relation: { kind: 'behind', shared: 1 } }), workDir: '/new' }
  expect(decide(moved, DEFAULT_RESUME).action).toBe('replay')
})

test('D-8 a session is resumed in another work dir when the settings relocate and the agent finds it there', () => {
  const moved = { ...facts, workDir: '/elsewhere' }
  const settings: ResumeSettings = { ...DEFAULT_RESUME, onWorkDirChange: 'relocate' }
  expect(decide(moved, settings).action).toBe('resume')
  const nearOnly = { ...moved, abilities: { ...facts.abilities, resumeAcrossWorkDirs: false } }
  expect(decide(nearOnly, settings)).toMatchObject({ reason: { code: 'directory-changed' } })
})

test.each([
  ['replay', DEFAULT_RESUME],
  ['resume', { ...DEFAULT_RESUME, onWorkDirChange: 'relocate' } as const],
])(
  'D-8 our copy of a session follows a moved work dir only when relocation is asked for: %s',
  (action, settings) => {
    const restorable = {
      state: 'restorable',
      path: '/x.jsonl',
      detail: 'it is gone',
      keptAt: 9,
    } as const
    const moved = { ...withSession({ file: restorable }), workDir: '/elsewhere' }
    const nearOnly = { ...moved, abilities: { ...facts.abilities, resumeAcrossWorkDirs: false } }
    expect(decide(nearOnly, settings).action).toBe(action)
  },
)

test('D-6 a fill of exactly the threshold is not over it', () => {
  expect(decide(withSession({ contextTokens: 160_000 }), DEFAULT_RESUME).action).toBe('resume')
})

test('D-7 a setting can make an unknown fact pass, and the record shows it either way', () => {
  const unsure = withSession({ contextTokens: null })
  const trusting = decide(unsure, { ...DEFAULT_RESUME, whenUnknown: 'resume' })
  expect(trusting.action).toBe('resume')
  expect(trusting.checks.find(check => check.guard === 'context-fill')).toMatchObject({
    result: 'unknown',
  })
})

test('F-2 after a refusal the turn is replayed and the checks are kept', () => {
  const decision = decide(facts, DEFAULT_RESUME)
  const reason = { code: 'resume-refused', sessionId: 'aaaa', detail: 'gone' } as const
  expect(afterRefusal(decision, reason)).toEqual({
    action: 'replay',
    reason,
    checks: decision.checks,
  })
})

test('D-7 every guard and every decision has words', () => {
  for (const guard of GUARDS) expect(GUARD_WORDS[guard].question).toMatch(/\?$/)
  const edited = decide(
    { ...cannotFork, sessions: [{ ...session, relation: diverged }] },
    DEFAULT_RESUME,
  )
  expect(wordsOf(edited)).toBe(
    'A new session was started with the transcript in front of the prompt: of the 6 messages that the session has seen, only the first 3 are still in the thread.',
  )
})
