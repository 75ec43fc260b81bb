// What a process is started with: each part of its spec comes from the run, its decision, its tier or its agent.
import { describe, expect, test } from 'vitest'
import { VERDICT_SCHEMA } from '../../core/chain/verdict.ts'
import { mostPromptChars, specOf } from './run-spec.ts'

const RESUME = { action: 'resume', session: { id: 'ses_1', sessionId: 's-1' }, catchUpFrom: 0 }
const START = { action: 'start', reason: { code: 'first-turn' } }
const MANDATE = { policy: { passEnv: ['TOKEN'], tiers: [{}, {}] }, tiers: [] }

/** Only this thread has outputs. */
const FILES = {
  stat: async (path: string) => (path === '/hidden/outputs/thr_cut' ? {} : null),
  realpath: async (path: string) => path.replace('/hidden', '/linked'),
}

type Given = {
  readonly plan?: object
  readonly run?: object
  readonly adapter?: object
  readonly agent?: object
  readonly situation?: object
  readonly environment?: Readonly<Record<string, string>>
}

/** The spec, the texts that were kept for the agent, and what the adapter was asked. */
async function spec(given: Given = {}) {
  const kept: unknown[] = []
  const opened: object[] = []
  const keep = async (text: unknown) => {
    kept.push(text)
    return `/kept/${kept.length}`
  }
  const adapter = {
    sessionFiles: {},
    canAsk: () => true,
    open: (made: object) => {
      opened.push(made)
      return { dialogue: { begin: () => {} } }
    },
    words: { takesModel: (model: string) => model !== 'odd' },
    ...{ passEnv: ['HOME', 'TRACEPARENT'], withheldEnv: [], setEnv: {}, confinedEnv: {} },
    ...given.adapter,
  }
  const agent = { adapter, runtime: 'runtime', env: {}, passEnv: [], ...given.agent }
  const made = await specOf(
    {
      random: { promptMark: () => 'mark' },
      files: FILES,
      hiddenDir: '/hidden',
      environment: given.environment ?? { HOME: '/home', TOKEN: 't', OTHER: 'o' },
    } as never,
    {
      newSessionId: 'new-1',
      run: {
        ...{ id: 'run_1', workDir: '/project', permissionMode: 'plan', questions: 'ask' },
        ...{ allowedTools: ['Read'], disallowedTools: ['Bash'], trust: 'user', ...given.run },
      },
      prompt: { text: 'go on' },
      situation: { agent, view: [], model: null, ...given.situation },
      decision: START,
      source: null,
      facts: { contextWindow: 100_000 },
      instructions: { text: null, hash: null, inPrompt: null },
      ...{ parked: null, tierContext: null, note: null, callFirst: null, files: null },
      ...{ maxTurns: undefined, stays: false, trace: null },
      keeper: { keepText: keep, keepContext: keep },
      ...given.plan,
    } as never,
  )
  return { made, kept, opened }
}

test('H-2 a run says with which session, prompt, mode, tools and trust its process starts, and nothing more', async () => {
  const { made, kept, opened } = await spec()
  expect(made).toEqual({
    ...{ runId: 'run_1', continuation: { kind: 'new', sessionId: 'new-1' }, prompt: 'go on' },
    ...{ workDir: '/project', model: null, permissionMode: 'plan', trust: 'user', asks: true },
    ...{ allowedTools: ['Read'], disallowedTools: ['Bash'], instructionsFile: null },
    ...{ parkFiles: {}, contextDir: null, env: { HOME: '/home', TOKEN: 't', OTHER: 'o' } },
  })
  expect(kept).toEqual([])
  // Bad values must throw before the run is recorded as started.
  expect(opened).toEqual([made])
})

test('U-4 what the agent cannot be told is an error before anything starts', async () => {
  const open = () => ({
    dialogue: {
      begin: () => {
        throw new Error('no such mode')
      },
    },
  })
  await expect(spec({ adapter: { open } })).rejects.toThrow('no such mode')
})

test('T-7 an agent may ask when the run lets it and its version can', async () => {
  expect((await spec({ run: { questions: 'none' } })).made.asks).toBe(false)
  expect((await spec({ adapter: { canAsk: () => false } })).made.asks).toBe(false)
})

test('T-7a the answer to a parked question, and a process that waits for its prompt, have no prompt', async () => {
  expect(
    (await spec({ plan: { parked: { toolUseId: 't', answer: null } } })).made.prompt,
  ).toBeNull()
  expect((await spec({ plan: { prompt: null } })).made.prompt).toBeNull()
})

test('D-2 only an agent whose sessions nobody else can read hears how its session must end', async () => {
  const plan = { decision: { ...RESUME, catchUpFrom: 1 } }
  const situation = { view: [{ role: 'user', text: 'one', tools: [] }] }
  expect((await spec({ plan, situation })).made).not.toHaveProperty('knownEnds')
  const { made } = await spec({ plan, situation, adapter: { sessionFiles: undefined } })
  expect(made.knownEnds).toMatchObject([{ lastPrompt: 'one' }])
})

describe('H-2 the model', () => {
  const modelOf = async (decision: object, source: object | null, model: string | null = null) =>
    (await spec({ plan: { decision, source }, situation: { model } })).made.model
  const FORK = { ...RESUME, action: 'fork', at: null }

  test.each<[string, object, object | null, string | null, string | null]>([
    ['of the turn goes before that of the session', RESUME, { model: 'old' }, 'new', 'new'],
    ['of a session that is resumed stays', RESUME, { model: 'old' }, null, 'old'],
    ['of a session that is forked stays', FORK, { model: 'old' }, null, 'old'],
    ['of a session that does not go on is not kept', START, { model: 'old' }, null, null],
    ['that the agent cannot be told is left out', RESUME, { model: 'odd' }, null, null],
    ['of a session that has none is not known', RESUME, { model: null }, null, null],
    ['is not known without a session', RESUME, null, null, null],
  ])('%s', async (_, decision, source, model, expected) => {
    expect(await modelOf(decision, source, model)).toBe(expected)
  })
})

