import { expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import { ONE_REQUEST, SAMPLE_ESTIMATE, SAMPLE_PRICE } from '../../../test/estimate-samples.ts'
import { hashOf, type Message } from '../conversation/messages.ts'
import type { Estimate } from '../money/estimate.ts'
import { decide } from './decide.ts'
import type { Decision, Facts, SessionFacts } from './decision.ts'
import { estimateDecision, type Prospect } from './prospect.ts'
import { DEFAULT_RESUME } from './settings.ts'
import { waysOf } from './ways.ts'

const message = (n: number, text: string): Message => {
  const role = n % 2 === 0 ? 'user' : 'assistant'
  const content = { role, agent: role === 'user' ? null : 'claude', text } as const
  const rest = { tools: [], interrupted: false, runId: null, createdAt: n }
  return { ...content, ...rest, id: `msg_${n}`, hash: hashOf(content) }
}
/** Four messages of 4,000 characters. */
const view = [0, 1, 2, 3].map(n => message(n, 'x'.repeat(4_000)))

const session: SessionFacts = {
  ...SAMPLE_SESSION,
  lastMessageAt: 0,
  relation: { kind: 'same', shared: 4 },
}
const facts: Facts = {
  ...SAMPLE_FACTS,
  gatheredAt: 60_000,
  agent: 'claude',
  viewLength: 4,
  sessions: [session],
}
const prospect: Prospect = {
  facts,
  view,
  prompt: 'p'.repeat(400),
  maxChars: 480_000,
  measured: new Map([[1, 16_000]]),
  sameModel: new Set(['ses_1']),
  overheads: [],
  sameTools: new Set(['ses_1']),
  elsewhere: null,
  note: null,
  habits: ONE_REQUEST,
  price: SAMPLE_PRICE,
}

const ref = { id: 'ses_1', sessionId: 'aaaa' }
const edited = { code: 'history-changed', shared: 2, seen: 4 } as const
const resume: Decision = { action: 'resume', session: ref, catchUpFrom: 4, checks: [] }
const fork: Decision = {
  action: 'fork',
  session: ref,
  at: 'anchor-1',
  catchUpFrom: 2,
  reason: edited,
  checks: [],
}
const trimmed: Decision = { ...fork, at: null, catchUpFrom: 4 }
const replay: Decision = { action: 'replay', reason: { code: 'fresh-asked' }, checks: [] }
const start: Decision = { action: 'start', reason: { code: 'first-turn' }, checks: [] }

/** Prompts carry a few lines around the text, so that tokens are a little more than the texts. */
const about = (tokens: number, cachedTokens: number) => ({ tokens, cachedTokens })

test.each<
  readonly [string, Decision, Partial<Prospect>, Pick<Estimate, 'tokens' | 'cachedTokens'> | null]
>([
  ['a resume reads its session and the prompt', resume, {}, about(20_100, 19_000)],
  [
    'a resume brings what the session has not seen',
    { ...resume, catchUpFrom: 2 },
    {},
    about(22_100, 19_000),
  ],
  [
    'a fork reads what was there after the answer that it keeps',
    fork,
    { view: view.slice(0, 2) },
    about(16_100, 15_000),
  ],
  [
    'a fork of the whole session reads all of it',
    { ...fork, at: null, catchUpFrom: 4 },
    {},
    about(20_100, 19_000),
  ],
  [
    'a fork reads no more than its session holds',
    fork,
    { view: view.slice(0, 2), measured: new Map([[1, 90_000]]) },
    about(20_100, 19_000),
  ],
  [
    'a replay sends the transcript to a session that has only what the agent adds',
    replay,
    {},
    about(18_100, 14_000),
  ],
  ['a first turn sends the prompt alone', start, {}, about(14_100, 14_000)],
  [
    'a session that another model used is not in the cache',
    resume,
    { sameModel: new Set() },
    about(20_100, 0),
  ],
  [
    'a session that had other tools is not in the cache',
    resume,
    { sameTools: new Set() },
    about(20_100, 0),
  ],
  [
    'a new session holds what runs of the agent have begun with',
    start,
    { overheads: [9_000, 8_000] },
    about(8_100, 8_000),
  ],
  [
    'a trimmed session is in the cache up to its first cut',
    { ...trimmed, carry: { way: 'trimmed', because: 'set', cut: { outputs: 2, chars: 12_000 } } },
    { overheads: [9_000] },
    about(17_100, 9_000),
  ],
  [
    'a trimmed session holds no less than what the agent adds',
    { ...trimmed, carry: { way: 'trimmed', because: 'set', cut: { outputs: 2, chars: 99_000 } } },
    { overheads: [9_000] },
    about(9_100, 9_000),
  ],
  [
    'a note is read by a new session',
    { action: 'handover', reason: { code: 'tier-entered', tier: 2 }, checks: [] },
    { overheads: [9_000], note: 'n'.repeat(4_000) },
    about(10_200, 9_000),
  ],
  ['without a report of any run there is no estimate', resume, { habits: null }, null],
  [
    'a session that was used long ago is not in the cache',
    resume,
    { facts: { ...facts, gatheredAt: 3_600_000 } },
    about(20_100, 0),
  ],
  [
    'a fork at an answer that was not measured has no estimate',
    fork,
    { measured: new Map() },
    null,
  ],
  ['a replay has none when no context was measured', replay, { measured: new Map() }, null],
  [
    'a session whose fill is not known has none',
    resume,
    { facts: { ...facts, sessions: [{ ...session, contextTokens: null }] } },
    null,
  ],
  [
    'a turn that waits has none',
    { action: 'wait', reason: { code: 'session-busy', holder: 'run_9' }, checks: [] },
    {},
    null,
  ],
])('M-3 %s', (_, decision, change, expected) => {
  const estimate = estimateDecision(decision, { ...prospect, ...change })
  if (expected === null || estimate === null) return expect(estimate).toBe(expected)
  expect(estimate.tokens).toBeGreaterThan(expected.tokens - 50)
  expect(estimate.tokens).toBeLessThan(expected.tokens + 200)
  expect(Math.abs(estimate.cachedTokens - expected.cachedTokens)).toBeLessThan(100)
  expect(estimate.costUsd).not.toBeNull()
})

test('M-3 an unknown price leaves the tokens known and the cost unknown', () => {
  expect(estimateDecision(resume, { ...prospect, price: null })).toMatchObject({ costUsd: null })
})

test('M-4 a prompt that is composed already is not composed again', () => {
  const found = estimateDecision(resume, { ...prospect, promptChars: 40_000 })
  expect(found?.tokens).toBe(30_000)
})

test('M-4 a new session finds the cache of the session that fits best', () => {
  const other = { ...session, id: 'ses_2', lastMessageAt: 59_000 }
  const sessions = [other, session]
  const cacheIn = (change: Partial<Prospect>) =>
    estimateDecision(start, { ...prospect, facts: { ...facts, sessions }, ...change })?.cache
  expect(cacheIn({})).toMatchObject({ state: 'warm', ageMs: 60_000 })
  const both = new Set(['ses_1', 'ses_2'])
  expect(cacheIn({ sameModel: both, sameTools: both })).toMatchObject({ ageMs: 1_000 })
  expect(cacheIn({ sameModel: new Set() })).toMatchObject({ because: 'other-model' })
  const none = { facts: { ...facts, sessions: [] } }
  expect(cacheIn(none)).toMatchObject({ because: 'never-used' })
  const elsewhere = { ageMs: 2_000, sameModel: true, sameTools: true }
  expect(cacheIn({ ...none, elsewhere })).toMatchObject({ state: 'warm', ageMs: 2_000 })
  const inSession = estimateDecision(resume, { ...prospect, sameModel: new Set(), elsewhere })
  expect(inSession?.cache).toMatchObject({ because: 'other-model' })
})

const diverged: SessionFacts = {
  ...session,
  relation: { kind: 'diverged', shared: 3, seen: 4, fork: { shared: 2, anchor: 'anchor-1' } },
}
const native = { replayForm: { form: 'native' } } as const
const PROMPT = 'with a fresh session and resume.replay: prompt'
test.each<readonly [string, Partial<Facts>, readonly (readonly [string, string])[]]>([
  [
    'a resume and both replays',
    native,
    [
      ['resume', 'chosen: the session can go on'],
      ['replay-native', 'with a fresh session'],
      ['replay-prompt', PROMPT],
    ],
  ],
  [
    'a resume and the replay that the settings do not ask for',
    { replayForm: { form: 'prompt', formBecause: 'set' } },
    [
      ['resume', 'chosen: the session can go on'],
      ['replay-prompt', 'with a fresh session'],
      ['replay-native', 'with a fresh session and resume.replay: native'],
    ],
  ],
  [
    'a resume and the one replay that the agent takes',
    {},
    [
      ['resume', 'chosen: the session can go on'],
      ['replay-prompt', 'with a fresh session'],
    ],
  ],
  [
    'a fork and what follows its refusal',
    { sessions: [diverged] },
    [
      ['fork', 'chosen: history-changed, 3 of 4 still true'],
      ['replay-prompt', 'if the agent refuses the fork'],
    ],
  ],
  [
    'a fresh session and the session that it would not use',
    { freshSession: true, ...native },
    [
      ['replay-native', 'chosen: fresh-asked'],
      ['resume', 'without a fresh session'],
      ['replay-prompt', PROMPT],
    ],
  ],
  [
    'a replay that has no session',
    { sessions: [] },
    [['replay-prompt', 'chosen: no-session, claude']],
  ],
  ['a first turn alone', { viewLength: 0, sessions: [] }, [['start', 'chosen: first-turn']]],
  ['nothing while the session is in use', { sessions: [{ ...session, heldBy: 'run_9' }] }, []],
])('M-4 T-3 a preview prices %s', (_, change, expected) => {
  const changed = { ...facts, ...change }
  const canWrite = change.replayForm !== undefined
  const asked = { facts: changed, settings: DEFAULT_RESUME, canWrite }
  const found = waysOf(decide(changed, DEFAULT_RESUME), asked, () => SAMPLE_ESTIMATE)
  expect(found.map(({ way, words }) => [way, words])).toEqual(expected)
  expect(found.map(({ isChosen }) => isChosen)).toEqual(expected.map((_way, at) => at === 0))
  for (const { estimate } of found) expect(estimate).toBe(SAMPLE_ESTIMATE)
})
