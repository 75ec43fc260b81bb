import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_RESUME } from '../core/decide/settings.ts'
import { loadConfig } from './config.ts'

let root: string
let home: string
let project: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-config-')))
  home = join(root, 'home')
  project = join(root, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(project, 'deep', 'inside'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const load = (env: Record<string, string> = {}, cwd = project) =>
  loadConfig({ env: { REPRISE_HOME: home, ...env }, cwd })
const userFile = (text: string) => {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), text)
}
const projectFile = (text: string) => writeFileSync(join(project, 'reprise.yaml'), text)
const refused = (what: string, hint = '') =>
  expect.objectContaining({
    code: 'bad-config',
    message: expect.stringContaining(what),
    hint: expect.stringContaining(hint),
  })

test('O-7 the telemetry module is chosen by the user or the environment, never by a repository', async () => {
  expect((await load()).telemetry).toBeUndefined()
  userFile('telemetry: { module: /mine.mjs }')
  expect((await load()).telemetry).toEqual({ module: '/mine.mjs' })
  const other = { REPRISE_TELEMETRY_MODULE: '/other.mjs' }
  expect((await load(other)).telemetry).toEqual({ module: '/other.mjs' })
  projectFile('telemetry: { module: /theirs.mjs }')
  await expect(load()).rejects.toEqual(refused('telemetry'))
})

describe('without any file', () => {
  test('there is the agent claude-code and the default settings', async () => {
    expect(await load()).toMatchObject({
      home,
      database: { kind: 'file', path: join(home, 'reprise.db') },
      defaultAgent: 'claude-code',
      agents: [{ name: 'claude-code', adapter: 'claude-code', env: {}, passEnv: [] }],
      resume: DEFAULT_RESUME,
      files: [],
    })
  })

  test('the data directory is created for its owner alone', async () => {
    await load()
    expect(statSync(home).mode & 0o777).toBe(0o700)
  })

  test('a data directory that others could read becomes private', async () => {
    mkdirSync(home, { mode: 0o755 })
    await load()
    expect(statSync(home).mode & 0o777).toBe(0o700)
  })

  test('it follows XDG_DATA_HOME, and HOME without it', async () => {
    const xdg = await loadConfig({ env: { XDG_DATA_HOME: join(root, 'data') }, cwd: project })
    expect(xdg.home).toBe(join(root, 'data', 'reprise'))
    const plain = await loadConfig({ env: { HOME: root }, cwd: project })
    expect(plain.home).toBe(join(root, '.local', 'share', 'reprise'))
  })
})

describe('the user file', () => {
  test('names agents, each with its program, model and environment', async () => {
    userFile(
      [
        'defaultAgent: second',
        'agents:',
        '  second:',
        '    adapter: claude-code',
        '    executable: /opt/other/claude',
        '    model: big-one',
        "    env: { DISABLE_TELEMETRY: '1' }",
        '    passEnv: [MY_PROXY, CORP_*]',
        'resume: { contextThreshold: 0.5, maxSessionAgeMs: null }',
        'policies: { ops: ./ops.yaml }',
      ].join('\n'),
    )
    const config = await load()
    expect(config.defaultAgent).toBe('second')
    expect(config.agents.map(agent => agent.name)).toEqual(['claude-code', 'second'])
    expect(config.agents[1]).toEqual({
      name: 'second',
      adapter: 'claude-code',
      executable: '/opt/other/claude',
      model: 'big-one',
      env: { DISABLE_TELEMETRY: '1' },
      passEnv: ['MY_PROXY', 'CORP_*'],
    })
    expect(config.resume).toEqual({ ...DEFAULT_RESUME, contextThreshold: 0.5 })
    expect(config.policies).toEqual({ ops: { path: join(home, 'ops.yaml'), from: 'user' } })
  })

  test('may be empty', async () => {
    userFile('# nothing yet\n')
    expect((await load()).resume).toEqual(DEFAULT_RESUME)
  })

  test.each([
    ['an unknown key', 'agent:\n  x: 1\n', 'config.yaml:1: unknown key `agent`', '`agents`'],
    ['an unknown key inside', 'resume:\n\n  mod: auto\n', 'config.yaml:3: unknown', '`mode`'],
    ['a key of an agent', 'agents:\n  a:\n    exe: x\n', ':3: unknown key `agents.a.exe`', 'Known'],
    ['a wrong value', 'resume:\n  mode: sometimes\n', ':2: resume.mode:', 'Correct'],
    ['a threshold over 1', 'resume: { contextThreshold: 80 }', 'contextThreshold', 'Correct'],
    ['a number as text', 'agents: { a: { env: { A: 1 } } }', ':1: agents.a.env.A', 'Correct'],
    ['no YAML', 'a: [1', 'config.yaml:1:', 'Correct the file'],
    ['a list', '- 1\n', 'the file', 'Correct'],
    ['an unknown default', 'defaultAgent: nobody\n', '`nobody`', 'claude-code'],
  ])('U-4 is refused for %s', async (_, text, what, hint) => {
    userFile(text)
    await expect(load()).rejects.toEqual(refused(what, hint))
  })
})

