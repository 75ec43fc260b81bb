import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BIN, CliWorld, type RunOptions } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

/** Runs twice: for people and for programs; both must say what, why and what to do. The first is a program if it reads stdin. */
async function refused(args: readonly string[], options: RunOptions = {}) {
  const text = await (options.stdin ? world.run(args, options) : world.here(args, options))
  expect(text.err).toMatch(/error: .+\nhint: .+\n$/)
  expect(text.out).toBe('')
  const [verb = '', ...rest] = args
  const json = await world.here([verb, '--json', ...rest], options)
  expect(json.err).toBe('')
  expect(json.code).toBe(text.code)
  const { error } = JSON.parse(json.out)
  expect(error).toEqual({
    code: expect.any(String),
    message: expect.stringMatching(/./),
    hint: expect.stringMatching(/./),
  })
  return { exit: text.code, code: error.code, message: error.message }
}

const threads = async () => (await world.list(['threads'])).length

describe('U-4 a prompt', () => {
  test.each([
    ['empty', ['send', ''], ''],
    ['blank', ['send', ' \n\t '], ''],
    ['empty on stdin', ['send', '-'], ''],
    ['of 5 MB', ['send', '-'], 'x'.repeat(5 * 1024 * 1024)],
    ['with NUL', ['send', '-'], 'a\0b'],
    ['that starts with -', ['send', '-x'], ''],
    ['in Latin-1', ['send', '-'], new Uint8Array([0xe4, 0x68, 0x6e])],
    ['with half a character', ['send', '-'], new Uint8Array([0x61, 0xed, 0xa0, 0x80])],
  ])('%s is exit 2 and leaves no thread behind', async (_, args, stdin) => {
    expect(await refused(args, { stdin })).toMatchObject({ exit: 2, code: 'bad-input' })
    expect(await threads()).toBe(0)
  })

  test('refused in a thread leaves the thread as it was', async () => {
    const { threadId } = await world.json(['send', 'one'])
    expect(await refused(['send', '-t', threadId, ' '])).toMatchObject({ exit: 2 })
    expect((await world.json(['threads', 'show', threadId])).messages).toHaveLength(2)
  })
})

describe('U-4 a flag', () => {
  test.each([
    ['a tool rule that is not closed', ['--allow-tools', 'Read,Bash(ls']],
    ['a model that looks like a flag', ['--model', '--evil']],
    ['a permission mode that nobody knows', ['--permission-mode', 'yolo']],
    ['instructions that are not there', ['--instructions', 'nowhere.md']],
    ['instructions in Latin-1', ['--instructions', 'latin.md']],
  ])('with %s is exit 2 and leaves no thread behind', async (_, flags) => {
    writeFileSync(join(world.workDir, 'latin.md'), new Uint8Array([0xe4, 0x68, 0x6e]))
    expect(await refused(['send', ...flags, 'hi'])).toMatchObject({ exit: 2, code: 'bad-input' })
    expect(await threads()).toBe(0)
  })
})

describe('U-4 something that is not there is exit 3', () => {
  test.each([
    ['thread', ['send', '-t', 'thr_nothing', 'hi']],
    ['thread to show', ['threads', 'show', 'thr_nothing']],
    ['run', ['runs', 'show', 'run_nothing']],
    ['run to explain', ['why', 'run_nothing']],
    ['run to cancel', ['runs', 'cancel', 'run_nothing']],
    ['agent', ['send', '-a', 'nobody', 'hi']],
  ])('%s', async (_, args) => {
    const { code, err } = await world.run(args)
    expect(code).toBe(3)
    expect(err).toMatch(/^error: .+\nhint: .+\n$/)
    expect(await threads()).toBe(0)
  })

  test.each(['edit', 'retry', 'truncate'])('message to %s', async verb => {
    const { threadId } = await world.json(['send', 'one'])
    const text = verb === 'truncate' ? [] : ['text']
    const { code } = await world.here(['threads', verb, threadId, 'msg_nothing', ...text])
    expect(code).toBe(3)
    expect((await world.json(['threads', 'show', threadId])).messages).toHaveLength(2)
  })
})

describe('U-4 a work dir', () => {
  test.each([
    ['missing', 'missing'],
    ['a file', 'file'],
  ])('that is %s is exit 2', async (what, name) => {
    const path = world.path(name)
    if (what === 'a file') writeFileSync(path, '')
    expect(await refused(['send', '--cwd', path, 'hi'])).toMatchObject({ exit: 2 })
    expect(await threads()).toBe(0)
  })
})

test('U-4 a current directory that was removed is exit 2, for people and for programs', () => {
  const inRemoved = (...args: readonly string[]) =>
    spawnSync(
      '/bin/sh',
      ['-c', 'cd "$0" && rmdir "$0" && exec "$@"', gone, process.execPath, BIN, ...args],
      { encoding: 'utf8', env: { PATH: process.env.PATH, REPRISE_HOME: world.home } },
    )
  const gone = world.path('gone')
  mkdirSync(gone)
  const text = inRemoved('send', 'hi')
  expect(text).toMatchObject({ status: 2, stdout: '' })
  expect(text.stderr).toMatch(/^error: .+\nhint: .+\n$/)
  mkdirSync(gone)
  const json = inRemoved('threads', '--json')
  expect(json).toMatchObject({ status: 2, stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'bad-input' } })
})

