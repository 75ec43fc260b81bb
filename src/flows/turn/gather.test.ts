// The facts of a decision, as tables: which sessions are asked, where their files are, and how large the window is.
import { describe, expect, test } from 'vitest'
import { modelOfLatest } from '../../core/conversation/session.ts'
import { gather, type Situation } from './gather.ts'
import { instructionsFor } from './instructions.ts'

const SESSION = {
  id: 'ses_1',
  sessionId: 's-1',
  pointer: 'confirmed',
  retiredBecause: null,
  workDir: '/before',
  runtime: 'agent 1',
  model: 'sonnet',
  lastMessageAt: 10,
  fruitlessResumes: 0,
  contextTokens: 5,
  contextWindow: null,
  lastStopReason: 'end_turn',
  seen: [],
  knownEnd: null,
}

type Given = {
  readonly sessions?: readonly object[]
  readonly holders?: Readonly<Record<string, string>>
  readonly file?: object
  readonly situation?: object
  readonly resume?: object
  readonly abilities?: object
  readonly table?: number | null
  readonly adapter?: object
}

/** Gathers with a store and an adapter that note what they are asked. */
async function facts(given: Given = {}) {
  const inspected: string[] = []
  const asked: unknown[] = []
  const dependencies = {
    clock: { now: () => 77 },
    files: {},
    store: {
      sessions: async (query: object) => {
        asked.push(query)
        return given.sessions ?? [SESSION]
      },
      sessionHolders: async (ids: readonly string[]) => {
        asked.push(ids)
        return new Map(Object.entries(given.holders ?? {}))
      },
    },
  }
  const agent = {
    name: 'claude-code',
    fullEnv: {},
    runtime: {
      fingerprint: 'agent 1',
      abilities: { resumeAcrossWorkDirs: false, ...given.abilities },
    },
    adapter: {
      sessionFiles: {
        inspect: async ({ workDir }: { workDir: string }) => {
          inspected.push(workDir)
          return given.file ?? { state: 'present' }
        },
      },
      money: {
        contextWindow: (...place: unknown[]) => {
          asked.push(place)
          return given.table === undefined ? null : given.table
        },
      },
      park: { stopReason: 'parked' },
      ...given.adapter,
    },
  }
  const situation = {
    agent,
    threadId: 'thr_1',
    view: [],
    workDir: '/now',
    model: 'sonnet',
    freshSession: false,
    resume: { onWorkDirChange: 'replay', ...given.resume },
    ...given.situation,
  } as unknown as Situation
  const gathered = await gather(dependencies as never, situation)
  return { ...gathered, inspected, asked, session: gathered.facts.sessions[0] }
}

