// How an end is recorded: whether another run follows a refusal and what it brings, which session is to blame, what comes first.
import { describe, expect, test } from 'vitest'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import { hashOf } from '../../core/conversation/messages.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { RunEnd } from '../../store/contract/runs.ts'
import { recordEmptyEnd, recordEnd, remainsOf, sessionOfRun } from './record-end.ts'

const RUN = { id: 'run_1', chainId: null, model: 'm', startedAt: 1, runtime: 'agent 1', tier: null }
const SOURCE = { id: 'ses_1', agent: 'one', sessionId: 's-1', workDir: '/project', runtime: 'r' }
const COPY = { ...SOURCE, id: 'ses_2', sessionId: 's-2' }
const PROMPT = { role: 'user', agent: null, text: 'go on' } as const
const RESUME = { action: 'resume', catchUpFrom: 0, session: { id: 'ses_1', sessionId: 's-1' } }
const FORK = { ...RESUME, action: 'fork', at: null }
const NATIVE = { action: 'replay', form: 'native', reason: { code: 'no-session' } }
const GREW = { ...NOTHING_GREW, grew: true, holdsPrompt: true, end: 'a-1', anchors: ['a-1'] }
const AGENT = {
  name: 'one',
  model: 'm',
  runtime: { fingerprint: 'r' },
  secrets: ['hunter2horse'],
  fullEnv: {},
  adapter: {
    money: {
      usageMeans: 'request',
      costMeans: () => 'process',
      price: () => null,
      contextWindow: () => null,
    },
  },
}
const failed = (kind: string, change: object = {}) => ({
  kind: 'failed',
  failure: { class: kind, message: 'gone', hint: '', toolsRan: 0, resetsAt: null, ...change },
})

type Given = {
  readonly outcome?: object
  readonly decision?: object
  readonly remains?: object
  readonly run?: object
  readonly mayFallBack?: boolean
  readonly nextTurn?: object
  readonly sessionIsGone?: boolean
  readonly vaultIsShared?: boolean
  readonly tierContext?: object
  /** What the supervisor decided when the end was stored. */
  readonly step?: object
  readonly observation?: object
}

/** Records an end with a store and a vault that note what reaches them. */
async function recorded(given: Given = {}) {
  const notes: string[] = []
  const ends: RunEnd[] = []
  const run = { ...RUN, ...given.run }
  let ids = 0
  const dependencies = {
    clock: { now: () => 5 },
    random: { id: (kind: string) => `${kind}_${++ids}` },
    questions: { expireAfterMs: 1 },
    store: {
      endRun: async (_: object, end: RunEnd) => {
        notes.push('end')
        ends.push(end)
        return given.step ?? null
      },
      run: async () => ({ ...run, status: 'stored' }),
      sessions: async () => (given.sessionIsGone ? [] : [SOURCE]),
    },
    vault: {
      isShared: given.vaultIsShared ?? false,
      keep: async ({ sessionId }: { sessionId: string }, path: string) =>
        void notes.push(`keep ${sessionId} ${path}`),
      remove: async ({ sessionId }: { sessionId: string }) =>
        void notes.push(`remove ${sessionId}`),
    },
    tracing: {
      end: async (_: object, { continues }: { continues: boolean }) =>
        void notes.push(`traced ${continues}`),
    },
  }
  const plan = {
    run,
    view: [],
    prompt: { ...PROMPT, id: 'msg_1', hash: hashOf(PROMPT), tools: [] },
    decision: given.decision ?? RESUME,
    mark: { path: '/s-1.jsonl', sizeBytes: 0, costUsd: 0 },
    source: SOURCE,
    sent: { prompt: 'go on' },
    instructionsHash: null,
    tierContext: given.tierContext ?? null,
  }
  const observed = {
    observation: { ...newObservation(), ...given.observation },
    exit: null,
    outcome: given.outcome ?? { kind: 'completed' },
    remains: given.remains ?? { session: SOURCE, growth: GREW },
    unwritten: [],
  }
  const { mayFallBack = true, nextTurn } = given
  const result = await recordEnd(
    dependencies as never,
    { lease: {}, agent: AGENT } as never,
    { plan, observed, mayFallBack, ...(nextTurn && { nextTurn }) } as never,
  )
  const [end] = ends
  if (!end) throw new Error('no end was stored')
  return { ...result, end, notes }
}

