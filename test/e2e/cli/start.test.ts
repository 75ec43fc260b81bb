import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let world: CliWorld
let cache: string
beforeEach(async () => {
  world = await new CliWorld().open()
  world.compileCache = null
  world.looksHere = false
  cache = join(world.home, 'cache')
})
afterEach(() => world.close())

/** Path and content of the files in which Node keeps compiled code. The cache also holds config files. */
function compiledCode(directory = cache): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => !name.startsWith('config-'))
    .map(name => join(directory, name))
    .filter(path => statSync(path).isFile())
  return new Map(paths.map(path => [path, readFileSync(path)]))
}

async function expectTurn(prompt: string): Promise<void> {
  expect(await world.json(['send', prompt])).toMatchObject({ text: `echo: ${prompt}` })
}

test('the first start keeps compiled code in the data directory, for the owner alone', async () => {
  const tmp = world.path('tmp')
  mkdirSync(tmp)
  await world.list(['threads'], { env: { TMPDIR: tmp } })
  const kept = compiledCode()
  expect(kept.size).toBeGreaterThan(2)
  for (const path of kept.keys()) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  }
  expect(statSync(cache).mode & 0o777).toBe(0o700)
  expect(readdirSync(tmp)).toEqual([])
})

test('the second start uses the compiled code of the first as it is', async () => {
  await world.list(['threads'])
  const kept = compiledCode()
  await world.list(['threads'])
  expect(compiledCode()).toEqual(kept)
})

test('a directory that NODE_COMPILE_CACHE names is used instead, and its mode stays', async () => {
  const other = world.path('other')
  mkdirSync(other)
  await world.list(['threads'], { env: { NODE_COMPILE_CACHE: other } })
  expect(compiledCode().size).toBe(0)
  expect(compiledCode(other).size).toBeGreaterThan(2)
  for (const name of readdirSync(other)) {
    expect(statSync(join(other, name)).mode & 0o777).toBe(statSync(other).mode & 0o777)
  }
})

test('help creates no data directory', async () => {
  const home = world.path('not-there')
  const { code } = await world.run(['--help'], { env: { REPRISE_HOME: home } })
  expect(code).toBe(0)
  expect(existsSync(home)).toBe(false)
})

test.each([
  ['was changed', (bytes: Buffer) => Buffer.from(bytes).fill(0x5a, bytes.length >> 1)],
  ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['is empty', () => Buffer.alloc(0)],
])('a start goes on without compiled code that %s, and makes it again', async (_, broken) => {
  await expectTurn('one')
  const kept = compiledCode()
  for (const [path, bytes] of kept) writeFileSync(path, broken(bytes))
  await expectTurn('two')
  const again = compiledCode()
  // What only the first turn of a data directory needs stays as it is.
  const remade = [...kept].filter(([path, bytes]) => !again.get(path)?.equals(broken(bytes)))
  expect(remade.length).toBeGreaterThan(kept.size / 2)
  await expectTurn('three')
})

test.each([
  ['is a file', () => writeFileSync(cache, '')],
  ['cannot be written to', () => mkdirSync(cache, { mode: 0o500 })],
])('a turn works when the cache directory %s', async (_, spoil) => {
  spoil()
  await expectTurn('one')
  await expectTurn('two')
})

test('a turn works when Node cannot make its directory in the cache', async () => {
  await world.list(['threads'])
  const [directory = ''] = readdirSync(cache).filter(name => !name.startsWith('config-'))
  rmSync(join(cache, directory), { recursive: true })
  writeFileSync(join(cache, directory), '')
  await expectTurn('one')
  await expectTurn('two')
})

test.each([
  [
    'others can write to',
    () => {
      mkdirSync(cache)
      chmodSync(cache, 0o777)
      return cache
    },
  ],
  [
    'is a link to another place',
    () => {
      const other = world.path('other')
      mkdirSync(other)
      symlinkSync(other, cache)
      return other
    },
  ],
])('no code is taken from a cache directory that %s', async (_, makeCache) => {
  const directory = makeCache()
  await world.list(['threads'])
  expect(compiledCode(directory).size).toBe(0)
})

test('no code is taken from a data directory that others can write to, until it is closed', async () => {
  mkdirSync(cache, { mode: 0o700 })
  chmodSync(world.home, 0o777)
  await world.list(['threads'])
  expect(compiledCode().size).toBe(0)
  // The first start has closed it.
  expect(statSync(world.home).mode & 0o777).toBe(0o700)
  await world.list(['threads'])
  expect(compiledCode().size).toBeGreaterThan(2)
})
