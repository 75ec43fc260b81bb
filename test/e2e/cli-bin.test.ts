import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BIN, ended } from './cli-world.ts'

const VERSION = JSON.parse(readFileSync(join(dirname(BIN), '..', 'package.json'), 'utf8')).version
let directory: string
let oldNode: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-bin-'))
  cpSync(dirname(BIN), join(directory, 'bin'), { recursive: true })
  // Loaded before the program: makes this Node say that it is an old one.
  oldNode = join(directory, 'old-node.cjs')
  writeFileSync(
    oldNode,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
     Object.defineProperty(process, 'version', { value: 'v20.20.2' })`,
  )
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const start = (...args: readonly string[]) => ended(spawn(process.execPath, args))

test('--version prints the version and nothing else', async () => {
  expect(await start(BIN, '--version')).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' })
})

test('what a turn needs before its agent starts is in four files, and none of them loads zlib', () => {
  const chunks = join(dirname(BIN), '..', 'dist', 'cli', 'chunks')
  for (const name of ['start', 'cli', 'turn', 'store']) {
    const files = readdirSync(chunks).filter(file => file.startsWith(`${name}-`))
    expect(files, name).toHaveLength(1)
    const code = readFileSync(join(chunks, files[0] ?? ''), 'utf8')
    expect(code.match(/require\(["'`](?:node:)?zlib["'`]\)/), name).toBeNull()
  }
})

test('an old Node hands over to the Node in the package next to it, with arguments and exit code', async () => {
  expect(await start('-r', oldNode, BIN, '--version')).toMatchObject({
    code: 0,
    out: `${VERSION}\n`,
  })
  const wrong = await start('-r', oldNode, BIN, 'fly')
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("unknown command 'fly'") })
})

test('an old Node without that package says what is needed and ends with 70', async () => {
  const { code, out, err } = await start(
    '-r',
    oldNode,
    join(directory, 'bin', 'reprise.js'),
    'send',
  )
  expect({ code, out }).toEqual({ code: 70, out: '' })
  expect(err).toMatch(/^error: reprise needs Node 22\.18 or newer; this is v20\.20\.2\nhint: .+\n$/)
})