describe('D-1 the facts', () => {
  test('hold what the turn asks for and what is known of each session', async () => {
    const { facts: found, session } = await facts({ situation: { freshSession: true } })
    expect(found).toMatchObject({
      gatheredAt: 77,
      agent: 'claude-code',
      freshSession: true,
      viewLength: 0,
      workDir: '/now',
      runtime: 'agent 1',
    })
    expect(found).not.toHaveProperty('purpose')
    expect(session).toMatchObject({
      id: 'ses_1',
      sessionId: 's-1',
      pointer: 'confirmed',
      workDir: '/before',
      runtime: 'agent 1',
      lastMessageAt: 10,
      contextTokens: 5,
      file: { state: 'present' },
      heldBy: null,
    })
  })

  test('are asked for this thread and this agent, and for the window of this program', async () => {
    const { asked } = await facts({ table: 9 })
    expect(asked).toEqual([
      { threadId: 'thr_1', agent: 'claude-code' },
      ['ses_1'],
      ['sonnet', { runtime: expect.objectContaining({ fingerprint: 'agent 1' }), env: {} }],
    ])
  })

  test('hold the tier that asks, and what proves a session, where there is such a thing', async () => {
    const purpose = { kind: 'chain', tier: 2, enters: true }
    const sessions = [{ ...SESSION, evidence: 'word' }]
    const { facts: found, session } = await facts({ situation: { purpose }, sessions })
    expect([found.purpose, session?.evidence]).toEqual([purpose, 'word'])
    expect((await facts()).session).not.toHaveProperty('evidence')
  })

  test('A-1 of an agent whose sessions nobody else can read say so, and its assumed window counts', async () => {
    const adapter = { sessionFiles: undefined, park: undefined }
    const { session, facts: found } = await facts({ adapter })
    expect(session?.file).toEqual({ state: 'unread' })
    expect(found.contextWindow).toBeNull()
    const money = { contextWindow: () => null, assumedWindow: 7 }
    expect((await facts({ adapter: { ...adapter, money } })).facts.contextWindow).toBe(7)
    const stopped = { sessions: [{ ...SESSION, lastStopReason: null }] }
    const purpose = { enters: false, ownSessions: [] }
    const asking = { ...stopped, adapter, situation: { purpose } }
    expect((await facts(asking)).facts.sessions).toHaveLength(1)
  })

  test('C-2 the file of a session that is not confirmed is not read', async () => {
    const { inspected, session } = await facts({ sessions: [{ ...SESSION, pointer: 'announced' }] })
    expect([inspected, session?.file]).toEqual([[], { state: 'unknown' }])
  })

  test('V-4 messages in the file of a session that a run holds are not foreign: the run writes them', async () => {
    const file = { state: 'present', foreign: 2 }
    const free = await facts({ file })
    expect(free.session?.file).toEqual(file)
    const held = await facts({ file, holders: { ses_1: 'run_1' } })
    expect(held.session).toMatchObject({ heldBy: 'run_1', file: { state: 'present' } })
    expect(held.session?.file).not.toHaveProperty('foreign')
    const gone = { state: 'unknown', foreign: 2 }
    const lost = await facts({ file: gone, holders: { ses_1: 'run_1' } })
    expect(lost.session?.file).toEqual(gone)
  })

  test.each([
    ['replay', false, '/before'],
    ['relocate', false, '/now'],
    ['relocate', true, '/before'],
  ])(
    'D-8 with %s and an agent that resumes anywhere: %j, the file is looked for in %s',
    async (onWorkDirChange, resumeAcrossWorkDirs, expected) => {
      const { inspected } = await facts({
        resume: { onWorkDirChange },
        abilities: { resumeAcrossWorkDirs },
      })
      expect(inspected).toEqual([expected])
    },
  )

  test('V-1 a file that was put back for this decision says so, and is not put back twice', async () => {
    const copy = { because: 'it is not there' }
    const restored = new Map([['ses_1', copy]])
    const back = await facts({ situation: { restored } })
    expect(back.session?.file).toEqual({ state: 'present', restored: copy })
    const missing = { state: 'missing' }
    expect((await facts({ situation: { restored }, file: missing })).session?.file).toEqual(missing)
  })
})

describe('E-10 F-3 a session that waits at a call', () => {
  const sessions = [{ ...SESSION, lastStopReason: 'parked' }]
  const asked = async (purpose: object | undefined, all: readonly object[] = sessions) => {
    const { facts: found } = await facts({ sessions: all, situation: { purpose } })
    return found.sessions.length
  }

  test('is not asked by a tier that goes on, unless it is its own', async () => {
    expect(await asked(undefined)).toBe(1)
    expect(await asked({ enters: true })).toBe(1)
    expect(await asked({ enters: false, ownSessions: [] })).toBe(0)
    expect(await asked({ enters: false })).toBe(0)
    expect(await asked({ enters: false, ownSessions: ['s-1'] })).toBe(1)
    expect(await asked({ enters: false, ownSessions: [] }, [SESSION])).toBe(1)
  })

  test('D-2 is not asked by a tier above the one that its call was for: the call may have run there', async () => {
    expect(await asked({ enters: true, handedOver: ['s-1'] })).toBe(0)
    expect(await asked({ enters: true, handedOver: ['s-0'] })).toBe(1)
    expect(await asked({ enters: true, handedOver: ['s-1'] }, [SESSION])).toBe(1)
  })
})

