// What is known of a run whose agent, thread or facts are gone: its decision is explained, and nothing is estimated.
import { expect, test } from 'vitest'
import { explainRun } from './explain-run.ts'

const CHECK = { guard: 'prior-turn', result: 'block', reason: { code: 'first-turn' } }
const DECISION = { action: 'start', reason: { code: 'first-turn' }, checks: [CHECK] }
const FACTS = {
  ...{ gatheredAt: 9, agent: 'one', abilities: {}, freshSession: false, viewLength: 1 },
  ...{ workDir: '/project', runtime: 'r', contextWindow: null, sessions: [] },
}
const PROMPT = { id: 'msg_2', role: 'user', agent: null, text: 'two', tools: [], hash: 'h2' }
const BEFORE = { ...PROMPT, id: 'msg_1', text: 'one', hash: 'h1' }
const RUN = {
  ...{ id: 'run_1', status: 'completed', agent: 'one', threadId: 'thr_1', model: null },
  ...{ promptMessageId: 'msg_2', disallowedTools: [], decision: DECISION, facts: FACTS },
  resumeSettings: null,
}

type Given = { run?: object; branch?: readonly object[]; agents?: readonly string[]; thread?: null }

async function explained(given: Given = {}) {
  let estimates = 0
  const adapter = { money: { price: () => null } }
  const agents = new Map((given.agents ?? ['one']).map(name => [name, { adapter }]))
  const queries: object[] = []
  const store = {
    thread: async () => (given.thread === null ? null : { id: 'thr_1', view: 'all' }),
    branch: async () => given.branch ?? [BEFORE, PROMPT],
    sessions: async (query: object) => {
      queries.push(query)
      return []
    },
    listRuns: async () => {
      estimates += 1
      return []
    },
    run: async () => null,
  }
  const run = { ...RUN, ...given.run }
  const found = await explainRun({ store, agents } as never, run as never, undefined)
  return { found, isEstimated: estimates > 0, queries }
}

test('D-7 the ways of a run are estimated from what its thread held when it began', async () => {
  const { found, isEstimated, queries } = await explained()
  expect(found.decision).toEqual(DECISION)
  expect([isEstimated, queries]).toEqual([true, [{ threadId: 'thr_1', agent: 'one' }]])
})

test.each<[string, Given]>([
  ['has no agent any more', { agents: [] }],
  ['has no thread any more', { thread: null }],
  ['belongs to no thread', { run: { threadId: null } }],
  ['has a prompt that is not on the branch', { branch: [BEFORE] }],
  ['had less before its prompt', { branch: [BEFORE, { ...BEFORE, id: 'msg_0' }, PROMPT] }],
])('D-7 nothing is estimated for a run that %s', async (_, given) => {
  const { found, isEstimated } = await explained(given)
  expect([found.decision, isEstimated]).toEqual([DECISION, false])
})

test.each([{ decision: null }, { facts: null }])(
  'U-4 a run with %j has decided nothing',
  async run => {
    await expect(explained({ run })).rejects.toMatchObject({ code: 'conflict' })
  },
)