describe('the project file', () => {
  test('is found in the work dir and at the root of its repository, not above', async () => {
    projectFile('resume: { mode: never }\n')
    expect((await load()).resume.mode).toBe('never')
    expect((await load({}, join(project, 'deep', 'inside'))).resume.mode).toBe('never')
    expect((await load({}, root)).resume.mode).toBe('auto')
  })

  test('sets models, thresholds and policies over those of the user', async () => {
    userFile('agents: { claude-code: { model: small } }\nresume: { contextThreshold: 0.5 }\n')
    projectFile(
      'agents: { claude-code: { model: big } }\nresume: { contextThreshold: 0.6 }\npolicies: { ops: ops.yaml }\n',
    )
    const config = await load()
    expect(config.agents[0]?.model).toBe('big')
    expect(config.resume.contextThreshold).toBe(0.6)
    expect(config.policies).toEqual({ ops: { path: join(project, 'ops.yaml'), from: 'project' } })
    expect(config.files).toEqual([join(home, 'config.yaml'), join(project, 'reprise.yaml')])
  })

  test.each([
    ['an executable', 'agents:\n  claude-code:\n    executable: ./evil.sh\n', 'executable'],
    ['an environment', 'agents:\n  claude-code: { env: { PATH: . } }\n', 'env'],
    [
      'a permission mode',
      'agents: { claude-code: { permissionMode: bypass } }\n',
      'permissionMode',
    ],
    ['the agent', 'defaultAgent: claude-code\n', 'defaultAgent'],
    ['whom to trust', 'agents: { claude-code: { trust: project } }\n', 'trust'],
    ['the sandbox', 'agents: { claude-code: { sandbox: none } }\n', 'sandbox'],
  ])('H-2 may not choose %s', async (_, text, key) => {
    projectFile(text)
    await expect(load()).rejects.toEqual(refused(key, 'config.yaml'))
    await expect(load()).rejects.toEqual(refused('a project must not set'))
  })

  test('E-12 S16 cannot replace a policy that the user has named', async () => {
    userFile('policies: { ops: mine.yaml }\n')
    projectFile('policies: { ops: theirs.yaml, more: more.yaml }\n')
    expect((await load()).policies).toEqual({
      ops: { path: join(home, 'mine.yaml'), from: 'user' },
      more: { path: join(project, 'more.yaml'), from: 'project' },
    })
  })

  test('may not add an agent', async () => {
    projectFile('agents: { evil: { model: x } }\n')
    await expect(load()).rejects.toEqual(refused('no agent `evil`'))
  })
})

