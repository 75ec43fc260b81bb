// What the store knows about the price of a turn: which sessions the same model has filled, and how full they were.
import { expect, test } from 'vitest'
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
const store = { run: async (id: string) => CONTEXTS[id] ?? null }

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
