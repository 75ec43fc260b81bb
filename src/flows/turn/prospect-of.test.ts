// What the store knows about the price of a turn: which sessions the same model has filled, and how full they were.
import { describe, expect, test } from 'vitest'
import type { Dependencies } from '../dependencies.ts'
import { type ProspectiveTurn, prospectOf } from './prospect-of.ts'

const PRICES: Readonly<Record<string, number>> = { 'big-1': 5, 'big-2': 5, 'small-1': 1 }
const CONTEXTS: Readonly<Record<string, { agent: string; contextTokens: number | null }>> = {
  run_1: { agent: 'one', contextTokens: 100 },
  run_2: { agent: 'one', contextTokens: 200 },
  run_3: { agent: 'one', contextTokens: 300 },
  run_4: { agent: 'two', contextTokens: 400 },
  run_5: { agent: 'one', contextTokens: null },
}
const store = {
  run: async (id: string) => CONTEXTS[id] ?? null,
  listRuns: async (): Promise<readonly object[]> => [],
}

const said = (agent: string | null, runId: string | null = null) => ({ agent, runId })
const session = (id: string, model: string | null, lastMessageAt = 1) => ({
  id,
  model,
  lastMessageAt,
})
const cut = (shared: number) => ({ relation: { kind: 'diverged', fork: { shared } } })

/** Only what a prospect looks at. */
function prospect(given: {
  readonly view?: readonly object[]
  readonly sessions?: readonly object[]
  readonly related?: readonly object[]
  readonly model?: string
}) {
  const price = (name: string) => {
    const inputUsd = PRICES[name]
    return inputUsd === undefined ? null : { name, inputUsd }
  }
  const turn = {
    facts: { agent: 'one', contextWindow: 1_000, sessions: given.related ?? [] },
    view: given.view ?? [],
    prompt: 'go on',
    sessions: given.sessions ?? [],
    model: given.model ?? 'big-1',
    adapter: { money: { price } },
  }
  return prospectOf({ store } as unknown as Dependencies, turn as unknown as ProspectiveTurn)
}

test.each([
  ['big-1', 'big-1', true],
  ['big', 'big-2', true],
  ['big-1[1m]', 'big-1', true],
  ['[x]big-1', 'big-1', false],
  ['big-1', 'big-2', true],
  ['big-1', 'small-1', false],
  ['big-1', null, false],
  ['unknown', 'other', false],
  ['unknown', 'big-1', false],
  ['big-1', 'unknown', false],
])('D-7 a turn with the model %s finds a session of %s warm: %s', async (model, of, expected) => {
  const { sameModel } = await prospect({ model, sessions: [session('ses_1', of)] })
  expect(sameModel.has('ses_1')).toBe(expected)
})

test('D-7 a turn whose model nobody knows has neither a price nor a session of the same model', async () => {
  const sessions = [session('ses_1', null)]
  const adapter = { money: { price: () => ({ inputUsd: 1 }) } }
  const asked = {
    model: null,
    adapter,
    sessions,
    facts: { agent: 'one', contextWindow: 1_000, sessions: [] },
  }
  const turn = { ...asked, view: [], prompt: 'go on' } as unknown as ProspectiveTurn
  const found = await prospectOf({ store } as unknown as Dependencies, turn)
  expect([found.price, found.sameModel.size]).toEqual([null, 0])
})

test('D-7 a prospect has the note and the length of a prompt that is composed already', async () => {
  const facts = { agent: 'one', contextWindow: 1_000, sessions: [] }
  const turn = { facts, view: [], prompt: 'go on', sessions: [], model: 'big-1' }
  const adapter = { money: { price: () => null } }
  const ask = (change: object) =>
    prospectOf(
      { store } as unknown as Dependencies,
      { ...turn, adapter, ...change } as unknown as ProspectiveTurn,
    )
  expect(await ask({ promptChars: 0, note: 'a note' })).toMatchObject({
    promptChars: 0,
    note: 'a note',
    maxChars: 2_400,
  })
  const plain = await ask({})
  expect(plain.note).toBeNull()
  expect(plain).not.toHaveProperty('promptChars')
})

test('D-7 an alias has the price of the model that it stood for last', async () => {
  const sessions = [session('old', 'small-1x', 1), session('new', 'small-1', 2)]
  expect((await prospect({ model: 'big-1', sessions })).price).toMatchObject({ name: 'big-1' })
  expect((await prospect({ model: 'small', sessions })).price).toMatchObject({ name: 'small-1' })
  const both = [session('old', 'big-2', 1), session('new', 'big-1', 2)]
  for (const some of [both, both.toReversed()])
    expect((await prospect({ model: 'big', sessions: some })).price).toMatchObject({
      name: 'big-1',
    })
  expect((await prospect({ model: 'unknown' })).price).toBeNull()
})

test('D-7 contexts are measured after the first two answers of the agent, and where a session is cut', async () => {
  const view = [
    said(null),
    said('one', 'run_1'),
    said('two', 'run_4'),
    said('one', 'run_2'),
    said('one', 'run_3'),
  ]
  const measured = async (related: readonly object[], messages: readonly object[] = view) => [
    ...(await prospect({ view: messages, related })).measured,
  ]
  expect(await measured([])).toEqual([
    [1, 100],
    [3, 200],
  ])
  expect(await measured([cut(5)])).toEqual([
    [1, 100],
    [3, 200],
    [4, 300],
  ])
  // What another agent has filled says nothing about this one.
  expect(await measured([cut(3)])).toEqual([
    [1, 100],
    [3, 200],
  ])
  expect(
    await measured([
      cut(9),
      { relation: { kind: 'equal' } },
      { relation: { kind: 'diverged', fork: null } },
    ]),
  ).toEqual([
    [1, 100],
    [3, 200],
  ])
  expect(await measured([], [said('one'), said('one', 'run_5')])).toEqual([])
  expect(await measured([], [said('one', 'gone')])).toEqual([])
})

