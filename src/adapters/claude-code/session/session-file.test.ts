import { describe, expect, test } from 'vitest'
import type { KnownPart } from '../../../core/conversation/session.ts'
import type { Files } from '../../../core/world.ts'
import { memoryFiles } from '../../../testing/memory-files.ts'
import type { Runtime } from '../../adapter.ts'
import { inspect, mark } from './session-file.ts'

const PATH = '/cfg/projects/-proj/s1.jsonl'
const CONFIG = { CLAUDE_CONFIG_DIR: '/cfg' }
const NOTHING_KNOWN = { anchors: [], end: null }
const PLACE = { sessionId: 's1', workDir: '/proj', env: CONFIG, known: NOTHING_KNOWN }

const runtime = (resumeAcrossWorkDirs = false) =>
  ({ abilities: { resumeAcrossWorkDirs } }) as Runtime

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const USER = line({ type: 'user', message: { role: 'user', content: 'hi' } })
const ANSWER = line({ type: 'assistant', message: { model: 'm', content: [] } })
const COST = line({ type: 'cost-state', totalCostUSD: 0.25 })
const said = (uuid: string, parentUuid: string | null) =>
  line({ type: 'assistant', uuid, parentUuid, message: { id: uuid, model: 'm' } })
const asked = (uuid: string, parentUuid: string | null, more = {}) =>
  line({ type: 'user', uuid, parentUuid, message: { role: 'user', content: uuid }, ...more })
const BIG = line({ type: 'user', message: { role: 'user', content: 'x'.repeat(400_000) } })

function standIn(uuid: string, parentUuid: string) {
  return line({ type: 'assistant', uuid, parentUuid, message: { model: '<synthetic>' } })
}

function resultOf(uuid: string, parentUuid: string) {
  const content = [{ type: 'tool_result', tool_use_id: 't', content: 'done' }]
  return line({ type: 'user', uuid, parentUuid, message: { role: 'user', content } })
}

async function look(content: string, known: KnownPart = NOTHING_KNOWN) {
  const files = memoryFiles()
  await files.write(PATH, content)
  return inspect({ ...PLACE, known }, runtime(), files)
}

describe('before a resume', () => {
  test('C-2 a session with messages is present', async () => {
    expect(await look(USER + ANSWER)).toEqual({ state: 'present' })
  })

  test('a session whose last line is larger than the usual read is present', async () => {
    expect(await look(ANSWER + BIG)).toEqual({ state: 'present' })
  })

  test('a missing file, or no place for one, is reported', async () => {
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

  test('D-4 a file that ends before the last message we know of is damaged, however whole its lines are', async () => {
    const known = { anchors: ['first', 'last'], end: 'last' }
    const content = said('first', null) + said('last', 'first')
    expect(await look(content, known)).toEqual({ state: 'present' })
    expect(await look(content + BIG, known)).toEqual({ state: 'present' })
    const older = { state: 'damaged', path: PATH, detail: 'the last answer is missing in it' }
    expect(await look(said('first', null) + BIG, known)).toEqual(older)
    // A prompt that got no answer counts as well.
    expect(await look(content, { ...known, end: 'failed prompt' })).toEqual(older)
  })

  test('lines that the program skips are ignored', async () => {
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

describe('D-4 messages that somebody else added to a session', () => {
  const known = { anchors: ['a1', 'a2'], end: 'a2' }
  const ours = asked('p1', null) + said('a1', 'p1') + asked('p2', 'a1') + said('a2', 'p2')
  const foreign = (messages: number, lastShared: string | null) => ({
    state: 'present',
    foreign: { messages, lastShared },
  })

  test('are counted, with the last answer of ours that a resume would still continue from', async () => {
    expect(await look(ours, known)).toEqual({ state: 'present' })
    expect(await look(ours + asked('x', 'a2'), known)).toEqual(foreign(1, 'a2'))
    const answered = asked('x', 'a2') + said('y', 'x')
    expect(await look(ours + answered, known)).toEqual(foreign(2, 'a2'))
  })

  test('a branch that replaced ours shares less', async () => {
    expect(await look(ours + asked('x', 'a1') + said('y', 'x'), known)).toEqual(foreign(2, 'a1'))
    expect(await look(ours + asked('x', null) + said('y', 'x'), known)).toEqual(foreign(2, null))
  })

  test('a compaction by somebody else leaves no shared answer', async () => {
    const boundary = line({ type: 'system', uuid: 'b', parentUuid: null, logicalParentUuid: 'a2' })
    const summary = asked('summary', 'b', { isCompactSummary: true })
    expect(await look(ours + boundary + summary, known)).toEqual(foreign(1, null))
  })

  test.each([
    ['attachments', line({ type: 'attachment', uuid: 'x', parentUuid: 'a2' })],
    ["the program's own remarks", asked('x', 'a2', { isMeta: true })],
    ['lines of subagents', asked('x', null, { isSidechain: true })],
    ['what the program wrote in place of an answer', standIn('x', 'a2')],
    ['the result of a call', resultOf('x', 'a2')],
  ])('is no turn: %s', async (_, lines) => {
    expect(await look(ours + lines, known)).toEqual({ state: 'present' })
  })

  test('Reprise looks for the shared answer further back than the usual end of the file', async () => {
    const long = asked('x', 'a2', { more: 'x'.repeat(400_000) })
    expect(await look(ours + long, known)).toEqual(foreign(1, 'a2'))
  })

  test('megabytes of added messages are noticed, and differ from a file without our last message', async () => {
    const others = asked('x', 'a2', { more: 'x'.repeat(9_000_000) })
    expect(await look(ours + others, known)).toEqual(foreign(1, null))
    expect(await look(others, known)).toMatchObject({ state: 'damaged' })
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
