import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followLines, lastLines } from './log-file.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-log-'))
  path = join(directory, 'daemon.log')
})
afterEach(() => rmSync(directory, { recursive: true }))

test('the last lines of a log are found without reading all of it, whatever their length', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${'ä'.repeat(index % 90)}`)
  lines.push('x'.repeat(200_000), 'the last')
  writeFileSync(path, `${lines.join('\n')}\n`)
  for (const count of [1, 2, 3, 777, 5_002, 9_999]) {
    expect(lastLines(path, count)?.lines).toEqual(lines.slice(-count))
  }
})

test('only wanted lines count', () => {
  writeFileSync(path, Array.from({ length: 99 }, (_, index) => `${index}\n`).join(''))
  expect(lastLines(path, 2, line => line.endsWith('0'))?.lines).toEqual(['80', '90'])
})

test('a missing log is not an empty one', () => {
  expect(lastLines(path, 5)).toBeNull()
  writeFileSync(path, '')
  expect(lastLines(path, 5)).toMatchObject({ lines: [], end: 0 })
})

test('a follower gets whole lines, also those of the file that takes the place of a rotated one', async () => {
  writeFileSync(path, 'before\nhal')
  const stop = new AbortController()
  const lines = followLines(path, { end: 7, inode: lastLines(path, 1)?.inode ?? 0 }, stop.signal)
  const first = lines.next()
  appendFileSync(path, 'f\n')
  expect((await first).value).toBe('half')
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'new\n')
  expect((await lines.next()).value).toBe('new')
  const last = lines.next()
  stop.abort()
  expect(await last).toEqual({ done: true, value: undefined })
})
