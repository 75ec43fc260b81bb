import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

/** Writes down which of Node's own modules are loaded whenever a process is started. */
const LIST_AT_SPAWN = `
  const { appendFileSync } = require('node:fs')
  const childProcess = require('node:child_process')
  const { spawn } = childProcess
  childProcess.spawn = (...command) => {
    appendFileSync(process.env.LOADED, process.moduleLoadList.join('\\n') + '\\n')
    return spawn(...command)
  }
`

/** What takes long to load and is needed after the agent's start at the earliest, or not at all. */
const TOO_EARLY = ['crypto', 'perf_hooks', 'process', 'http', 'readline', 'worker_threads']

test('a turn that goes on reaches its agent before modules are loaded that take long', async () => {
  const { threadId } = await world.json(['send', 'one'])
  const preload = world.path('list-at-spawn.cjs')
  const list = world.path('loaded')
  writeFileSync(preload, LIST_AT_SPAWN)
  const env = { NODE_OPTIONS: `--require ${preload}`, LOADED: list }
  await world.json(['send', '-t', threadId, 'two'], { env })
  const loaded = new Set(readFileSync(list, 'utf8').split('\n'))
  expect(loaded).toContain('NativeModule child_process')
  expect(TOO_EARLY.filter(name => loaded.has(`NativeModule ${name}`))).toEqual([])
})

/** What is kept of `send`, as path and content. */
function compiledCode(): ReadonlyMap<string, Buffer> {
  const cache = join(world.home, 'cache')
  const paths = readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter(name => /\/send\/.+\.js$/.test(name))
    .map(name => join(cache, name))
  return new Map(paths.map(path => [path, readFileSync(path)]))
}

test('compiled code is kept for the owner alone, and taken as it is after the first few times', async () => {
  const { threadId } = await world.json(['send', 'one'])
  const first = compiledCode()
  expect(first.size).toBeGreaterThan(2)
  for (const path of first.keys()) expect(statSync(path).mode & 0o077).toBe(0)
  for (const prompt of ['two', 'three']) await world.json(['send', '-t', threadId, prompt])
  const complete = compiledCode()
  expect([...complete.keys()]).toEqual([...first.keys()])
  // What only a turn that goes on calls has come along.
  const sizes = (kept: ReadonlyMap<string, Buffer>) => [...kept.values()].map(code => code.length)
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  expect(sum(sizes(complete))).toBeGreaterThan(sum(sizes(first)))
  await world.json(['send', '-t', threadId, 'four'])
  expect(compiledCode()).toEqual(complete)
})

test('compiled code of earlier builds is forgotten after a while', async () => {
  await world.json(['send', 'one'])
  const [path = ''] = compiledCode().keys()
  const [old, recent] = ['old.js', 'recent.js'].map(name => join(dirname(path), name))
  if (old === undefined || recent === undefined) throw new Error('no place')
  for (const file of [old, recent]) writeFileSync(file, 'code')
  utimesSync(old, 0, 0)
  await world.json(['send', 'two'])
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
})

test.each([
  ['was changed', (bytes: Buffer) => Buffer.from(bytes).fill(0x5a, bytes.length >> 1)],
  ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['is empty', () => Buffer.alloc(0)],
])('compiled code that %s is not run, and made again', async (_, broken) => {
  await world.json(['send', 'one'])
  const kept = compiledCode()
  for (const [path, bytes] of kept) writeFileSync(path, broken(bytes))
  expect(await world.json(['send', 'two'])).toMatchObject({ text: 'echo: two' })
  const again = compiledCode()
  const remade = [...kept].filter(([path, bytes]) => !again.get(path)?.equals(broken(bytes)))
  const names = remade.map(([path]) => basename(path).split('-')[0])
  expect(names).toEqual(expect.arrayContaining(['cli', 'turn', 'store']))
  expect(await world.json(['send', 'three'])).toMatchObject({ text: 'echo: three' })
})

test('without a place for compiled code, and after a failure, a verb only takes longer', async () => {
  writeFileSync(join(world.home, 'cache'), 'a file in its place')
  expect(await world.json(['send', 'one'])).toMatchObject({ text: 'echo: one' })
  rmSync(join(world.home, 'cache'))
  expect((await world.run(['send', ''])).code).toBe(2)
  expect(existsSync(join(world.home, 'cache')) ? compiledCode().size : 0).toBe(0)
})
