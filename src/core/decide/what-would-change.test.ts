import { expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import { SAMPLE_ESTIMATE } from '../../../test/estimate-samples.ts'
import { decide } from './decide.ts'
import type { Facts, Relation, SessionFacts } from './decision.ts'
import type { ResumeSettings } from './settings.ts'
import { DEFAULT_RESUME } from './settings.ts'
import { changesOf } from './what-would-change.ts'

const session: SessionFacts = { ...SAMPLE_SESSION, relation: { kind: 'same', shared: 6 } }
const facts: Facts = { ...SAMPLE_FACTS, viewLength: 6, sessions: [session] }
const withSession = (change: Partial<SessionFacts>) => ({ sessions: [{ ...session, ...change }] })
const diverged = (more: Partial<Extract<Relation, { kind: 'diverged' }>> = {}) =>
  withSession({
    relation: { kind: 'diverged', shared: 4, seen: 6, fork: { shared: 4, anchor: 'x' }, ...more },
  })
const chain = { kind: 'chain', tier: 2, enters: false, ownSessions: ['aaaa'] } as const

type Row = readonly [
  string,
  { readonly facts?: Partial<Facts>; readonly settings?: Partial<ResumeSettings> },
  readonly string[],
]
const fresh = 'replay with a fresh session'

test.each<Row>([
  ['a resume', {}, [fresh]],
  ['a resume of a tier', { facts: { purpose: chain } }, []],
  ['an edit', { facts: diverged() }, ['resume with message 5 as it was', fresh]],
  [
    'an edit where the agent cannot fork',
    { facts: diverged({ fork: null }) },
    ['resume with message 5 as it was'],
  ],
  [
    'messages that were dropped',
    { facts: { ...diverged(), viewLength: 4 } },
    ['resume with the messages that were dropped', fresh],
  ],
  ['messages of somebody else', { facts: diverged({ foreign: 2 }) }, [fresh]],
  ['a fresh session', { facts: { freshSession: true } }, ['resume without a fresh session']],
  ['resuming switched off', { settings: { mode: 'never' } }, ['resume with resume.mode: auto']],
  [
    'a full context',
    { facts: withSession({ contextTokens: 170_000 }) },
    ['resume with a context threshold of 85 %'],
  ],
  [
    'a context just over a step',
    { facts: withSession({ contextTokens: 170_001 }) },
    ['resume with a context threshold of 90 %'],
  ],
  ['a context over the window', { facts: withSession({ contextTokens: 200_001 }) }, []],
  [
    'an unknown fill',
    { facts: withSession({ contextTokens: null }) },
    ['resume with resume.whenUnknown: resume'],
  ],
  [
    'another directory',
    { facts: { workDir: '/elsewhere' } },
    ['resume in /project', 'resume with resume.onWorkDirChange: relocate'],
  ],
  [
    'another program',
    { facts: { runtime: 'claude 2.1.330' } },
    ['resume with the program that wrote the session'],
  ],
  [
    'an old session',
    { settings: { maxSessionAgeMs: 1 } },
    ['resume without a limit on the age of a session'],
  ],
  [
    'fruitless resumes',
    { facts: withSession({ fruitlessResumes: 3 }) },
    ['resume with resume.maxFruitlessResumes: 4'],
  ],
  [
    'a busy session',
    { facts: withSession({ heldBy: 'run_9' }) },
    ['resume once the session is free', fresh],
  ],
  ['a lost file', { facts: withSession({ file: { state: 'missing', path: '/x' } }) }, []],
  ['a first turn', { facts: { viewLength: 0, sessions: [] } }, []],
  ['no session', { facts: { sessions: [] } }, []],
  ['two causes at once', { facts: { workDir: '/elsewhere', freshSession: true } }, []],
])('D-7 what would change %s', (_, change, expected) => {
  const asked = {
    facts: { ...facts, ...change.facts },
    settings: { ...DEFAULT_RESUME, ...change.settings },
  }
  const estimate = SAMPLE_ESTIMATE
  const decision = decide(asked.facts, asked.settings)
  const changes = changesOf(decision, asked, () => estimate)
  expect(changes.map(({ action, words }) => `${action} ${words}`)).toEqual(expected)
  expect(changes.every(found => found.estimate === estimate)).toBe(true)
})

test('D-7 nothing would change a decision after the agent refused the session', () => {
  const reason = { code: 'resume-refused', sessionId: 'aaaa', detail: 'gone' } as const
  const { checks } = decide(facts, DEFAULT_RESUME)
  const asked = { facts, settings: DEFAULT_RESUME }
  expect(changesOf({ action: 'replay', reason, checks }, asked, () => null)).toEqual([])
})
