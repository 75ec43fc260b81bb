// How an agent is found and asked what it is, with an adapter, files and a runner that note what they are asked.
import { describe, expect, test } from 'vitest'
import { findAgent, inProject, reportAgents } from './agents.ts'
import {
  containmentOf,
  createTextKeeper,
  sandboxFor,
  sandboxNote,
  sandboxNotices,
} from './choose-sandbox.ts'

type Given = {
  readonly adapter?: object
  readonly config?: object
  readonly environment?: Readonly<Record<string, string>>
  readonly stats?: Readonly<Record<string, object>>
  readonly cached?: object | null
  readonly cut?: readonly boolean[]
}

const STAT = { kind: 'file', sizeBytes: 5, modifiedMs: 7 }

function world(given: Given = {}) {
  const probes: unknown[] = []
  const cached: unknown[] = []
  const keys: string[] = []
  const cuts = [...(given.cut ?? [])]
  const stats: Readonly<Record<string, object>> = given.stats ?? { '/bin/agent': STAT }
  const adapter = {
    ...{ name: 'small', install: 'npm i small', probes: [['--version'], ['--help']] },
    ...{ passEnv: ['HOME'], withheldEnv: [], setEnv: {}, confinedEnv: {} },
    recognise: (printed: readonly string[]) => ({
      version: printed.join('+'),
      abilities: { resume: true, fork: false, chooseSessionId: true },
      quirks: ['odd'],
      warning: 'old',
    }),
    ...given.adapter,
  }
  const config = {
    name: 'one',
    executable: '/bin/agent',
    env: {},
    passEnv: [],
    adapter,
    ...given.config,
  }
  const dependencies = {
    agents: new Map([['one', config]]),
    knownAgents: [],
    environment: given.environment ?? {},
    files: {
      realpath: async (path: string) => (path in stats ? path : null),
      stat: async (path: string) => stats[path] ?? null,
    },
    runner: {
      probe: async (file: string, args: readonly string[], _: object, greeting?: object) => {
        probes.push([file, ...args, ...(greeting ? ['greeted'] : [])])
        return { text: args.join(), outputCut: cuts.shift() ?? false }
      },
    },
    store: {
      cachedRuntime: async (key: string) => {
        keys.push(key)
        return given.cached ?? null
      },
      cacheRuntime: async (...stored: unknown[]) => void cached.push(stored),
    },
  }
  return { dependencies: dependencies as never, probes, cached, keys }
}

describe('A-1 an agent', () => {
  test('is asked by its probes; what it printed is kept under what its program is', async () => {
    const { dependencies, probes, cached, keys } = world()
    const { runtime } = await findAgent(dependencies, 'one')
    expect(runtime).toEqual({
      ...{ agent: 'one', executable: '/bin/agent', version: '--version+--help', quirks: ['odd'] },
      ...{ abilities: { resume: true, fork: false, chooseSessionId: true }, warning: 'old' },
      fingerprint: '/bin/agent --version+--help (resume, chooseSessionId)',
    })
    expect(probes).toEqual([
      ['/bin/agent', '--version'],
      ['/bin/agent', '--help'],
    ])
    expect(keys).toEqual(['small|/bin/agent|5|7'])
    expect(cached).toMatchObject([[keys[0], { printed: ['--version', '--help'] }]])
  })

  test('that is known is not asked again, but what it printed is read anew', async () => {
    const { dependencies, probes } = world({ cached: { printed: ['3', '4'] } })
    expect((await findAgent(dependencies, 'one')).runtime.version).toBe('3+4')
    expect(probes).toEqual([])
    const problem = { recognise: () => ({ problem: 'another program' }) }
    const bad = world({ cached: { printed: ['3'] }, adapter: problem })
    await expect(findAgent(bad.dependencies, 'one')).rejects.toMatchObject({
      ...{ code: 'agent-unusable' },
      message: 'agent "one": /bin/agent is not usable: another program',
    })
  })

  test('that says what it is only when it is spoken to is greeted after its probes', async () => {
    const greeting = { args: ['acp', 'x'], input: 'hello', isAnswer: () => true }
    const { dependencies, probes, keys } = world({ adapter: { greeting } })
    await findAgent(dependencies, 'one')
    expect(probes.at(-1)).toEqual(['/bin/agent', 'acp', 'x', 'greeted'])
    expect(keys).toEqual(['small|/bin/agent|5|7|["acp","x"]'])
  })

  test('of which any output was cut is asked again next time', async () => {
    for (const cut of [[true], [false, true]]) {
      const { dependencies, cached } = world({ cut })
      await findAgent(dependencies, 'one')
      expect(cached).toEqual([])
    }
  })

  test('behind a launcher is the program that the launcher starts', async () => {
    const stats = { '/bin/agent': STAT, '/lib/real': { ...STAT, sizeBytes: 9 } }
    const behind = (path: string) => ({ programBehind: async () => path })
    const found = world({ stats, adapter: behind('/lib/real') })
    expect((await findAgent(found.dependencies, 'one')).runtime.executable).toBe('/lib/real')
    expect(found.keys).toEqual(['small|/lib/real|9|7'])
    const gone = world({ stats, adapter: behind('/lib/gone') })
    await findAgent(gone.dependencies, 'one')
    expect(gone.keys).toEqual(['small|/lib/gone|5|7'])
  })

  test('is looked for on PATH, in its absolute directories alone; a directory of its name is no program', async () => {
    const stats = {
      '/a/agent': { ...STAT, kind: 'directory' },
      '/b/agent': STAT,
      'rel/agent': STAT,
    }
    const on = (PATH: string) =>
      world({ stats, config: { executable: 'agent' }, environment: { PATH } })
    const { dependencies } = on('rel:/none:/a:/b')
    expect((await findAgent(dependencies, 'one')).runtime.executable).toBe('/b/agent')
    for (const missing of [
      on('rel').dependencies,
      world({ config: { executable: 'agent' } }).dependencies,
    ])
      await expect(findAgent(missing, 'one')).rejects.toMatchObject({
        code: 'agent-missing',
        hint: expect.stringContaining('npm i small'),
      })
  })

  test('S21 hides the secrets of the environment and of its own settings', async () => {
    const { dependencies } = world({
      environment: { API_TOKEN: 'ours-ours-ours' },
      config: { env: { OTHER_TOKEN: 'its-own-secret' } },
    })
    const { secrets } = await findAgent(dependencies, 'one')
    expect(secrets.toSorted()).toEqual(['its-own-secret', 'ours-ours-ours'])
  })

  test('has the model that the project chooses for it, if it chooses one', () => {
    const agent = { name: 'one', model: 'm' } as never
    const models = (given: object) => inProject(agent, { models: given } as never).model
    expect([models({ one: 'n' }), models({ two: 'n' }), models({})]).toEqual(['n', 'm', 'm'])
  })
})