describe('the environment', () => {
  test('D-6 its threshold wins over project and user, ours over the older name', async () => {
    userFile('resume: { contextThreshold: 0.5 }\n')
    projectFile('resume: { contextThreshold: 0.6 }\n')
    const old = { CLAUDEOPS_RESUME_CONTEXT_THRESHOLD: '0.7' }
    expect((await load(old)).resume.contextThreshold).toBe(0.7)
    const both = { ...old, REPRISE_RESUME_CONTEXT_THRESHOLD: '0.9' }
    expect((await load(both)).resume.contextThreshold).toBe(0.9)
  })

  test('D-8 can turn resuming off', async () => {
    expect((await load({ REPRISE_RESUME_MODE: 'never' })).resume.mode).toBe('never')
  })

  test.each([
    [{ REPRISE_RESUME_CONTEXT_THRESHOLD: '80%' }, 'REPRISE_RESUME_CONTEXT_THRESHOLD', 'unset'],
    [{ REPRISE_RESUME_MOOD: 'x' }, 'REPRISE_RESUME_MOOD', 'REPRISE_RESUME_MODE'],
    [{ REPRISE_DATABASE_URL: 'mysql://x' }, 'REPRISE_DATABASE_URL', 'postgres://USER'],
    [{ REPRISE_HOST: 'two words' }, 'REPRISE_HOST is `two words`', 'letters, digits'],
    [{ REPRISE_HOME: 'relative/path' }, 'not an absolute path', 'starts with /'],
  ])('U-4 %j is refused', async (env, what, hint) => {
    await expect(load(env)).rejects.toEqual(refused(what, hint))
  })
})

test('the database is that of the environment, else that of the user, and never that of a project', async () => {
  const url = 'postgres://u:secret@host/db?sslmode=require'
  const shown = { kind: 'postgres', place: 'postgres://u@host/db' }
  expect((await load({ REPRISE_DATABASE_URL: url })).database).toEqual({ ...shown, url })
  writeFileSync(join(home, 'config.yaml'), 'database: postgres://u@other/db')
  expect((await load()).database).toMatchObject({ place: 'postgres://u@other/db' })
  expect((await load({ REPRISE_DATABASE_URL: url })).database).toMatchObject(shown)
  writeFileSync(join(home, 'config.yaml'), 'database: mysql://u:secret@host/db')
  const wrong = load()
  await expect(wrong).rejects.toEqual(refused('config.yaml: database does not begin', '%XX'))
  await expect(wrong).rejects.not.toThrow(/secret/)
  writeFileSync(join(home, 'config.yaml'), '{}')
  writeFileSync(join(project, 'reprise.yaml'), `database: ${url}`)
  await expect(load()).rejects.toMatchObject({ code: 'bad-config' })
})

test('the host is that of the environment, else that of the user, else the machine, and never that of a project', async () => {
  expect((await load()).host).toBe(hostname())
  writeFileSync(join(home, 'config.yaml'), 'host: build-1')
  expect((await load()).host).toBe('build-1')
  expect((await load({ REPRISE_HOST: 'build-2' })).host).toBe('build-2')
  expect((await load({ REPRISE_HOST: '' })).host).toBe('build-1')
  writeFileSync(join(home, 'config.yaml'), 'host: build 1')
  await expect(load()).rejects.toEqual(refused('config.yaml:1: host: Use letters'))
  writeFileSync(join(home, 'config.yaml'), '{}')
  writeFileSync(join(project, 'reprise.yaml'), 'host: build-1')
  await expect(load()).rejects.toEqual(refused('a project must not set `host`'))
})

test('the user says what the workers of this machine offer', async () => {
  expect((await load()).worker).toEqual({ labels: [], sharedRoots: [] })
  const settings = 'worker: { labels: [gpu], sharedRoots: [/srv/nfs/], concurrency: 3 }'
  writeFileSync(join(home, 'config.yaml'), settings)
  const worker = { labels: ['gpu'], sharedRoots: ['/srv/nfs'], concurrency: 3 }
  expect((await load()).worker).toEqual(worker)
  writeFileSync(join(home, 'config.yaml'), 'worker: { sharedRoots: [srv] }')
  const what = 'worker.sharedRoots has `srv`, which is not an absolute path'
  await expect(load()).rejects.toEqual(refused(what, 'as all hosts see it'))
})

test('U-4 a data directory that cannot be made is an error with a hint', async () => {
  writeFileSync(join(root, 'file'), '')
  const wrong = loadConfig({ env: { REPRISE_HOME: join(root, 'file', 'home') }, cwd: project })
  await expect(wrong).rejects.toEqual(refused('cannot be used', 'REPRISE_HOME'))
})
