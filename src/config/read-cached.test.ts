import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCached } from './read-cached.ts'

let root: string
let parsed: number

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'reprise-config-'))
  parsed = 0
})
afterEach(() => rmSync(root, { recursive: true }))

const path = () => join(root, 'config.yaml')
const directory = () => join(root, 'cache')
const read = (version = '1') =>
  readCached(path(), { directory: directory(), version }, async () => {
    parsed += 1
    return { parsed }
  })

test('a file whose text is the same is parsed once', async () => {
  writeFileSync(path(), 'a: 1')
  expect(await read()).toEqual({ parsed: 1 })
  expect(await read()).toEqual({ parsed: 1 })
})

test('another text, or another version of Reprise, is parsed again', async () => {
  writeFileSync(path(), 'a: 1')
  await read()
  writeFileSync(path(), 'a: 2')
  expect(await read()).toEqual({ parsed: 2 })
  expect(await read('2')).toEqual({ parsed: 3 })
})

test('a refused file is refused again', async () => {
  writeFileSync(path(), 'wrong')
  const refuse = () =>
    readCached(path(), { directory: directory(), version: '1' }, async () => {
      throw new Error('wrong')
    })
  await expect(refuse()).rejects.toThrow('wrong')
  await expect(refuse()).rejects.toThrow('wrong')
})

test('a broken cache is made again, and nobody else can read it', async () => {
  writeFileSync(path(), 'a: 1')
  await read()
  const [name = ''] = readdirSync(directory())
  const place = join(directory(), name)
  expect(statSync(place).mode & 0o077).toBe(0)
  writeFileSync(place, '{')
  expect(await read()).toEqual({ parsed: 2 })
})

test('a cache that cannot be written costs only time', async () => {
  writeFileSync(path(), 'a: 1')
  writeFileSync(directory(), 'a file in its place')
  expect(await read()).toEqual({ parsed: 1 })
  expect(await read()).toEqual({ parsed: 2 })
})
