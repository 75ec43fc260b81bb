// Which processes may take another turn: which runs let theirs stay, when one has settled, and where it is known to have stopped.
import { describe, expect, test } from 'vitest'
import { NOTHING_GREW } from '../../adapters/adapter.ts'
import { newObservation } from '../../core/run/observe.ts'
import type { AgentProcess, Line } from '../../runner/runner.ts'
import { restingProcess } from './keep-warm.ts'
import { LiveAgent } from './live-agent.ts'
import { mayStay, whetherKept } from './may-stay.ts'

describe('W-1 the process of a run may stay', () => {
  const STAYS = { canStay: () => true }
  const may = (change: {
    warm?: object | null
    run?: object
    agent?: object
    sandbox?: object
    isSpecial?: boolean
  }) =>
    mayStay(
      { warm: change.warm === undefined ? {} : change.warm } as never,
      {
        run: { chainId: null, jobId: null, ...change.run },
        agent: { runtime: {}, adapter: { stay: STAYS }, ...change.agent },
        sandbox: { kind: 'use', sandbox: 'none', ...change.sandbox },
        isSpecial: change.isSpecial ?? false,
      } as never,
    )

  test.each<[string, Parameters<typeof may>[0], boolean]>([
    ['of a thread', {}, true],
    ['where nothing is kept', { warm: null }, false],
    ['with a limit or a work tree', { isSpecial: true }, false],
    ['that is talked to by another way', { agent: { through: () => {} } }, false],
    ['of a chain', { run: { chainId: 'chn_1' } }, false],
    ['of a job', { run: { jobId: 'job_1' } }, false],
    ['in a sandbox', { sandbox: { sandbox: 'bwrap' } }, false],
    ['whose sandbox was refused', { sandbox: { kind: 'refuse' } }, false],
    ['of a version that cannot', { agent: { adapter: { stay: { canStay: () => false } } } }, false],
    ['of an agent that never can', { agent: { adapter: {} } }, false],
  ])('%s', (_, change, expected) => {
    expect(may(change)).toBe(expected)
  })
})

const GREW = { ...NOTHING_GREW, holdsPrompt: true, end: 'end', anchors: ['a-1', 'a-2'] }
const ANSWERED = { ...newObservation(), result: { ok: true }, lastAnchor: 'a-2' }

