// How an answer reaches the agent, as a table of what the store holds about the question.
import { expect, test } from 'vitest'
import type { Store } from '../../store/contract/store.ts'
import { planReply } from './reply-plan.ts'

const RULE = { tool: 'Bash', words: 'npm test' }
const ALLOWED = { toolUseId: 'call', runId: 'run_1', delivery: 'live', answer: { kind: 'allow' } }
const FOR_RUN = { ...ALLOWED, answer: { kind: 'allow', forRun: { rule: RULE } } }
const DENIED = { ...ALLOWED, answer: { kind: 'deny', forRun: { rule: RULE } } }
const PARKED = { ...ALLOWED, delivery: 'parked', answer: { kind: 'reply' } }
const REPLY = { id: 'run_2', parentRunId: 'run_1', repliesTo: 'call' }
const RESUME = { action: 'resume', catchUpFrom: 2 }
const RESTATED = { role: 'user', runId: 'run_0', hash: 'h' }

type Held = {
  readonly run?: object
  readonly answered?: object
  readonly restated?: readonly object[]
  readonly decision?: object
  readonly source?: object | null
  readonly view?: readonly object[]
  readonly asking?: object
  readonly sessions?: readonly object[]
}

function plan(held: Held) {
  const runs: Readonly<Record<string, object>> = {
    run_1: { sessionId: 's', threadId: 't', repliesTo: null, ...held.asking },
    run_2: REPLY,
  }
  const store = {
    run: async (id: string) => runs[id] ?? null,
    questions: async ({ runId, restatedIn }: { runId: string; restatedIn?: string }) => {
      if (restatedIn !== undefined)
        return runId === 'run_0' && restatedIn === 'h' ? held.restated : []
      return runId === 'run_1' && held.answered ? [held.answered] : []
    },
    sessions: async (asked: { threadId: string; sessionId: string }) =>
      asked.threadId === 't' && asked.sessionId === 's' ? (held.sessions ?? [{ id: 'ses_1' }]) : [],
  }
  const decided = {
    decision: held.decision ?? RESUME,
    source: held.source === undefined ? { id: 'ses_1' } : held.source,
    view: held.view ?? [
      { role: 'user', runId: null },
      { role: 'assistant', runId: 'run_1' },
    ],
  }
  return planReply(store as unknown as Store, (held.run ?? REPLY) as never, decided as never)
}

const NOTHING = { granted: [], allowed: [], parked: null, leftAsking: null }

test.each<[string, Held, object]>([
  ['an ordinary turn answers nothing', { run: { parentRunId: null, repliesTo: null } }, NOTHING],
  [
    'a turn after another run answers nothing',
    { run: { ...REPLY, repliesTo: null }, answered: ALLOWED },
    NOTHING,
  ],
  ['a permission is granted', { answered: ALLOWED }, { ...NOTHING, granted: [ALLOWED] }],
  [
    'a permission for the run is granted with its rule',
    { answered: FOR_RUN },
    { ...NOTHING, granted: [FOR_RUN], allowed: [RULE] },
  ],
  ['a refusal grants nothing', { answered: DENIED }, NOTHING],
  [
    'an answer goes to the call at which the session waits',
    { answered: PARKED },
    { ...NOTHING, parked: PARKED },
  ],
  [
    'an answer to a session that must catch up first leaves the call',
    { answered: PARKED, decision: { action: 'resume', catchUpFrom: 1 } },
    { ...NOTHING, leftAsking: 'ses_1' },
  ],
  [
    'an answer to a fork leaves the call',
    { answered: PARKED, decision: { action: 'fork', catchUpFrom: 2 } },
    { ...NOTHING, leftAsking: 'ses_1' },
  ],
  [
    'an answer without the session leaves the call',
    { answered: PARKED, source: null },
    { ...NOTHING, leftAsking: 'ses_1' },
  ],
  [
    'a call whose session was never named is left by nobody',
    { answered: PARKED, source: null, asking: { sessionId: null } },
    NOTHING,
  ],
  [
    'a call whose session is gone is left by nobody',
    { answered: PARKED, source: null, sessions: [] },
    NOTHING,
  ],
  [
    'a reply that is sent again answers the same question',
    { run: { id: 'run_3', parentRunId: 'run_2', repliesTo: 'call' }, answered: FOR_RUN },
    { ...NOTHING, granted: [FOR_RUN], allowed: [RULE] },
  ],
])('T-7a %s', async (_, held, expected) => {
  expect(await plan(held)).toEqual(expected)
})

test('T-7a permissions that the last message before the prompt repeats hold; refusals and other messages grant nothing', async () => {
  const run = { parentRunId: null, repliesTo: null }
  const unanswered = { ...ALLOWED, answer: null }
  const restated = [FOR_RUN, DENIED, unanswered]
  const view = [{ role: 'assistant', runId: 'run_0', hash: 'h' }, RESTATED]
  expect(await plan({ run, restated, view })).toEqual({ ...NOTHING, granted: [FOR_RUN] })
  for (const last of [
    { ...RESTATED, role: 'assistant' },
    { ...RESTATED, runId: null },
  ])
    expect(await plan({ run, restated, view: [RESTATED, last] })).toEqual(NOTHING)
  expect(await plan({ run, restated, view: [] })).toEqual(NOTHING)
  const both = await plan({ answered: ALLOWED, restated, view })
  expect(both.granted).toEqual([ALLOWED, FOR_RUN])
})