describe('A-1 the report on an agent', () => {
  test('says whether it could sign in, and what to do about it; else its warning', async () => {
    const login = { state: 'missing', how: 'KEY', hint: 'Set KEY.' }
    const [found] = await reportAgents(
      world({ adapter: { findLogin: async () => login } }).dependencies,
    )
    expect(found).toMatchObject({
      ...{ found: true, configured: true, problem: null, hint: 'Set KEY.' },
      login: { state: 'missing', how: 'KEY' },
    })
    const [silent] = await reportAgents(world().dependencies)
    expect(silent).toMatchObject({ hint: 'old', login: { state: 'unknown', how: null } })
    const fine = { state: 'found', how: 'KEY', hint: null }
    const [quiet] = await reportAgents(
      world({ adapter: { findLogin: async () => fine } }).dependencies,
    )
    expect(quiet?.hint).toBe('old')
  })

  test('of a program that is not there says so; a fault of our own is no report', async () => {
    const [missing] = await reportAgents(world({ stats: {} }).dependencies)
    expect(missing).toMatchObject({
      ...{ found: false, executable: '/bin/agent', version: null, abilities: {}, quirks: [] },
      writesSessions: false,
      login: { state: 'unknown', how: null },
    })
    const recognise = () => {
      throw new TypeError('a fault')
    }
    await expect(reportAgents(world({ adapter: { recognise } }).dependencies)).rejects.toThrow(
      'a fault',
    )
  })
})

describe('E-13 the sandbox of a run', () => {
  test('is the first that works; later ones are not tried', async () => {
    const tried: string[] = []
    const chosen = (works: boolean) =>
      sandboxFor(
        {
          hiddenDir: '/hidden',
          runner: {
            testSandbox: async (sandbox: string, hidden: string) => {
              tried.push(`${sandbox} ${hidden}`)
              return works ? { works } : { works, reason: 'no', hint: 'h' }
            },
          },
        } as never,
        'auto',
      )
    expect(await chosen(true)).toMatchObject({ kind: 'use' })
    const first = tried.splice(0)
    expect(first).toHaveLength(1)
    await chosen(false)
    expect(tried.length).toBeGreaterThanOrEqual(first.length)
    expect(tried[0]).toBe(first[0])
  })

  const USE = { kind: 'use', sandbox: 'bwrap', reason: null } as const
  const REFUSED = { kind: 'refuse', message: 'none works', hint: 'h' } as const
  const FREE = { kind: 'use', sandbox: 'none', reason: 'none works' } as const

  test('hides our data, and shows the texts, the outputs and the work tree of the run', () => {
    const inside = (choice: object, workTree: object | null) =>
      containmentOf({ hiddenDir: '/hidden' } as never, choice as never, {
        ...{ kept: ['/hidden/text'], outputs: ['/hidden/out'], workTree: workTree as never },
      })
    const shown = { sandbox: 'bwrap', hidden: '/hidden', readable: ['/hidden/text'] }
    expect(inside(USE, null)).toEqual({ ...shown, readableDirs: ['/hidden/out'] })
    expect(inside(USE, { workDir: '/hidden/tree', borrowed: ['/hidden/clone'] })).toEqual({
      ...{ ...shown, readableDirs: ['/hidden/out', '/hidden/clone'], writableDir: '/hidden/tree' },
    })
    expect([inside(REFUSED, null), inside(FREE, null)]).toEqual([null, null])
  })

  test('is missed in words where there is none, and a refusal is no notice', () => {
    expect([USE, REFUSED, FREE].map(sandboxNote)).toEqual([null, 'none works', 'none works'])
    expect([USE, REFUSED].map(sandboxNotices)).toEqual([[], []])
    expect(sandboxNotices(FREE)).toMatchObject([{ type: 'notice', code: 'not-contained' }])
  })

  test('shows each text that was kept for the agent, and nothing before', async () => {
    const keeper = createTextKeeper({
      keepText: async text => `/kept/${text}`,
      keepContext: async () => '/context',
    })
    expect(keeper.paths).toEqual([])
    await keeper.keepText('a')
    expect(await keeper.keepContext({ name: 'notes.md', text: 'b' })).toBe('/context')
    expect(keeper.paths).toEqual(['/kept/a', '/context/notes.md'])
  })
})
