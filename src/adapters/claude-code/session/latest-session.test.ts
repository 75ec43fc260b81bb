import { beforeEach, describe, expect, test } from 'vitest'
import { type MemoryFiles, memoryFiles } from '../../../testing/memory-files.ts'
import { latestSession } from './latest-session.ts'

const A = '00000000-0000-4000-8000-00000000000a'
const B = '00000000-0000-4000-8000-00000000000b'
const FOLDER = '/home/.claude/projects/-work'
const PLACE = { workDir: '/work', env: { HOME: '/home' } }
const SAID = { type: 'user', uuid: 'u1', parentUuid: null, isSidechain: false, message: {} }

let now: number
let files: MemoryFiles
beforeEach(() => {
  now = 1_000
  files = memoryFiles(() => now)
})

const put = (name: string, ...lines: readonly object[]) =>
  files.write(`${FOLDER}/${name}`, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
const latest = () => latestSession(PLACE, files)

test('W-2 the session that was written last goes on, whatever its file says about time', async () => {
  await put(`${B}.jsonl`, { ...SAID, timestamp: '2030-01-01T00:00:00.000Z' })
  now = 2_000
  await put(`${A}.jsonl`, { type: 'queue-operation' }, SAID)
  expect(await latest()).toEqual({ sessionId: A })
  now = 3_000
  await put(`${B}.jsonl`, SAID)
  expect(await latest()).toEqual({ sessionId: B })
})

test('W-2 files of sub-agents and of other work dirs do not count', async () => {
  await put(`${A}.jsonl`, SAID)
  now = 2_000
  await put('agent-abc123.jsonl', SAID)
  await put(`../-work-sub/${B}.jsonl`, SAID)
  expect(await latest()).toEqual({ sessionId: A })
})

describe('W-2 nobody says for certain which session goes on', () => {
  test('without a session', async () => {
    expect(await latest()).toEqual({ unsure: expect.stringContaining('no session yet') })
  })

  test('when two were written at the same time', async () => {
    await put(`${A}.jsonl`, SAID)
    await put(`${B}.jsonl`, SAID)
    expect(await latest()).toEqual({ unsure: expect.stringContaining('at the same time') })
  })

  test.each<[string, readonly object[]]>([
    ['holds nothing', []],
    ['holds no message', [{ type: 'mode' }]],
    ['is one of a sub-agent', [{ ...SAID, isSidechain: true }]],
    ['is one of the background', [{ ...SAID, sessionKind: 'bg' }]],
    ['goes on in another one', [SAID, { type: 'system', continuedInSessionId: B }]],
  ])('when the last one %s', async (_, lines) => {
    await put(`${B}.jsonl`, SAID)
    now = 2_000
    await put(`${A}.jsonl`, ...lines)
    expect(await latest()).toEqual({ unsure: expect.stringContaining(A) })
  })

  test('when the work dir has several folders of sessions', async () => {
    await put(`${A}.jsonl`, SAID)
    await put('.session-aliases', {})
    expect(await latest()).toEqual({ unsure: expect.stringContaining('several folders') })
  })
})

test('W-2 words of the conversation are no marks', async () => {
  await put(`${A}.jsonl`, { ...SAID, message: { content: 'a "sessionKind": "bg" in a text' } })
  expect(await latest()).toEqual({ sessionId: A })
})