describe('W-1 a process that has answered is kept', () => {
  type Given = {
    readonly observation?: object
    /** What the file shows at each look; the last one stays. */
    readonly growths?: readonly object[]
    /** How many other processes there are at each look. */
    readonly others?: readonly (number | null)[]
    readonly onSleep?: (observation: { stopBegan: boolean }) => void
  }
  async function answered(given: Given) {
    const observation = { ...ANSWERED, ...given.observation }
    const growths = [...(given.growths ?? [GREW])]
    const others = [...(given.others ?? [0])]
    let looks = 0
    let sleeps = 0
    const asked: unknown[] = []
    const look = () => {
      looks += 1
      const count = others.length > 1 ? others.shift() : others[0]
      return count === null ? null : { others: count }
    }
    const growth = async (...at: unknown[]) => {
      asked.push(at)
      return growths.length > 1 ? growths.shift() : growths[0]
    }
    const clock = {
      sleep: async (ms: number) => {
        expect(ms).toBe(5)
        sleeps += 1
        given.onSleep?.(observation)
      },
    }
    const came = await whetherKept(
      { clock, files: 'files' } as never,
      {
        live: { look },
        agent: { fullEnv: 'env', adapter: { sessionFiles: { growth } } },
        spec: { prompt: 'two' },
        observation,
        mark: 'mark',
        session: { sessionId: 's', workDir: '/project' },
      } as never,
    )
    return { came, looks, sleeps, asked }
  }

  test('when its file holds the whole answer and no other process is left', async () => {
    expect(await answered({})).toEqual({
      ...{ came: 'kept', looks: 1, sleeps: 0 },
      asked: [
        [{ sessionId: 's', workDir: '/project', env: 'env' }, 'mark', { prompt: 'two' }, 'files'],
      ],
    })
  })

  test('when the file gets the rest of the answer a moment later', async () => {
    const growths = [
      NOTHING_GREW,
      { ...GREW, anchors: ['a-1'] },
      { ...GREW, holdsPrompt: false },
      GREW,
    ]
    expect(await answered({ growths })).toMatchObject({ came: 'kept', sleeps: 3 })
  })

  test('when the processes that it started for a moment have ended', async () => {
    expect(await answered({ others: [2, 1, 1, 0] })).toMatchObject({ came: 'kept', looks: 4 })
  })

  test.each<[string, object]>([
    ['was being stopped', { stopBegan: true }],
    ['failed', { result: { ok: false } }],
    ['gave no result', { result: null }],
    ['said nothing that its file could hold', { lastAnchor: null }],
  ])('not when it %s: nobody even looks', async (_, observation) => {
    expect(await answered({ observation })).toMatchObject({ came: 'ends', looks: 0, asked: [] })
  })

  test('not when its file never holds the answer, and not when a child of it stays', async () => {
    const unsaved = { came: 'not-saved', looks: 0, sleeps: 599 }
    expect(await answered({ growths: [NOTHING_GREW] })).toMatchObject(unsaved)
    expect(await answered({ growths: [{ ...GREW, anchors: [] }] })).toMatchObject(unsaved)
    const left = { came: 'left-processes', looks: 20, sleeps: 19 }
    expect(await answered({ others: [1] })).toMatchObject(left)
    // Of a process that nobody can see nothing is known, and looking again would not help.
    expect(await answered({ others: [null] })).toMatchObject({ came: 'left-processes', looks: 1 })
  })

  test('not when somebody stops it meanwhile', async () => {
    const onSleep = (observation: { stopBegan: boolean }) => {
      observation.stopBegan = true
    }
    expect(await answered({ growths: [NOTHING_GREW, GREW], onSleep })).toMatchObject({
      came: 'ends',
      sleeps: 1,
    })
  })
})

describe('W-1 a process that rests is kept', () => {
  const SPEC = { runId: 'run_1', prompt: 'two', model: null }
  const SEEN = { others: 0, memoryBytes: 9, workDir: '/project' }
  const SESSION = { id: 'ses_1', sessionId: 's', workDir: '/project' }
  type Given = {
    readonly lastLook?: null
    readonly session?: object | null
    readonly growth?: object
    readonly spec?: object
    readonly observation?: object
    readonly found?: string | null
    readonly stat?: object | null
    readonly sessionFiles?: undefined
  }
  function kept(given: Given = {}) {
    const opened: { model: string | null; continuation: object }[] = []
    const adapter = {
      sessionFiles:
        'sessionFiles' in given
          ? undefined
          : {
              locate: async () => ({ found: given.found === undefined ? '/s.jsonl' : given.found }),
            },
      open: (spec: { model: string | null; continuation: object }) => {
        opened.push(spec)
        return { command: { file: '/bin/agent', args: [spec.model], env: {}, workDir: '/project' } }
      },
      words: { takesModel: (model: string) => model !== 'odd' },
    }
    const stat = given.stat === undefined ? { sizeBytes: 7, modifiedMs: 8 } : given.stat
    const resting = {
      live: { startedAt: 3, lastLook: given.lastLook === undefined ? SEEN : given.lastLook },
      threadId: 'thr_1',
      agent: { name: 'one', fullEnv: {}, runtime: { fingerprint: 'f' }, adapter },
      spec: { ...SPEC, ...given.spec },
      filesKey: 'files',
      observation: {
        ...newObservation(),
        model: 'sonnet',
        lastResult: { totalCostUsd: 0.5 },
        ...given.observation,
      },
      remains: {
        session: given.session === undefined ? SESSION : given.session,
        growth: { ...GREW, ...given.growth },
      },
    }
    const dependencies = { clock: { now: () => 11 }, files: { stat: async () => stat } }
    return restingProcess(dependencies as never, resting as never).then(one => ({ one, opened }))
  }

  test('with where it left its session, what it was started with, and its total', async () => {
    const { one, opened } = await kept()
    expect(one).toMatchObject({
      ...{ startedAt: 3, restsSince: 11, memoryBytes: 9 },
      leftAt: {
        ...{ threadId: 'thr_1', agent: 'one', id: 'ses_1', sessionId: 's', knownEnd: 'end' },
        ...{ path: '/s.jsonl', sizeBytes: 7, fileState: { modifiedMs: 8 } },
        ...{ filesKey: 'files', totalUsd: 0.5 },
      },
    })
    // The next turn resumes the session with the model that answered.
    expect(opened).toMatchObject([
      { model: 'sonnet', continuation: { kind: 'resume', sessionId: 's' } },
    ])
  })

  test.each<[string, object, object, string | null]>([
    ['that was asked for', { model: 'opus' }, {}, 'opus'],
    ['that the agent cannot be told', {}, { model: 'odd' }, null],
    ['that nobody named', {}, { model: null }, null],
  ])('under the model %s', async (_, spec, observation, expected) => {
    expect((await kept({ spec, observation })).opened[0]?.model).toBe(expected)
  })

  test.each<[string, Given]>([
    ['nobody could see it', { lastLook: null }],
    ['it has no session', { session: null }],
    ['its file does not hold the prompt', { growth: { holdsPrompt: false } }],
    ['nobody knows its last message', { growth: { end: null } }],
    ['it gave no total', { observation: { lastResult: null } }],
    ['its file is nowhere', { found: null }],
    ['its file is gone', { stat: null }],
    ['nobody can read its sessions', { sessionFiles: undefined }],
  ])('but not when %s', async (_, given) => {
    expect((await kept(given)).one).toBeNull()
  })
})

