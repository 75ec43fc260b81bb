import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type MemoryFiles, memoryFiles } from '../../testing/memory-files.ts'
import { NOTHING_MARKED, type Runtime } from '../adapter.ts'
import { sessionFiles } from './session-files.ts'

const RECORDED = readFileSync(
  join(import.meta.dirname, '../../../test/recordings/codex/0.169.0/resume.session.jsonl'),
  'utf8',
)
const LINES = RECORDED.trim().split('\n')
const ID = '01a1eaf0-b463-7a32-aa59-f346ec30b17f'
/** The folder and the name are in local time. */
const BORN = new Date('2026-11-17T19:16:45.795Z')
const two = (number: number) => String(number).padStart(2, '0')
const DAY = [BORN.getFullYear(), two(BORN.getMonth() + 1), two(BORN.getDate())]
const TIME = [two(BORN.getHours()), two(BORN.getMinutes()), two(BORN.getSeconds())]
const FILE = `/home/.codex/sessions/${DAY.join('/')}/rollout-${DAY.join('-')}T${TIME.join('-')}-${ID}.jsonl`
const PLACE = { sessionId: ID, workDir: '/project', env: { HOME: '/home' } }
const [FIRST, SECOND] = LINES.flatMap(line => {
  const { payload } = JSON.parse(line)
  return payload.type === 'task_started' ? [String(payload.turn_id)] : []
})
const FIRST_TURN = LINES.findIndex(line => line.includes('"task_complete"')) + 1

let files: MemoryFiles
const put = (lines: readonly string[], path = FILE) =>
  files.write(path, new TextEncoder().encode(lines.map(line => `${line}\n`).join('')))
const inspect = (end: string | null) =>
  sessionFiles.inspect({ ...PLACE, known: { anchors: [], end } }, {} as Runtime, files)

beforeEach(() => {
  files = memoryFiles()
})

describe('V-1 the file of a session', () => {
  test('is found by its id in the folder of its day, or in any other', async () => {
    expect(await sessionFiles.locate(PLACE, files)).toEqual({ found: null, home: FILE })
    await put(LINES)
    expect((await sessionFiles.locate(PLACE, files)).found).toBe(FILE)
    const elsewhere = `/codex/sessions/2020/01/02/rollout-2020-01-02T00-00-00-${ID}.jsonl`
    await put(LINES, elsewhere)
    const env = { HOME: '/home', CODEX_HOME: '/codex' }
    expect((await sessionFiles.locate({ ...PLACE, env }, files)).found).toBe(elsewhere)
  })

  test('is nowhere for an id that is none of codex', async () => {
    const place = { ...PLACE, sessionId: '../../etc/passwd' }
    expect(await sessionFiles.locate(place, files)).toEqual({ found: null, home: null })
  })

  test.each([
    ['all that is known', LINES, () => SECOND, { state: 'present' }],
    ['any turn, when no end is known', LINES, () => null, { state: 'present' }],
  ])('is present when it holds %s', async (_, lines, end, expected) => {
    await put(lines)
    expect(await inspect(end() ?? null)).toEqual(expected)
  })

  test('D-4 shows turns that somebody else added', async () => {
    await put(LINES)
    expect(await inspect(FIRST ?? null)).toEqual({
      state: 'present',
      foreign: { messages: 2, lastShared: FIRST },
    })
  })

  test.each([
    ['lacks the last turn that is known', () => put(LINES.slice(0, FIRST_TURN)), NOT_ALL()],
    ['is empty', () => put([]), /empty/],
    [
      'continues a thread whose file is missing',
      () =>
        put([LINES[0]?.replace('"id":', '"forked_from_id":"x","id":') ?? '', ...LINES.slice(1)]),
      /continues the thread x/,
    ],
  ])('is damaged when it %s', async (_, prepare, detail) => {
    await prepare()
    expect(await inspect(SECOND ?? null)).toMatchObject({
      state: 'damaged',
      path: FILE,
      detail: expect.stringMatching(detail),
    })
  })

  test('is missing when it was deleted', async () => {
    expect(await inspect(SECOND ?? null)).toMatchObject({ state: 'missing' })
  })

  test('a copy counts when it holds the turn, and never for a fork, which lacks its beginning', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect(sessionFiles.holds(bytes(RECORDED), SECOND ?? '')).toBe(true)
    expect(sessionFiles.holds(bytes(RECORDED), 'another')).toBe(false)
    const fork = RECORDED.replace('"id":', '"forked_from_id":"x","id":')
    expect(sessionFiles.holds(bytes(fork), SECOND ?? '')).toBe(false)
  })
})

function NOT_ALL(): RegExp {
  return /last turn that Reprise knows of is missing/
}

describe('C-2 what a run left in it', () => {
  const growth = async (prompt: string, mark = NOTHING_MARKED) =>
    sessionFiles.growth(PLACE, mark, { prompt }, files)

  test('is read from the mark on: its prompt, its answer, its end and each of its requests', async () => {
    await put(LINES.slice(0, FIRST_TURN))
    const mark = await sessionFiles.mark(PLACE, files)
    expect(mark).toMatchObject({ path: FILE, usage: { outputTokens: 7 } })
    await put(LINES)
    expect(await growth('Which word?', mark)).toMatchObject({
      grew: true,
      holdsPrompt: true,
      foreignBefore: 0,
      anchors: [SECOND],
      end: SECOND,
      text: 'BANANA',
      complete: true,
      contextWindow: 258_400,
      requests: [{ model: 'mock-model', usage: { outputTokens: 2 }, main: true }],
    })
  })

  test('M-1 counts the tokens of the run alone, although codex counts over the whole thread', async () => {
    await put(LINES)
    const [request, ...others] = (await growth('Which word?')).requests
    expect(others).toEqual([])
    expect(request?.usage).toEqual({
      ...{ inputTokens: 133, cacheReadTokens: 9472 },
      ...{ cacheWriteTokens: 0, outputTokens: 2 },
    })
  })

  test('holds no prompt when another one was saved', async () => {
    await put(LINES)
    expect(await growth('Never sent')).toMatchObject({ grew: true, holdsPrompt: false, end: null })
  })

  test('is not complete when the turn broke off', async () => {
    await put(LINES.slice(0, -1))
    expect(await growth('Which word?')).toMatchObject({ holdsPrompt: true, complete: false })
  })

  test('counts the messages of somebody else before its prompt', async () => {
    const mark = { path: FILE, sizeBytes: 1, costUsd: 0 }
    await put(LINES)
    expect(await growth('Which word?', mark)).toMatchObject({ foreignBefore: 2 })
  })
})

test('L-4 the whole conversation is read, with the turn as the anchor of each answer', async () => {
  await put(LINES)
  expect(await sessionFiles.conversation(PLACE, files)).toEqual([
    { role: 'user', text: 'Remember the word BANANA.', anchor: null },
    { role: 'assistant', text: 'I will remember it.', anchor: FIRST },
    { role: 'user', text: 'Which word?', anchor: null },
    { role: 'assistant', text: 'BANANA', anchor: SECOND },
  ])
})
