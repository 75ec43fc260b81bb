import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { memoryFiles } from '../../testing/memory-files.ts'
import { NOTHING_MARKED, type Runtime } from '../adapter.ts'
import { recognise } from './abilities.ts'
import { sessionFiles } from './session-files.ts'

const RECORDED = new URL('../../../test/recordings/pi/0.87.1/resume.session.jsonl', import.meta.url)
const TEXT = readFileSync(fileURLToPath(RECORDED), 'utf8')
const ID = '00000000-0000-7000-8000-000000000001'
const PLACE = { sessionId: ID, workDir: '/world/work', env: { HOME: '/home' } }
const FOLDER = '/home/.pi/agent/sessions/--world-work--'
const FILE = `${FOLDER}/2026-01-01T00-00-00-000Z_${ID}.jsonl`
const IDS = [...TEXT.matchAll(/^\{"type":"message","id":"(\w+)"/gm)].map(([, id]) => id ?? '')
const RUNTIME = {} as Runtime

async function world(text: string | null = TEXT) {
  const files = memoryFiles()
  if (text !== null) await files.write(FILE, text)
  return files
}

const entry = (id: string, message: object) =>
  `${JSON.stringify({ type: 'message', id, message })}\n`
const said = (role: string, text: string, more: object = {}) => ({
  role,
  content: [{ type: 'text', text }],
  ...more,
})

test('C-2 the file holds what a run sent and what pi answered', async () => {
  const files = await world()
  const grown = await sessionFiles.growth(PLACE, NOTHING_MARKED, { prompt: 'Which word?' }, files)
  expect(grown).toMatchObject({
    holdsPrompt: true,
    complete: true,
    text: 'MOCK-OK: Which word?',
    foreignBefore: 2,
    end: IDS.at(-1),
    anchors: [IDS.at(-1)],
    requests: [{ model: 'mock/mock-model', usage: { outputTokens: 5, cacheReadTokens: 1408 } }],
  })
  const other = await sessionFiles.growth(PLACE, NOTHING_MARKED, { prompt: 'never sent' }, files)
  expect(other).toMatchObject({ grew: true, holdsPrompt: false })
})

test('F-3 a turn that was killed or that failed has left its prompt, and no answer', async () => {
  const mark = { path: FILE, sizeBytes: TEXT.length, costUsd: 0 }
  const sent = { prompt: 'Go on' }
  const killed = await world(TEXT + entry('a1', said('user', 'Go on')))
  expect(await sessionFiles.growth(PLACE, mark, sent, killed)).toMatchObject({
    holdsPrompt: true,
    complete: false,
    anchors: [],
    end: 'a1',
  })
  const error = entry('a2', { role: 'assistant', content: [], stopReason: 'error' })
  const failed = await world(TEXT + entry('a1', said('user', 'Go on')) + error)
  expect(await sessionFiles.growth(PLACE, mark, sent, failed)).toMatchObject({
    holdsPrompt: true,
    complete: false,
    anchors: [],
    requests: [],
    end: 'a2',
  })
})

test('a call without a result is dangling, one with a result is not', async () => {
  const mark = { path: FILE, sizeBytes: TEXT.length, costUsd: 0 }
  const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } }
  const asked = entry('a1', said('user', 'List'))
  const called = entry('a2', { role: 'assistant', content: [call], stopReason: 'toolUse' })
  const result = entry('a3', said('toolResult', 'f.txt', { toolCallId: 'c1', isError: false }))
  const growth = async (text: string) =>
    sessionFiles.growth(PLACE, mark, { prompt: 'List' }, await world(TEXT + text))
  expect(await growth(asked + called)).toMatchObject({ danglingTools: 1, complete: false })
  expect(await growth(asked + called + result)).toMatchObject({
    danglingTools: 0,
    tools: [{ id: 'c1', name: 'bash', input: '{"command":"ls"}', result: 'f.txt', isError: false }],
  })
})

