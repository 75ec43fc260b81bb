import { expect, test } from 'vitest'
import { SAMPLE_FACTS, SAMPLE_SESSION } from '../../../test/decision-samples.ts'
import { hashOf, type Message } from '../conversation/messages.ts'
import type { Estimate } from '../money/estimate.ts'
import { alternativesTo } from './alternatives.ts'
import { decide } from './decide.ts'
import type { Decision, Facts, SessionFacts } from './decision.ts'
import { estimateDecision, type Prospect } from './prospect.ts'
import { DEFAULT_RESUME } from './settings.ts'

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
  price: {
    inputUsd: 4,
    cacheReadUsd: 0.5,
    cacheWriteUsd: 5,
    cacheWriteHourUsd: 8,
    outputUsd: 20,
  },
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

const diverged: SessionFacts = {
  ...session,
  relation: { kind: 'diverged', shared: 3, seen: 4, fork: { shared: 2, anchor: 'anchor-1' } },
}
test.each<readonly [string, Partial<Facts>, readonly { action: string; words: string }[]]>([
  ['a resume with a fresh session', {}, [{ action: 'replay', words: 'with a fresh session' }]],
  [
    'a fork with what follows its refusal',
    { sessions: [diverged] },
    [{ action: 'replay', words: 'if the agent refuses the fork' }],
  ],
  [
    'a fresh session with the session that it would not use',
    { freshSession: true },
    [{ action: 'resume', words: 'without a fresh session' }],
  ],
  ['a fresh session without any other with nothing', { freshSession: true, sessions: [] }, []],
  ['a replay for another reason with nothing', { sessions: [] }, []],
  ['a first turn with nothing', { viewLength: 0, sessions: [] }, []],
])('T-3 a preview compares %s', (_, change, alternatives) => {
  const changed = { ...facts, ...change }
  const around = { facts: changed, settings: DEFAULT_RESUME }
  const decision = decide(changed, DEFAULT_RESUME)
  const estimate = { tokens: 1, cachedTokens: 0, costUsd: null }
  const found = alternativesTo(decision, around, () => estimate)
  expect(found).toEqual(alternatives.map(other => ({ ...other, estimate })))
})
