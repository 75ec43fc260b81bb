// `reprise` as npm installs it, on machines whose own Node is old, new or missing.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { appears, eventually } from '../daemon/serve-world.ts'
import { ROOT, unpackInto } from '../library/packed-package.ts'
import { CliWorld, type Ended, ended } from './cli-world.ts'

const PACKAGE = `node-linux-${process.arch}`
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

let directory: string
/** A directory with nothing but a `node` that says it is Node 20. */
let oldNode: string
/** `node_modules/.bin/reprise` of a project that installed the packed package. */
let installed: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise launcher '))
  oldNode = join(directory, 'old')
  mkdirSync(oldNode)
  const pretend = join(oldNode, 'pretend.cjs')
  writeFileSync(
    pretend,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
     Object.defineProperty(process, 'version', { value: 'v20.20.2' })`,
  )
  const script = `#!/bin/sh\nexec '${process.execPath}' -r '${pretend}' "$@"\n`
  writeFileSync(join(oldNode, 'node'), script, { mode: 0o755 })
  const modules = unpackInto(join(directory, 'my project'), directory)
  installed = join(modules, '.bin/reprise')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Gives the package the Node that a clone of the repository has. */
function addNode(): void {
  const place = join(dirname(dirname(installed)), 'reprise/node_modules')
  mkdirSync(place)
  symlinkSync(join(ROOT, 'node_modules', PACKAGE), join(place, PACKAGE))
  onTestFinished(() => rmSync(place, { recursive: true }))
}

/** With the tools that the launcher needs, and the directories given. */
const pathWith = (...directories: readonly string[]) => [...directories, tools()].join(':')

function tools(): string {
  const place = join(directory, 'tools')
  if (existsSync(place)) return place
  mkdirSync(place)
  for (const name of ['readlink', 'dirname', 'env'])
    symlinkSync(`/usr/bin/${name}`, join(place, name))
  return place
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(installed, args, { cwd: directory, env: { HOME: directory, ...env } })
  child.stdin.end()
  return ended(child)
}

test('U-1 the packed package, linked by npm in a directory with spaces, starts on the Node beside it', async () => {
  addNode()
  const PATH = pathWith(oldNode)
  expect(await start(['--version'], { PATH })).toMatchObject({
    code: 0,
    out: `${VERSION}\n`,
    err: '',
  })
  const wrong = await start(['fly', 'a b', '*'], { PATH })
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("unknown command 'fly'") })
})

test('U-1 it starts by links to links, by a relative PATH and from a directory that was removed', async () => {
  addNode()
  const links = join(directory, 'links')
  mkdirSync(links)
  symlinkSync(installed, join(links, 'first'))
  symlinkSync('first', join(links, 'reprise'))
  const version = { code: 0, out: `${VERSION}\n`, err: '' }
  const linked = spawn(join(links, 'reprise'), ['--version'], { env: { PATH: pathWith() } })
  expect(await ended(linked)).toMatchObject(version)
  const relative = spawn('/bin/sh', ['-c', 'reprise --version'], {
    cwd: dirname(dirname(dirname(installed))),
    env: { PATH: pathWith('node_modules/.bin'), CDPATH: '/tmp' },
  })
  expect(await ended(relative)).toMatchObject(version)
  const gone = spawn(
    '/bin/sh',
    ['-c', 'mkdir gone; cd gone; rmdir ../gone; exec "$0" --version', installed],
    {
      cwd: directory,
      env: { PATH: process.env.PATH },
    },
  )
  // Some shells warn there; the program runs all the same.
  expect(await ended(gone)).toMatchObject({ code: 0, out: `${VERSION}\n` })
})

test('U-1 without a Node beside it, a new enough `node` on PATH runs it; REPRISE_NODE comes before both', async () => {
  const PATH = pathWith(dirname(process.execPath))
  expect(await start(['--version'], { PATH })).toMatchObject({ code: 0, out: `${VERSION}\n` })
  const REPRISE_NODE = join(oldNode, 'node')
  expect(await start(['--version'], { PATH, REPRISE_NODE })).toMatchObject({ code: 70 })
})

test('U-4 an old Node alone says what is needed and ends with 70; so does no Node at all', async () => {
  const { code, out, err } = await start(['send'], { PATH: pathWith(oldNode) })
  expect({ code, out }).toEqual({ code: 70, out: '' })
  expect(err).toMatch(/^error: reprise needs Node 22\.18 or newer; this is v20\.20\.2\nhint: .+\n$/)
  const none = await start(['send'], { PATH: pathWith() })
  expect(none).toMatchObject({ code: 70, out: '' })
  expect(none.err).toMatch(
    /^error: reprise needs Node 22\.18 or newer; node was not found\nhint: .+\n$/,
  )
})

test('U-3 with Node 20 on PATH, kill -9 of `reprise` ends the program itself and its agents', async () => {
  const world = await new CliWorld().open()
  const reached = world.path('reached')
  world.script([{ do: [{ type: 'waitForFile', path: world.path('never'), reached }] }])
  const PATH = [oldNode, process.env.PATH].join(':')
  const child = world.start(['send', 'wait'], { env: { PATH } })
  const end = ended(child)
  child.stdin?.end()
  await appears(reached)
  expect(readlinkSync(`/proc/${child.pid}/exe`)).toMatch(/\/node$/)
  expect(processesOf(world.root).length).toBeGreaterThan(1)
  child.kill('SIGKILL')
  expect(await end).toMatchObject({ signal: 'SIGKILL' })
  await eventually(() => processesOf(world.root).length === 0)
  world.close()
})

/** Everything that has the world's directory in its environment: the program, its watcher, its agents. */
function processesOf(root: string): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(root)
    } catch {
      return false // It has ended, or belongs to somebody else.
    }
  })
}