describe('U-4 an agent', () => {
  const HELLO = '#!/bin/sh\necho hi\n'
  const program = (name: string, text: string, mode: number) => {
    const path = world.path(name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  test.each([
    ['that is missing', () => world.path('nowhere'), 'was not found'],
    ['that is not executable', () => program('plain', 'text', 0o644), 'may not execute'],
    ['that is no program', () => program('text', 'text', 0o755), 'is not a program'],
    ['that is a broken program', () => program('junk', '\x7fELF junk', 0o755), 'not Claude Code'],
    ['that is another program', () => program('other', HELLO, 0o755), 'not Claude Code'],
    ['that fails', () => program('fails', '#!/bin/sh\nexit 3\n', 0o755), 'not Claude Code'],
  ])('%s is exit 2 and leaves no thread behind', async (what, make, why) => {
    world.config({ agents: { 'claude-code': { executable: make() } } })
    const refusal = await refused(['send', 'hi'])
    const code = what === 'that is missing' ? 'agent-missing' : 'agent-unusable'
    expect(refusal).toMatchObject({ exit: 2, code, message: expect.stringContaining(why) })
    expect(await threads()).toBe(0)
    const agents = await world.here(['agents', '--json'])
    expect(agents.code).toBe(2)
    expect(JSON.parse(agents.out).items[0]).toMatchObject({
      ...{ configured: true, found: false },
      ...{ problem: expect.any(String), hint: expect.any(String) },
    })
  })
})

test('U-4 an agent of a version nobody has seen yet works, and Reprise prints its version', async () => {
  const [known] = await world.list(['agents'])
  const executable = known?.executable ?? ''
  const env = { ...world.agentEnv, FAKE_AGENT_VERSION: '99.1.0' }
  world.config({ agents: { 'claude-code': { executable, env } } })
  // Probed again: it is another file now.
  appendFileSync(executable, '# newer\n')
  expect((await world.list(['agents']))[0]).toMatchObject({ found: true, version: '99.1.0' })
  expect(await world.json(['send', 'hi'])).toMatchObject({ run: { status: 'completed' } })
})

describe('U-4 the config', () => {
  test.each([
    ['with an unknown key', 'agnets: {}\n', 'agnets'],
    ['that is no YAML', 'agents: [\n', 'not YAML'],
    ['with an unknown adapter', 'agents: { x: { adapter: y } }\n', 'adapter `y`'],
  ])('%s is exit 2', async (_, text, what) => {
    world.writeConfig(text)
    const { exit, code, message } = await refused(['threads'])
    expect({ exit, code }).toEqual({ exit: 2, code: 'bad-config' })
    expect(message).toContain(what)
  })

  test('of a project that wants to choose the program is exit 2', async () => {
    writeFileSync(
      join(world.workDir, 'reprise.yaml'),
      'agents: { claude-code: { executable: x } }\n',
    )
    expect(await refused(['send', 'hi'])).toMatchObject({ exit: 2, code: 'bad-config' })
  })
})

describe('U-4 the database', () => {
  const file = () => join(world.home, 'reprise.db')

  test('that is no database is refused and left as it is', async () => {
    writeFileSync(file(), 'this is my diary, not a database\n'.repeat(100))
    expect(await refused(['threads'])).toMatchObject({ exit: 70, code: 'store-unusable' })
    expect(execFileSync('head', ['-c', '15', file()], { encoding: 'utf8' })).toBe('this is my diar')
  })

  test('of a newer version is exit 2', async () => {
    await world.here(['send', 'one'])
    const database = new Database(file())
    database.pragma('user_version = 999')
    database.close()
    expect(await refused(['threads'])).toMatchObject({ exit: 2, code: 'store-newer' })
  })

  test('that cannot be written is refused', async () => {
    await world.here(['send', 'one'])
    // Root may write everything; a directory in its place may nobody.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file()}${suffix}`, { force: true })
    mkdirSync(file())
    expect(await refused(['threads'])).toMatchObject({ exit: 70, code: 'store-unusable' })
  })

  test('that another program keeps locked gives an error, and nothing is lost', async () => {
    const { threadId } = await world.json(['send', 'one'])
    const database = new Database(file())
    database.exec('begin exclusive')
    try {
      const { code, err } = await world.run(['send', '-t', threadId, 'two'])
      expect(code).toBe(70)
      expect(err).toMatch(/^error: .+\nhint: .+\n$/)
    } finally {
      database.exec('rollback')
      database.close()
    }
    expect((await world.json(['threads', 'show', threadId])).messages).toHaveLength(2)
  })
})
