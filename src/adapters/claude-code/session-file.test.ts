import { describe, expect, test } from 'vitest'
import type { Files } from '../../core/world.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import type { Runtime } from '../adapter.ts'
import { inspect, mark } from './session-file.ts'

const PATH = '/cfg/projects/-proj/s1.jsonl'
const CONFIG = { CLAUDE_CONFIG_DIR: '/cfg' }
const PLACE = { sessionId: 's1', workDir: '/proj', env: CONFIG, lastAnchor: null }

const runtime = (resumeAcrossWorkDirs = false) =>
  ({ abilities: { resumeAcrossWorkDirs } }) as Runtime

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const USER = line({ type: 'user', message: { role: 'user', content: 'hi' } })
const ANSWER = line({ type: 'assistant', message: { model: 'm', content: [] } })
const COST = line({ type: 'cost-state', totalCostUSD: 0.25 })
const BIG = line({ type: 'user', message: { role: 'user', content: 'x'.repeat(400_000) } })

async function look(content: string, lastAnchor: string | null = null) {
  const files = memoryFiles()
  await files.write(PATH, content)
  return inspect({ ...PLACE, lastAnchor }, runtime(), files)
}

describe('before a resume', () => {
  test('C-2 a session with messages is present', async () => {
    expect(await look(USER + ANSWER)).toEqual({ state: 'present' })
  })

  test('one whose last line is bigger than what is usually read is present', async () => {
    expect(await look(ANSWER + BIG)).toEqual({ state: 'present' })
  })

  test('no file, or no place for one, is told', async () => {
    expect(await inspect(PLACE, runtime(), memoryFiles())).toEqual({ state: 'missing', path: PATH })
    const nowhere = { ...PLACE, env: {} }
    expect(await inspect(nowhere, runtime(), memoryFiles())).toEqual({ state: 'unknown' })
  })

  test.each([
    ['empty', '', 'empty'],
    ['without a message', line({ type: 'mode' }), 'no message'],
    ['torn in its last line', USER + ANSWER.slice(0, 30), 'not finished'],
    ['without its last line break', USER + ANSWER.slice(0, -1), 'not finished'],
    ['with a null', `${USER}null\n${ANSWER}`, 'null'],
    ['with an answer of no model', USER + line({ type: 'assistant', message: {} }), 'model'],
    ['with an answer of no message', USER + line({ type: 'assistant', message: null }), 'message'],
  ])('a file %s is damaged', async (_, content, word) => {
    const detail = expect.stringContaining(word)
    expect(await look(content)).toEqual({ state: 'damaged', path: PATH, detail })
  })

  test('D-4 a file that ends before the last answer we know of is damaged, however whole its lines are', async () => {
    const said = (uuid: string) => line({ type: 'assistant', uuid, message: { model: 'm' } })
    const content = USER + said('first') + USER + said('last')
    expect(await look(content, 'last')).toEqual({ state: 'present' })
    expect(await look(content + BIG, 'last')).toEqual({ state: 'present' })
    expect(await look(USER + said('first') + BIG, 'last')).toEqual({
      state: 'damaged',
      path: PATH,
      detail: 'the last answer is missing in it',
    })
  })

  test('lines the program skips do no harm', async () => {
    expect(await look(`${USER}{"half":\n{}\n[]\n\u0000\n${ANSWER}`)).toEqual({ state: 'present' })
  })

  test('a directory in its place is damage', async () => {
    const files = memoryFiles()
    await files.makeDirectory(PATH)
    expect(await inspect(PLACE, runtime(), files)).toMatchObject({ state: 'damaged' })
  })

  test('a session of another work dir is there only for versions that find it', async () => {
    const files = memoryFiles()
    await files.write('/cfg/projects/-other/s1.jsonl', USER)
    expect(await inspect(PLACE, runtime(false), files)).toMatchObject({ state: 'missing' })
    expect(await inspect(PLACE, runtime(true), files)).toEqual({ state: 'present' })
  })

  test('only the end of a big file is read', async () => {
    const { files, bytesRead } = counting(50_000_000, USER + ANSWER)
    expect(await inspect(PLACE, runtime(), files)).toEqual({ state: 'present' })
    expect(bytesRead()).toBeLessThan(300_000)
  })
})

describe('M-1 the mark before a run', () => {
  test('has the size and the last cost the session knows', async () => {
    const files = memoryFiles()
    const older = line({ type: 'cost-state', totalCostUSD: 0.1 })
    const quoting = line({ type: 'user', message: { content: '"cost-state"' } })
    const content = USER + older + BIG + COST + quoting
    await files.write(PATH, content)
    expect(await mark(PLACE, files)).toEqual({
      path: PATH,
      sizeBytes: content.length,
      costUsd: 0.25,
    })
  })

  test('is nothing where there is no file', async () => {
    expect(await mark(PLACE, memoryFiles())).toEqual({ path: null, sizeBytes: 0, costUsd: 0 })
  })

  test('does not read a big file to its beginning', async () => {
    const { files, bytesRead } = counting(50_000_000, USER + ANSWER)
    expect(await mark(PLACE, files)).toMatchObject({ sizeBytes: 50_000_000, costUsd: 0 })
    expect(bytesRead()).toBeLessThan(25_000_000)
  })
})

/** A file of blank lines that ends with `end`, and how much of it was read. */
function counting(sizeBytes: number, end: string): { files: Files; bytesRead: () => number } {
  let total = 0
  const files: Files = {
    stat: async path => (path === PATH ? { kind: 'file', sizeBytes, modifiedMs: 0 } : null),
    realpath: async path => path,
    list: async () => null,
    read: async (_, from = 0, to = sizeBytes) => {
      total += to - from
      return new TextEncoder().encode('\n'.repeat(to - from - end.length) + end)
    },
  }
  return { files, bytesRead: () => total }
}
