import { expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import type { Check, Facts, GuardName, SessionFacts } from './decision.ts'
import { GUARDS } from './decision.ts'
import { checkAll } from './guards.ts'
import { DEFAULT_RESUME, type ResumeSettings } from './settings.ts'

const session: SessionFacts = { ...SAMPLE_SESSION, fruitlessResumes: 1 }

const facts: Facts = {
  ...SAMPLE_FACTS,
  abilities: { ...SAMPLE_FACTS.abilities, resumeAcrossWorkDirs: false },
  sessions: [session],
}

const SAW: Record<GuardName, string> = {
  'agent-can-resume': 'the agent can resume',
  'resume-enabled': 'resume mode is auto',
  'fresh-not-asked': 'no fresh session was asked for',
  'prior-turn': '2 earlier messages',
  'session-confirmed': 'session aaaa was persisted by the agent',
  'session-not-retired': 'the session is in use',
  'history-shared': 'the session saw exactly this history',
  'same-work-dir': '/project',
  'same-runtime': 'claude 2.1.325',
  'session-age': 'last used 1 min ago',
  'fruitless-resumes': '1 of at most 3 resumes without an answer',
  'context-fill': '20,000 of 200,000 tokens, under 80 %',
  'session-file': "the agent's session file is here",
  'session-free': 'nobody else uses it',
}

test('D-1 every guard that lets a session pass says what it saw', () => {
  const checks = checkAll({ facts, settings: DEFAULT_RESUME, session })
  expect(checks).toEqual(GUARDS.map(guard => ({ guard, result: 'pass', saw: SAW[guard] })))
})

test('D-7 without a session, the guards about it do not know', () => {
  const checks = checkAll({ facts, settings: DEFAULT_RESUME, session: null })
  const unknown = { result: 'unknown', question: 'there is no session to ask about' }
  expect(checks.slice(5)).toEqual(GUARDS.slice(5).map(guard => ({ guard, ...unknown })))
  expect(checks[4]).toMatchObject({ reason: { code: 'no-session', agent: 'claude-code' } })
})

test('E-16 without a session in a tier that has another agent than the tier below, the reason says so', () => {
  const purpose = { kind: 'chain', tier: 2, enters: true, agentBelow: 'codex' } as const
  const asked = { facts: { ...facts, purpose }, settings: DEFAULT_RESUME }
  expect(checkAll({ ...asked, session: null })[4]).toMatchObject({
    reason: { code: 'tier-agent-changed', tier: 2, was: 'codex', now: 'claude-code' },
  })
  // Its own session from a lower tier goes on.
  expect(checkAll({ ...asked, session })[4]).toMatchObject({ result: 'pass' })
})

type Case = {
  readonly guard: GuardName
  readonly session?: Partial<SessionFacts>
  readonly facts?: Partial<Facts>
  readonly settings?: Partial<ResumeSettings>
}

const check = ({ guard, ...change }: Case): Check | undefined =>
  checkAll({
    facts: { ...facts, ...change.facts },
    settings: { ...DEFAULT_RESUME, ...change.settings },
    session: { ...session, ...change.session },
  }).find(found => found.guard === guard)

const restorable = { state: 'restorable', path: '/s.jsonl', detail: 'it is gone' } as const
const keptAt = Date.UTC(2026, 10, 16, 17, 50)

test.each<[Case, string]>([
  [
    { guard: 'session-confirmed', session: { evidence: 'file' } },
    'session aaaa was persisted by the agent: its own file holds what it was sent',
  ],
  [
    { guard: 'session-confirmed', session: { evidence: 'protocol' } },
    'session aaaa was persisted by the agent: it loads the session again',
  ],
  [
    { guard: 'session-confirmed', session: { evidence: 'word' } },
    'session aaaa was persisted by the agent: it says so, and nothing else proves it',
  ],
  [
    { guard: 'history-shared', session: { relation: { kind: 'behind', shared: 1 } } },
    'the session saw the first 1 messages, all still in the thread',
  ],
  [
    {
      guard: 'same-work-dir',
      facts: { workDir: '/new', abilities: { ...facts.abilities, resumeAcrossWorkDirs: true } },
      settings: { onWorkDirChange: 'relocate' },
    },
    '/new; the agent finds the session from there',
  ],
  [
    {
      guard: 'same-work-dir',
      facts: { workDir: '/new' },
      session: { file: restorable },
      settings: { onWorkDirChange: 'relocate' },
    },
    '/new; the session file is copied there',
  ],
  [{ guard: 'session-age', settings: { maxSessionAgeMs: 60_000 } }, 'last used 1 min ago'],
  [
    { guard: 'session-file', session: { file: restorable } },
    'it is gone; our copy takes its place',
  ],
  [
    { guard: 'session-file', session: { file: { ...restorable, keptAt } } },
    'it is gone; our copy of 2026-11-16T17:50:00.000Z takes its place',
  ],
  [
    {
      guard: 'session-file',
      session: { file: { state: 'present', restored: { because: 'it is torn' } } },
    },
    "our copy replaced the agent's session file (what was wrong with it: it is torn)",
  ],
])('D-1 what a guard saw: %j', (change, saw) => {
  expect(check(change)).toEqual({ guard: change.guard, result: 'pass', saw })
})

test.each<[Case, string]>([
  [{ guard: 'context-fill', session: { contextTokens: null } }, 'how full is the session?'],
  [{ guard: 'context-fill', facts: { contextWindow: null } }, "how large is the model's window?"],
  [
    { guard: 'session-file', session: { file: { state: 'unknown' } } },
    "is the agent's session file here?",
  ],
])('D-7 what a guard did not know: %j', (change, question) => {
  expect(check(change)).toEqual({ guard: change.guard, result: 'unknown', question })
})

test.each<[Case, object]>([
  [
    {
      guard: 'same-work-dir',
      facts: { workDir: '/new', abilities: { ...facts.abilities, resumeAcrossWorkDirs: true } },
    },
    { code: 'directory-changed', was: '/project', now: '/new' },
  ],
  [
    {
      guard: 'session-not-retired',
      session: { pointer: 'retired', retiredBecause: { code: 'left-asking' } },
    },
    { code: 'session-retired', sessionId: 'aaaa', because: { code: 'left-asking' } },
  ],
  [
    { guard: 'session-confirmed', session: { pointer: 'announced' } },
    { code: 'session-unconfirmed', sessionId: 'aaaa' },
  ],
  [
    { guard: 'session-age', settings: { maxSessionAgeMs: 59_999 } },
    { code: 'session-too-old', ageMs: 60_000, maxAgeMs: 59_999 },
  ],
  [
    { guard: 'fruitless-resumes', session: { fruitlessResumes: 3 } },
    { code: 'resumes-fruitless', count: 3, max: 3 },
  ],
  [
    { guard: 'context-fill', session: { contextTokens: 160_001 } },
    { code: 'context-full', tokens: 160_001, window: 200_000, threshold: 0.8 },
  ],
])('D-3 why a guard blocks: %j', (change, reason) => {
  expect(check(change)).toEqual({ guard: change.guard, result: 'block', reason })
})