describe('M-4 an estimate rests on what runs have reported', () => {
  const usage = (cacheReadTokens: number, cacheWriteTokens: number) => ({
    inputTokens: 0,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: 40,
  })
  const ended = (change: object) => ({
    id: 'run_9',
    agent: 'one',
    status: 'completed',
    threadId: 'thr_1',
    sessionId: 'aaaa',
    decision: { action: 'start' },
    disallowedTools: ['Bash', 'Write(x)'],
    usage: usage(0, 8_000),
    contextTokens: 8_040,
    turns: 1,
    costUsd: null,
    model: 'big-1',
    runtime: 'r1',
    workDir: '/project',
    endedAt: 1_000,
    ...change,
  })

  /** The runs of the thread, and those of all threads. */
  function ask(own: readonly object[], all: readonly object[], disallowedTools = ['Bash']) {
    const facts = {
      agent: 'one',
      runtime: 'r1',
      workDir: '/project',
      gatheredAt: 4_000,
      contextWindow: 1_000,
      sessions: [
        { id: 'ses_1', sessionId: 'aaaa', runtime: 'r1', relation: { kind: 'same' } },
        { id: 'ses_2', sessionId: 'bbbb', runtime: 'r0', relation: { kind: 'same' } },
        { id: 'ses_3', sessionId: 'cccc', runtime: 'r1', relation: { kind: 'same' } },
      ],
    }
    const store = {
      run: async () => null,
      listRuns: async ({ threadId }: { threadId?: string }) => (threadId === undefined ? all : own),
      promptOf: async (id: string) => (id === 'old' ? null : { bytes: 4_000 }),
    }
    const turn = {
      ...{ threadId: 'thr_1', facts, view: [], prompt: 'go on', sessions: [], model: 'big-1' },
      ...{ disallowedTools, adapter: { money: { price: () => null } } },
    }
    return prospectOf({ store } as unknown as Dependencies, turn as unknown as ProspectiveTurn)
  }

  test('of the thread, where it has some', async () => {
    const found = await ask([ended({}), ended({ usage: usage(8_000, 2_000), turns: 2 })], [])
    expect(found.habits).toMatchObject({ basis: { runs: 2, of: 'thread' }, outputTokens: 40 })
    expect(found.overheads).toContain(7_000)
  })

  test('of the same agent elsewhere, where it has none; runs of others or without an end tell nothing', async () => {
    const useless = [
      ended({ agent: 'two' }),
      ended({ status: 'failed' }),
      ended({ contextTokens: null }),
    ]
    const found = await ask(useless, [...useless, ended({ id: 'old' })])
    expect(found.habits).toMatchObject({ basis: { runs: 1, of: 'agent' } })
    expect(found.overheads).toEqual([])
    expect((await ask([], [])).habits).toBeNull()
  })

  test.each([
    ['start', {}, true],
    ['handover', {}, true],
    ['replay', { form: 'prompt' }, true],
    ['replay', { form: 'native' }, false],
    ['resume', {}, false],
  ])('a %s with %j tells what the agent adds to a session: %s', async (action, rest, tells) => {
    const found = await ask([ended({ decision: { action, ...rest } })], [])
    expect(found.overheads).toEqual(tells ? [7_000] : [])
  })

  test('of two new sessions at most, and of the latest eight runs', async () => {
    const runs = Array.from({ length: 9 }, (_, index) => ended({ id: `run_${index}` }))
    const found = await ask(runs, [])
    expect(found.overheads).toEqual([7_000, 7_000])
    expect(found.habits?.basis.runs).toBe(8)
  })

  test('a run that has not decided or not ended tells nothing of its session', async () => {
    expect((await ask([ended({ decision: null })], [])).overheads).toEqual([])
    const open = ended({ endedAt: null, disallowedTools: ['Bash'] })
    expect((await ask([], [open])).elsewhere).toBeNull()
  })

  test('a session keeps its cache while its program and its whole tools are the same', async () => {
    const runs = [ended({}), ended({ sessionId: 'bbbb' })]
    expect([...(await ask(runs, [])).sameTools]).toEqual(['ses_1'])
    expect([...(await ask(runs, [], ['Write(y)', 'Bash'])).sameTools]).toEqual(['ses_1'])
    expect([...(await ask(runs, [], [])).sameTools]).toEqual([])
  })

  test('a first turn finds the cache of the newest run of the agent in the same directory', async () => {
    const elsewhere = async (change: object) => (await ask([], [ended(change)])).elsewhere
    const fits = { ageMs: 3_000, sameModel: true, sameTools: true }
    const allowed = { disallowedTools: ['Bash'] }
    expect(await elsewhere(allowed)).toEqual(fits)
    expect(await elsewhere({ ...allowed, model: 'other' })).toEqual({ ...fits, sameModel: false })
    expect(await elsewhere({ ...allowed, runtime: 'r0' })).toEqual({ ...fits, sameTools: false })
    expect(await elsewhere({ disallowedTools: [] })).toEqual({ ...fits, sameTools: false })
    expect(await elsewhere({ workDir: '/other' })).toBeNull()
    const own = ended({})
    expect((await ask([own], [own])).elsewhere).toBeNull()
  })
})
