// U-4, I1: the store locked, read-only, full, damaged or too new. A clear error, and afterwards everything is still there.
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeCode } from '../../src/agents/claude-code.ts'
import { createReprise } from '../../src/reprise.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { BIN, type Ended, ended } from '../e2e/cli/cli-world.ts'
import { FaultWorld, until } from './fault-world.ts'

let world: FaultWorld
let threadId = ''
beforeEach(async () => {
  world = await new FaultWorld().open()
})
afterEach(() => world.close())

async function oneTurn(): Promise<void> {
  threadId = (await world.json(['send', 'one'])).threadId
}

/** Every verb reports a fault of the store with what, why and what to do. */
function expectReport({ code, err, out }: Ended, words: RegExp, exitCode = 70): void {
  expect(code, `${out}${err}`).toBe(exitCode)
  expect(err).toMatch(/^error: .+\nhint: .+\n$/)
  expect(err).toMatch(words)
  expect(out).toBe('')
}

/** The fault is gone: what was acknowledged is there, and the thread goes on. */
async function expectAllThere(prompts: readonly string[]): Promise<void> {
  const next = await world.json(['send', '-t', threadId, 'afterwards'])
  expect(next).toMatchObject({ run: { status: 'completed' } })
  const { messages } = await world.json(['threads', 'show', threadId])
  const asked = messages.filter(({ role }: { role: string }) => role === 'user')
  expect(asked.map(({ text }: { text: string }) => text)).toEqual([...prompts, 'afterwards'])
  expect(await world.run(['verify'])).toMatchObject({ code: 0 })
  await world.expectHealthy()
}

/** `reprise` as somebody whom file modes concern: root may write everything. */
function runAsUser(args: readonly string[]): Promise<Ended> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const env = { PATH: process.env.PATH, HOME: '/', REPRISE_HOME: world.home }
  const child = spawn(process.execPath, [BIN, ...args], { cwd: '/', env, ...user })
  child.stdin.end()
  return ended(child)
}

test('U-4 a store that another program keeps locked: exit 70, nothing is changed', async () => {
  await oneTurn()
  const other = new Database(world.storeFile)
  other.exec('begin exclusive')
  const refused = await world.run(['send', '-t', threadId, 'two'])
  other.exec('rollback')
  other.close()
  expectReport(refused, /locked/)
  await expectAllThere(['one'])
})

test('U-4 I1 a store that is locked in the middle of a turn: the turn fails, its prompt stays', async () => {
  await oneTurn()
  const [go, reached] = [world.path('go'), world.path('reached')]
  world.script([{ when: 'two', do: [{ type: 'waitForFile', path: go, reached }] }])
  const agents = [claudeCode({ executable: world.path('fake-claude'), env: world.agentEnv })]
  const reprise = createReprise({ store: sqlite(world.storeFile, { busyTimeoutMs: 100 }), agents })
  const thread = await reprise.threads.get(threadId)
  const turn = thread.send('two')
  await until('the agent stands still', () => existsSync(reached))
  const other = new Database(world.storeFile)
  other.exec('begin immediate')
  writeFileSync(go, '')
  await expect(turn.result).rejects.toMatchObject({ code: 'store-unusable' })
  other.exec('rollback')
  other.close()
  expect(world.processes()).toEqual([])
  // The same process goes on: it writes the end that it could not write before, with all that the agent did.
  const { run } = await thread.send('three').result
  expect(run).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
  const { messages, runs } = await thread.show()
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'interrupted', 'completed'])
  expect(messages.map(({ text }) => text).slice(2, 4)).toEqual(['two', 'echo: two'])
  await reprise.close()
  await expectAllThere(['one', 'two', 'three'])
})

test('U-4 a store that may not be written: exit 70, and it is left as it was', async () => {
  await oneTurn()
  const before = readFileSync(world.storeFile)
  for (const path of [world.root, world.home]) chmodSync(path, 0o755)
  chmodSync(world.storeFile, 0o444)
  chmodSync(world.home, 0o555)
  const refused = [
    await runAsUser(['send', '-t', threadId, 'two']),
    await runAsUser(['threads', 'ls']),
  ]
  chmodSync(world.home, 0o700)
  for (const refusal of refused) expectReport(refusal, /store/)
  expect(readFileSync(world.storeFile).equals(before)).toBe(true)
  chmodSync(world.storeFile, 0o600)
  await expectAllThere(['one'])
})