test('T-8 instructions are in a file for the agent; without a text there is no file', async () => {
  const instructions = { text: 'In Latin.', hash: 'h', inPrompt: null }
  const { made, kept } = await spec({ plan: { instructions } })
  expect([made.instructionsFile, kept]).toEqual(['/kept/1', ['In Latin.']])
  const none = await spec({ plan: { instructions: { ...instructions, text: '' } } })
  expect([none.made.instructionsFile, none.kept]).toEqual([null, []])
})

test('T-8 J-10 the prompt holds instructions that the agent would not read, and news about the files', async () => {
  const instructions = { text: null, hash: 'h', inPrompt: 'In Latin.' }
  const { made } = await spec({ plan: { instructions, files: 'The files come from elsewhere.' } })
  expect(made.prompt).toMatch(/In Latin\.[\s\S]*The files come from elsewhere\.\n\ngo on$/)
  expect((await spec()).made.prompt).toBe('go on')
})

test('S16 notes of the project reach an agent through us where the settings of the project take no part', async () => {
  const asked: unknown[] = []
  const contextFile = async (...given: unknown[]) => {
    asked.push(given)
    return { name: 'notes.md', text: 'notes' }
  }
  const { made, kept } = await spec({ adapter: { contextFile } })
  expect([made.contextDir, kept]).toEqual(['/kept/1', [{ name: 'notes.md', text: 'notes' }]])
  expect(asked).toEqual([['/project', FILES]])
  const trusted = await spec({ adapter: { contextFile }, run: { trust: 'project' } })
  expect([trusted.made.contextDir, asked.length]).toEqual([null, 1])
  expect((await spec({ adapter: { contextFile: async () => null } })).made.contextDir).toBeNull()
})

test('E-15 W-3 a run may read the outputs that were cut for its thread, by each name of their directory', async () => {
  const { made } = await spec({ situation: { threadId: 'thr_cut' } })
  expect(made.outputsDirs).toEqual(['/hidden/outputs/thr_cut', '/linked/outputs/thr_cut'])
  expect((await spec()).made).not.toHaveProperty('outputsDirs')
})

test('a limit of turns, a process that stays and a call that runs first are said only where they are so', async () => {
  const { made } = await spec({ plan: { maxTurns: 3, stays: true, callFirst: {} } })
  expect(made).toMatchObject({ maxTurns: 3, stays: true, callFirst: true })
  for (const part of ['maxTurns', 'stays', 'callFirst', 'answerSchema', 'isGuarded'])
    expect((await spec()).made).not.toHaveProperty(part)
})

test('O-5 the agent goes on with the trace of its run', async () => {
  const trace = { traceparent: '00-1-2-01', tracestate: 'a=b' }
  const { made } = await spec({ plan: { trace }, environment: { TRACEPARENT: 'another' } })
  expect(made.env).toEqual({ TRACEPARENT: '00-1-2-01', TRACESTATE: 'a=b' })
})

describe('E-4 E-5 a tier of a chain', () => {
  const tier = (change: object = {}) => ({
    form: 'structured',
    chain: { mandate: MANDATE },
    purpose: { enters: false, tier: 1 },
    ...change,
  })
  const rules = (canGuard: boolean) => ({ fence: { kind: 'rules', canGuard: () => canGuard } })

  test('must answer by the schema of a verdict where its agent obeys one', async () => {
    const structured = await spec({ plan: { tierContext: tier() } })
    expect(structured.made.answerSchema).toBe(VERDICT_SCHEMA)
    const block = await spec({ plan: { tierContext: tier({ form: 'block' }) } })
    expect(block.made).not.toHaveProperty('answerSchema')
  })

  test('is asked before each call where its agent can ask', async () => {
    const isGuarded = async (adapter: object) =>
      (await spec({ plan: { tierContext: tier() }, adapter })).made.isGuarded
    expect(await isGuarded(rules(true))).toBe(true)
    expect(await isGuarded(rules(false))).toBeUndefined()
    expect(await isGuarded({ fence: { kind: 'sandbox' } })).toBeUndefined()
    expect(await isGuarded({})).toBeUndefined()
    expect((await spec({ adapter: rules(true) })).made.isGuarded).toBeUndefined()
  })

  test('gets the variables that its policy names, and no others of the user', async () => {
    const { made } = await spec({ plan: { tierContext: tier() } })
    expect(made.env).toEqual({ HOME: '/home', TOKEN: 't' })
  })

  test('goes on with its own prompt alone; a note stands before it where there is no session', async () => {
    const resumed = await spec({ plan: { tierContext: tier(), decision: RESUME } })
    expect(resumed.made.prompt).toBe('go on')
    // A turn of a user gets a line that settles earlier questions.
    expect((await spec({ plan: { decision: RESUME } })).made.prompt).not.toBe('go on')
  })
})

test('D-6 a prompt may fill six tenths of the window, at four characters to a token', () => {
  expect(mostPromptChars({ contextWindow: 1_000 })).toBe(2_400)
  expect(mostPromptChars({ contextWindow: null })).toBe(480_000)
})