describe('D-6 the window of the model', () => {
  const windowOf = async (given: Given) => (await facts(given)).facts.contextWindow
  const reported = (change: object) => ({ ...SESSION, contextWindow: 1_000, ...change })

  test.each<[string, Given, number | null]>([
    ['is what a run reported', { sessions: [reported({})], table: 9 }, 1_000],
    ['of another model is not', { sessions: [reported({ model: 'opus' })], table: 9 }, 9],
    ['of another program is not', { sessions: [reported({ runtime: 'agent 0' })], table: 9 }, 9],
    ['is in the table of the adapter, else', { table: 9 }, 9],
    [
      'is the last known one where nobody knows',
      { sessions: [reported({ model: 'opus' })] },
      1_000,
    ],
    ['is not known otherwise', {}, null],
    [
      'is that of the latest run of several',
      {
        sessions: [
          reported({ contextWindow: 1, lastMessageAt: 1 }),
          reported({ contextWindow: 3, lastMessageAt: 3 }),
          reported({ contextWindow: 2, lastMessageAt: 2 }),
        ],
      },
      3,
    ],
    [
      'of a turn that names no model is that of the latest session',
      { sessions: [reported({})], situation: { model: null } },
      1_000,
    ],
    [
      'of a turn that names no model, where no session has one, is the last known one',
      { sessions: [reported({ model: null, runtime: 'x' })], situation: { model: null }, table: 9 },
      1_000,
    ],
  ])('%s', async (_, given, expected) => {
    expect(await windowOf(given)).toBe(expected)
  })

  test('the model of the latest session is that of the first that has one', () => {
    expect(modelOfLatest([{ model: null }, { model: 'a' }, { model: 'b' }] as never)).toBe('a')
    expect(modelOfLatest([{ model: null }] as never)).toBeNull()
  })
})

describe('T-8 the instructions of a run', () => {
  const given = (text: string | null, action: string, known: string | null, ignores = true) => {
    const adapter = { instructionsBy: () => (ignores ? 'file-at-start' : 'file') }
    const input = { agent: { adapter, runtime: {} }, instructions: text }
    const source = known === null ? null : { instructionsHash: hashFor(known) }
    return instructionsFor(input as never, { action } as never, source as never)
  }
  const hashFor = (text: string) =>
    instructionsFor(
      {
        agent: { adapter: { instructionsBy: () => 'file' }, runtime: {} },
        instructions: text,
      } as never,
      { action: 'start' } as never,
      null,
    ).hash

  test.each<[string, string | null, string | null, string | null]>([
    ['start', 'In Latin.', null, 'In Latin.'],
    ['start', null, null, null],
    ['resume', 'In Latin.', 'In Latin.', null],
    ['resume', 'In Latin.', 'In French.', 'In Latin.'],
    ['fork', 'In Latin.', null, 'In Latin.'],
  ])(
    'A-2 an agent that reads no file gets them in the prompt of a %s: %s',
    (action, text, known, inPrompt) => {
      const adapter = { instructionsBy: () => 'prompt' }
      const input = { agent: { adapter, runtime: {} }, instructions: text }
      const source = { instructionsHash: known && hashFor(known) }
      const found = instructionsFor(input as never, { action } as never, source as never)
      expect(found).toEqual({ text: null, hash: text && hashFor(text), inPrompt })
    },
  )

  test.each([
    ['new ones', 'In Latin.', 'resume', 'In French.', true, 'In Latin.'],
    ['the first ones', 'In Latin.', 'resume', null, true, 'In Latin.'],
    ['the same ones', 'In Latin.', 'resume', 'In Latin.', true, null],
    ['none any more', null, 'resume', 'In Latin.', true, ''],
    ['none at all', null, 'resume', null, true, null],
    ['new ones, and a flag that works', 'In Latin.', 'resume', 'In French.', false, null],
    ['the same ones in a fork', 'In Latin.', 'fork', 'In Latin.', true, 'In Latin.'],
    ['none any more in a fork', null, 'fork', 'In Latin.', true, ''],
    ['none at all in a fork', null, 'fork', null, true, null],
    ['new ones in a new session', 'In Latin.', 'replay', null, true, null],
  ])('%s stand in the prompt, or not', (_, text, action, known, ignores, expected) => {
    const { inPrompt, text: flag, hash } = given(text, action, known, ignores)
    expect([inPrompt, flag]).toEqual([expected, text])
    expect(hash === null).toBe(text === null)
  })
})