/** Ways to have no space: the second needs the right to mount. */
const FULL_DISKS = ['a limit of the file size', ...(canMount() ? ['a full file system'] : [])]

describe.each(FULL_DISKS)('U-4 I1 a full disk (%s)', way => {
  const isMounted = way === 'a full file system'
  beforeEach(() => {
    if (isMounted) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', world.home])
    world.config({})
  })
  afterEach(() => {
    if (isMounted) execFileSync('umount', [world.home])
  })

  test('before a turn: exit 70, and with space again everything goes on', async () => {
    await oneTurn()
    const refused = await runFull(['send', '-t', threadId, 'two'])
    expectReport(refused, isMounted ? /no space left/ : /space|disk/)
    await expectAllThere(['one'])
  })

  test('in the middle of a turn: exit 70, the prompt stays, the thread goes on', async () => {
    await oneTurn()
    const [go, reached] = [world.path('go'), world.path('reached')]
    world.script([{ when: 'two', do: [{ type: 'waitForFile', path: go, reached }] }])
    const child = world.start(['send', '-t', threadId, 'two'])
    child.stdin?.end()
    const end = ended(child)
    await until('the agent stands still', () => existsSync(reached))
    const free = isMounted ? fillUp() : forbidGrowth(child.pid)
    writeFileSync(go, '')
    const failed = await end
    free()
    expect(failed.code, failed.err).toBe(70)
    expect(failed.err).toMatch(/error: .*(space|disk).*\nhint: .+\n/)
    await expectAllThere(['one', 'two'])
  })

  async function runFull(args: readonly string[]): Promise<Ended> {
    if (isMounted) {
      const free = fillUp()
      try {
        return await world.run(args)
      } finally {
        free()
      }
    }
    // The file beside the database in which a transaction is written first cannot grow.
    const env = { PATH: process.env.PATH, HOME: world.root, REPRISE_HOME: world.home }
    const limited = 'ulimit -f 4; exec "$@"'
    const words = ['-c', limited, 'sh', process.execPath, BIN, ...args]
    const child = spawn('/bin/sh', words, { cwd: world.workDir, env })
    child.stdin.end()
    return ended(child)
  }
})

/** No file that the process writes can grow over what the one beside the database has now. */
function forbidGrowth(pid: number | undefined): () => void {
  const { size } = statSync(`${world.storeFile}-wal`)
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}`])
  return () => {}
}

/** Takes all the space beside the store. */
function fillUp(): () => void {
  const neighbour = join(world.home, 'neighbour')
  const file = openSync(neighbour, 'w')
  const block = new Uint8Array(4096)
  try {
    for (let blocks = 0; blocks < 4096; blocks++) writeSync(file, block)
    throw new Error('the file system is larger than it should be')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return () => rmSync(neighbour)
}

describe('U-4 a damaged store', () => {
  test.each([
    ['at its beginning', 0],
    ['inside', 4096],
  ])('%s: exit 70 with a hint, and a copy from before works', async (_, from) => {
    await oneTurn()
    const copy = world.path('copy.db')
    copyFileSync(world.storeFile, copy)
    const bytes = readFileSync(world.storeFile)
    bytes.fill(0x5a, from, from + 60_000)
    writeFileSync(world.storeFile, bytes)
    expectReport(await world.run(['send', '-t', threadId, 'two']), /damaged|not a database/)
    copyFileSync(copy, world.storeFile)
    await expectAllThere(['one'])
  })

  test('of a newer version: exit 2 with a hint to upgrade, and the new program finds it as it was', async () => {
    await oneTurn()
    const version = setVersion(999)
    expectReport(await world.run(['send', '-t', threadId, 'two']), /knows versions up to/, 2)
    setVersion(version)
    await expectAllThere(['one'])
  })
})

function setVersion(version: number): number {
  const database = new Database(world.storeFile)
  const old = Number(database.pragma('user_version', { simple: true }))
  database.pragma(`user_version = ${version}`)
  database.close()
  return old
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    // In a container without that right: the other way is tested.
    return false
  }
}