describe('F-2 after a refused resume', () => {
  test('another run takes over, and the log says what it brings', async () => {
    const { run, next, end, notes } = await recorded({ outcome: failed('resume-refused') })
    expect(run.status).toBe('stored')
    expect(next).toEqual({
      runId: 'run_1',
      agent: AGENT,
      refused: {
        reason: { code: 'resume-refused', sessionId: 's-1', detail: 'gone' },
        wasWritten: false,
      },
    })
    expect(end.next).toEqual({ runId: 'run_1' })
    expect(end.events.map(({ json }) => JSON.parse(json).words)).toEqual([
      expect.stringContaining('a new session with the transcript'),
    ])
    expect(notes).toEqual(['end', 'traced true'])
  })

  test.each([
    ['resume-refused', {}, true],
    ['anchor-missing', {}, true],
    ['network', {}, false],
    ['resume-refused', { toolsRan: 1 }, false],
  ])('%s with %j is followed by another run: %s', async (kind, change, follows) => {
    const { next, end, notes } = await recorded({ outcome: failed(kind, change) })
    expect([next !== null, end.next !== null]).toEqual([follows, follows])
    expect(notes.at(-1)).toBe(`traced ${follows}`)
  })

  test('no run follows where none may, nor after a run that broke off', async () => {
    const refused = failed('resume-refused')
    expect((await recorded({ outcome: refused, mayFallBack: false })).next).toBeNull()
    expect((await recorded({ outcome: { ...refused, kind: 'interrupted' } })).next).toBeNull()
  })

  test.each([
    ['native', RESUME, 'a new session that is written with the conversation so far'],
    ['prompt', RESUME, 'a new session with the transcript'],
    // What we had written was refused, so nothing is written again.
    ['native', NATIVE, 'a new session with the transcript'],
  ])('a thread that can be written as %s goes on in %j: %s', async (form, decision, words) => {
    const { end, next } = await recorded({
      outcome: failed('resume-refused'),
      decision,
      remains: { session: COPY, growth: NOTHING_GREW },
      run: { facts: { replayForm: { form } } },
    })
    expect(JSON.parse(end.events[0]?.json ?? '{}').words).toContain(words)
    const isOurs = decision === NATIVE
    expect(next?.refused).toMatchObject({
      wasWritten: isOurs,
      reason: { sessionId: isOurs ? 's-2' : 's-1' },
    })
  })
})

describe('F-4 the session that an end is booked to', () => {
  const EMPTY = { session: COPY, growth: NOTHING_GREW }

  test.each<[string, Given, string]>([
    ['a fork that completed', { decision: FORK, remains: EMPTY }, 'ses_2'],
    [
      'a fork whose session was refused',
      {
        decision: FORK,
        remains: { session: COPY, growth: GREW },
        outcome: failed('resume-refused'),
      },
      'ses_1',
    ],
    [
      'a fork that crashed and left nothing',
      { decision: FORK, remains: EMPTY, outcome: failed('agent-crashed') },
      'ses_1',
    ],
    [
      'a fork that crashed and left its prompt',
      {
        decision: FORK,
        remains: { session: COPY, growth: GREW },
        outcome: failed('agent-crashed'),
      },
      'ses_2',
    ],
    [
      'a fork that the network broke',
      { decision: FORK, remains: EMPTY, outcome: failed('network') },
      'ses_2',
    ],
    [
      'a written session that was refused',
      { decision: NATIVE, remains: EMPTY, outcome: failed('resume-refused') },
      'ses_2',
    ],
    [
      'a start that crashed and left nothing',
      { decision: { action: 'start' }, remains: EMPTY, outcome: failed('agent-crashed') },
      'ses_2',
    ],
  ])('%s: %s', async (_, given, expected) => {
    expect((await recorded({ ...given, mayFallBack: false })).end.session?.id).toBe(expected)
  })
})

describe('V-1 the copy of a session file', () => {
  test('is made while the end is stored; one that other hosts use, after it', async () => {
    expect((await recorded()).notes).toEqual(['keep s-1 /s-1.jsonl', 'end', 'traced false'])
    const shared = await recorded({ vaultIsShared: true })
    expect(shared.notes).toEqual(['end', 'keep s-1 /s-1.jsonl', 'traced false'])
  })

  test('is made only when the session grew', async () => {
    const same = { session: SOURCE, growth: NOTHING_GREW }
    expect((await recorded({ remains: same })).notes).toEqual(['end', 'traced false'])
    const none = { session: null, growth: GREW }
    expect((await recorded({ remains: none })).notes).toEqual(['end', 'traced false'])
  })

  test('goes when the thread was removed meanwhile', async () => {
    const { notes } = await recorded({ sessionIsGone: true })
    expect(notes).toEqual(['keep s-1 /s-1.jsonl', 'end', 'remove s-1', 'traced false'])
  })
})

describe('E-2 the end of a tier', () => {
  const chain = { agent: 'one', mandate: { policy: { tiers: [] } } }
  const tierContext = { chain, form: 'structured', purpose: {}, runs: [] }
  const run = { tier: 1, chainId: 'chn_1' }

  test.each([
    ['the next tier', { kind: 'escalate', tier: 2 }, true, false],
    ['the same tier again', { kind: 'ask-verdict', tier: 1 }, true, true],
    ['nothing', { kind: 'end', tier: 1 }, false, false],
  ])('is followed by %s', async (_, step, goesOn, continues) => {
    const { next, notes, end } = await recorded({ tierContext, run, step })
    expect(next).toEqual(goesOn ? { runId: 'run_1', agent: AGENT, refused: null } : null)
    expect(notes.at(-1)).toBe(`traced ${continues}`)
    expect(end.supervise).toBeTypeOf('function')
  })

  test('stores the verdict that its agent gave, and none where it gave none', async () => {
    const structured = { verdict: 'resolved', summary: 'all is well' }
    const ending = (result: object) => recorded({ tierContext, run, observation: { result } })
    const given = await ending({ ok: true, text: '', structured })
    const silent = await ending({ ok: true, text: 'all is well' })
    expect([given.end.verdict?.verdict ?? null, silent.end.verdict]).toEqual(['resolved', null])
  })

  test('E-6 whose session was refused is followed by a run with a note', async () => {
    const { end } = await recorded({ tierContext, run, outcome: failed('resume-refused') })
    const fallback = end.events.map(({ json }) => JSON.parse(json)).find(one => one.words)
    expect(fallback.words).toContain('a new session with a handover note')
  })
})