describe('W-1 a process with its dialogue', () => {
  function live(lines: readonly Line[]) {
    const notes: string[] = []
    let reads = 0
    const process = {
      lines: (async function* () {
        for (const line of lines) {
          reads += 1
          yield line
        }
      })(),
      write: (text: string) => void notes.push(`write ${text}`),
      endInput: () => void notes.push('end input'),
      turns: { look: () => ({ others: 1, memoryBytes: 5, workDir: '/project' }) },
    }
    const dialogue = { read: (text: string) => ({ events: [], write: [text] }) }
    const one = new LiveAgent({
      process: process as unknown as AgentProcess,
      dialogue: dialogue as never,
      ...{ startedBy: 'run_1', startedAt: 3 },
    })
    return { one, notes, process, reads: () => reads }
  }

  test('a line that made it stir is read by the next step, and only once', async () => {
    const { one, reads } = live([
      { kind: 'line', text: 'a' },
      { kind: 'line', text: 'b' },
    ])
    await one.stirs()
    await one.stirs()
    expect(reads()).toBe(1)
    expect((await one.step())?.write).toEqual(['a'])
    expect((await one.step())?.write).toEqual(['b'])
    expect([await one.step(), await one.step()]).toEqual([null, null])
  })

  test('S27 a line that was too long is an unknown event with its size and its beginning', async () => {
    const { one } = live([{ kind: 'oversized', head: 'the beginning', bytes: 5_000 } as Line])
    expect(await one.step()).toEqual({
      events: [{ type: 'unknown', kind: 'line of 5000 bytes', raw: expect.any(String) }],
      write: [],
    })
  })

  test('Reprise writes to it what a step says, and ends its input only where the step says so', () => {
    const { one, notes } = live([])
    one.tell(undefined)
    one.tell({ events: [], write: ['a', 'b'] })
    expect(notes).toEqual(['write a', 'write b'])
    one.tell({ events: [], write: [], close: true })
    expect(notes.at(-1)).toBe('end input')
  })

  test('a look is remembered; of a process that nobody can see nothing is known', () => {
    const { one, process } = live([])
    expect(one.lastLook).toBeNull()
    expect(one.look()).toMatchObject({ others: 1 })
    expect(one.lastLook).toMatchObject({ memoryBytes: 5 })
    Object.assign(process, { turns: { look: () => null } })
    expect([one.look(), one.lastLook]).toEqual([null, null])
    Object.assign(process, { turns: undefined })
    expect(one.look()).toBeNull()
  })
})