test.each([
  ['as known', TEXT, IDS.at(-1) ?? '', { state: 'present' }],
  [
    'with a turn of somebody else',
    TEXT + entry('x', said('user', 'Hello')),
    IDS.at(-1) ?? '',
    { state: 'present', foreign: { messages: 1, lastShared: IDS.at(-1) } },
  ],
  ['older than known', TEXT, 'feedfeed', { state: 'damaged' }],
  ['gone', null, IDS.at(-1) ?? '', { state: 'missing' }],
])('D-3 the file of a session is looked at before a resume: %s', async (_, text, end, state) => {
  const known = { anchors: [], end }
  const seen = await sessionFiles.inspect({ ...PLACE, known }, RUNTIME, await world(text))
  expect(seen).toMatchObject(state)
})

test('V-1 a lost file belongs where pi looks for it from the work dir', async () => {
  const { found, home } = await sessionFiles.locate(PLACE, await world(null))
  expect(found).toBeNull()
  expect(home).toMatch(/^\/home\/\.pi\/agent\/sessions\/--world-work--\/[\dTZ-]+_00000000-/)
  const elsewhere = await sessionFiles.locate({ ...PLACE, workDir: '/other' }, await world())
  expect(elsewhere.found).toBeNull()
  const copy = new TextEncoder().encode(TEXT)
  expect([IDS.at(-1) ?? '', 'feedfeed'].map(id => sessionFiles.holds(copy, id))).toEqual([
    true,
    false,
  ])
})

test('the whole conversation of a session is read from its file', async () => {
  expect(await sessionFiles.conversation(PLACE, await world())).toMatchObject([
    { role: 'user', text: 'Remember the word BANANA.' },
    { role: 'assistant', text: 'I will remember it.', anchor: expect.any(String) },
    { role: 'user', text: 'Which word?' },
    { role: 'assistant', text: 'MOCK-OK: Which word?' },
  ])
})

const HELP =
  'Usage:\n  pi [options] [--] [@files...]\n --mode <mode>\n --session <path|id>\n --fork\n --tools'
test.each([
  ['the tested version', ['0.87.1', HELP], { version: '0.87.1', warning: null }],
  ['another one', ['1.5.0', HELP], { warning: expect.stringContaining('0.87.1') }],
  ['one without forks', ['0.87.1', HELP.replace('--fork', '')], { abilities: { fork: false } }],
  [
    'one that is too old',
    ['0.1.0', 'pi [options]'],
    { problem: expect.stringContaining('--mode') },
  ],
  ['another program', ['3.14.1', 'Usage: pie'], { problem: expect.stringContaining('not pi') }],
])('A-2 recognises pi by its version and its help: %s', (_, printed, expected) => {
  expect(recognise(printed)).toMatchObject(expected)
})

test.each([
  ['its variable', { PI_CODING_AGENT_SESSION_DIR: '~/kept' }, {}, '/home/kept'],
  ['the settings of the user', {}, { '/home/.pi/agent/settings.json': '/kept' }, '/kept'],
  [
    'the settings of the project',
    {},
    { '/world/work/.pi/settings.json': 'kept' },
    '/world/work/kept',
  ],
  [
    'the settings of the project, before those of the user',
    {},
    { '/world/work/.pi/settings.json': '~/kept', '/home/.pi/agent/settings.json': '/other' },
    '/home/kept',
  ],
  [
    'its variable, before all settings',
    { PI_CODING_AGENT_SESSION_DIR: '/kept', PI_CODING_AGENT_DIR: '~/pi' },
    { '/home/pi/settings.json': '/other' },
    '/kept',
  ],
  [
    'settings in another directory',
    { PI_CODING_AGENT_DIR: '~/pi' },
    { '/home/pi/settings.json': '/kept' },
    '/kept',
  ],
])(
  'A-2 C-2 a session is found in the directory that pi was given by %s',
  async (_, env, settings, folder) => {
    const files = memoryFiles()
    for (const [path, sessionDir] of Object.entries(settings)) {
      await files.write(path, JSON.stringify({ sessionDir }))
    }
    const place = { ...PLACE, env: { ...PLACE.env, ...env } }
    const name = FILE.slice(FILE.lastIndexOf('/'))
    expect(await sessionFiles.locate(place, files)).toMatchObject({
      found: null,
      home: expect.stringMatching(new RegExp(`^${folder}/[^/]+_${ID}.jsonl$`)),
    })
    await files.write(`${folder}${name}`, TEXT)
    expect(await sessionFiles.locate(place, files)).toEqual({
      found: `${folder}${name}`,
      home: `${folder}${name}`,
    })
  },
)