test('an end has new ids for what it adds, its own time, and the next turn of its caller', async () => {
  const nextTurn = { runId: 'run_9', message: {} }
  const { end, next } = await recorded({
    nextTurn,
    remains: { session: SOURCE, growth: { ...GREW, text: 'done', complete: true } },
  })
  expect(end).toMatchObject({ endedAt: 5, durationMs: 4, verdict: null, supervise: null, nextTurn })
  expect(end.answer).toMatchObject({ id: 'msg_2', text: 'done' })
  expect(end.restatedId).toBe('msg_3')
  expect(next).toBeNull()
  expect((await recorded()).end).not.toHaveProperty('nextTurn')
})

test('S21 neither the failure nor the reason of a refusal keeps a secret of the environment', async () => {
  const message = 'no session for hunter2horse'
  const { end, next } = await recorded({ outcome: failed('resume-refused', { message }) })
  expect(end.failure?.message).toBe('no session for [redacted]')
  expect(JSON.stringify([end, next?.refused])).not.toContain('hunter2horse')
})

test('an end of which nothing is known has the failure alone', async () => {
  const ends: object[] = []
  const traced: object[] = []
  const failure = { class: 'spawn-failed', message: 'm', hint: 'h', toolsRan: 0, resetsAt: null }
  const { run, next } = await recordEmptyEnd(
    {
      store: {
        endRun: async (_: object, end: object) => void ends.push(end),
        run: async () => ({ id: 'run_1', status: 'stored' }),
      },
      clock: { now: () => 5 },
      random: { id: (kind: string) => `${kind}_1` },
      tracing: { end: async (_: object, how: object) => void traced.push(how) },
    } as never,
    {} as never,
    { run: { ...RUN, usage: null, sessionId: 's-1' }, status: 'failed', failure } as never,
  )
  expect(ends).toEqual([
    {
      ...{ runId: 'run_1', status: 'failed', endedAt: 5, durationMs: null, exit: null, failure },
      ...{ usage: null, contextTokens: null, contextWindow: null, costUsd: null },
      ...{ costSource: 'none', costDisputed: false, savings: null, turns: 0, answer: null },
      ...{ sessionResumed: false, sessionId: 's-1', model: 'm', restatedId: 'msg_1' },
      ...{ session: null, parked: null, events: [], next: null, verdict: null, supervise: null },
    },
  ])
  expect([run.status, next, traced]).toEqual(['stored', null, [{ continues: false }]])
})

describe('C-2 the session that a run ran on', () => {
  const found = (decision: object, sessionId: string | null, stored: readonly object[]) => {
    const store = {
      run: async () => ({ sessionId }),
      sessions: async (query: object) => {
        expect(query).toEqual({ threadId: 'thr_1', sessionId })
        return stored
      },
    }
    const plan = { run: RUN, decision, source: SOURCE }
    return sessionOfRun(store as never, { threadId: 'thr_1' } as never, plan as never)
  }

  test('is the one that was resumed, else the one that the agent named', async () => {
    expect(await found(RESUME, 's-2', [COPY])).toBe(SOURCE)
    expect(await found(FORK, 's-2', [COPY])).toBe(COPY)
    expect(await found(FORK, null, [COPY])).toBeNull()
    expect(await found(FORK, 's-2', [])).toBeNull()
  })

  test('has grown as its file shows, or as the agent says where there is no file to read', async () => {
    const asked: unknown[] = []
    const growth = async (...given: unknown[]) => {
      asked.push(given)
      return GREW
    }
    const remains = (sessionFiles: object | undefined, sessionId: string | null) => {
      const store = { run: async () => ({ sessionId }), sessions: async () => [COPY] }
      const agent = { fullEnv: { HOME: '/home' }, adapter: { sessionFiles } }
      const plan = { run: RUN, decision: FORK, source: SOURCE, mark: 'mark', sent: 'sent' }
      return remainsOf(
        { store, files: 'files' } as never,
        { lease: { threadId: 'thr_1' }, agent } as never,
        plan as never,
        newObservation(),
      )
    }
    expect(await remains({ growth }, 's-2')).toEqual({ session: COPY, growth: GREW })
    const place = { sessionId: 's-2', workDir: '/project', env: { HOME: '/home' } }
    expect(asked).toEqual([[place, 'mark', 'sent', 'files']])
    expect((await remains(undefined, 's-2')).growth.grew).toBe(false)
    expect(await remains({ growth }, null)).toEqual({ session: null, growth: NOTHING_GREW })
  })
})
