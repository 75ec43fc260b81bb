import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { memoryFiles } from '../../../testing/memory-files.ts'
import { NOTHING_GREW } from '../../adapter.ts'
import { claudeCodeAdapter } from '../index.ts'

const RECORDINGS = join(import.meta.dirname, '../../../../test/recordings/claude-code')
const PATH = '/cfg/projects/-proj/s1.jsonl'
const PLACE = { sessionId: 's1', workDir: '/proj', env: { CLAUDE_CONFIG_DIR: '/cfg' } }

const recorded = (name: string) => readFileSync(join(RECORDINGS, `${name}.session.jsonl`), 'utf8')

/** What `content` holds of the run that began after its first `before` bytes. */
async function growth(content: string, prompt: string, before = 0) {
  const files = memoryFiles()
  await files.write(PATH, content)
  const mark = { path: before > 0 ? PATH : null, sizeBytes: before, costUsd: 0 }
  return claudeCodeAdapter.sessionFiles.growth(PLACE, mark, { prompt }, files)
}

describe('C-2 what a run left', () => {
  test('is its prompt, its answer and what it used, once per request', async () => {
    const content = recorded('2.1.197/tool-run')
    const found = await growth(content, '[[pre:I will run it]][[tool:Bash:echo hi]] [[text:done]]')
    expect(found).toMatchObject({
      grew: true,
      holdsPrompt: true,
      text: 'I will run it\n\ndone',
      complete: true,
      danglingTools: 0,
      tools: [{ name: 'Bash', result: 'hi', isError: false }],
    })
    expect(found.anchors).toHaveLength(3)
    expect(found.requests.map(({ usage }) => usage.outputTokens)).toEqual([25, 1])
  })

  test('counts from the mark: the same prompt of an earlier run is not this one', async () => {
    const content = recorded('2.1.325/resumed')
    const before = Buffer.byteLength(content.slice(0, content.indexOf('"content":"turn 1"')))
    const start = content.lastIndexOf('\n', before) + 1
    expect(await growth(content.slice(0, start), 'turn 0', start)).toEqual(NOTHING_GREW)
    const found = await growth(content, 'turn 1', start)
    expect(found).toMatchObject({ holdsPrompt: true, complete: true })
    expect(found.text.startsWith('MOCK-OK: turn 1')).toBe(true)
    expect(await growth(content, 'turn 0', start)).toEqual({ ...NOTHING_GREW, grew: true })
  })

  test.each(['2.1.197', '2.1.325'])('leaves out the history a fork of %s copies', async version => {
    const content = recorded(`${version}/fork`)
    expect(await growth(content, '/hello @secret')).toMatchObject({
      holdsPrompt: true,
      text: 'ok 3',
      complete: true,
      anchors: [expect.any(String)],
    })
  })

  test.each(['2.1.197', '2.1.325'])(
    'does not take the prompt a fork of %s copied for its own',
    async version => {
      const lines = recorded(`${version}/fork`).split('\n')
      const copied = lines.slice(0, lines.findIndex(line => line.includes('"text":"ok 1"')) + 1)
      const content = `${copied.join('\n')}\n`
      expect(await growth(content, '/hello @secret')).toEqual({ ...NOTHING_GREW, grew: true })
    },
  )

  test('F-3 counts a call whose result is missing', async () => {
    const content = recorded('2.1.197/killed-then-resumed')
    const killed = content.slice(
      0,
      content.indexOf('"type":"last-prompt"', content.indexOf('sleep 61.3')),
    )
    const prompt = '[[tool:Bash:sleep 61.3; echo finished]] [[text:never]]'
    expect(await growth(killed, prompt)).toMatchObject({
      holdsPrompt: true,
      complete: false,
      danglingTools: 1,
      tools: [{ name: 'Bash', result: null }],
    })
  })

  test('F-3 does not take the rejection of an interrupted call for its result', async () => {
    const rejected =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
    const use = { type: 'tool_use', id: 't', name: 'Bash', input: {} }
    const result = { type: 'tool_result', tool_use_id: 't', is_error: true, content: rejected }
    const lines = [
      prompt('ours', null),
      { ...answer('a1', 'ours'), message: { id: 'm1', model: 'm', content: [use] } },
      { type: 'user', uuid: 'r', parentUuid: 'a1', message: { content: [result] } },
    ]
    expect(await growthOf(lines)).toMatchObject({
      complete: false,
      danglingTools: 1,
      tools: [{ id: 't', result: null, isError: false }],
    })
  })

  test('has no answer where the program wrote an error in its place', async () => {
    expect(await growth(recorded('2.1.197/api-error'), '[[error:529]]')).toMatchObject({
      grew: true,
      holdsPrompt: true,
      anchors: [],
      text: '',
      complete: false,
      requests: [],
    })
  })

  test.each([
    ['of no model', { message: { id: 'm1', model: '<synthetic>', content: [] } }],
    ['marked as an error', { isApiErrorMessage: true, message: { id: 'm1', model: 'm' } }],
    ['of a subagent', { isSidechain: true, message: { id: 'm1', model: 'm' } }],
  ])('has no answer in a line %s', async (_, line) => {
    const prompt = { type: 'user', message: { content: 'hi' } }
    const lines = [prompt, { type: 'assistant', uuid: 'u', ...line }]
    const content = lines.map(value => `${JSON.stringify(value)}\n`).join('')
    expect(await growth(content, 'hi')).toMatchObject({ holdsPrompt: true, anchors: [] })
  })

  test('is nothing without a file, and with a file that did not grow', async () => {
    const files = memoryFiles()
    const mark = { path: null, sizeBytes: 0, costUsd: 0 }
    expect(
      await claudeCodeAdapter.sessionFiles.growth(PLACE, mark, { prompt: 'x' }, files),
    ).toEqual(NOTHING_GREW)
    expect(await growth('{}\n', 'x', 3)).toEqual(NOTHING_GREW)
  })

  test('is found after a torn line, for a prompt with half a character', async () => {
    const answer = {
      uuid: 'u',
      message: { id: 'm1', model: 'm', content: [{ type: 'text', text: 'a' }] },
    }
    const lines = [
      '{"type":"assistant","mess{"type":"queue-operation"}',
      JSON.stringify({ type: 'user', message: { content: 'a\uD800b' } }),
      JSON.stringify({ type: 'assistant', ...answer }),
    ]
    expect(await growth(`${lines.join('\n')}\n`, 'a\uD800b')).toMatchObject({
      holdsPrompt: true,
      text: 'a',
      anchors: ['u'],
    })
  })

  test('D-4 ends with its last message, whatever the program did afterwards by itself', async () => {
    const background = [
      prompt('ours', null),
      answer('a1', 'ours'),
      prompt('told', 'a1', { origin: { kind: 'task-notification' }, promptId: '2' }),
      answer('a2', 'told'),
      { type: 'attachment', uuid: 'snapshot', parentUuid: 'a2' },
    ]
    expect(await growthOf(background)).toMatchObject({ anchors: ['a1', 'a2'], end: 'a2' })
    const compacted = [
      prompt('ours', null),
      { type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null },
      { ...prompt('summary', 'b'), promptSource: undefined, isCompactSummary: true },
      answer('a1', 'summary'),
    ]
    expect(await growthOf(compacted)).toMatchObject({ anchors: ['a1'], end: 'a1' })
    expect(await growthOf([prompt('ours', null)])).toMatchObject({ anchors: [], end: 'ours' })
  })

  test('D-4 leaves out messages that somebody else added meanwhile', async () => {
    const lines = [
      prompt('ours', null),
      prompt('theirs', 'ours', { promptId: '2' }),
      answer('a1', 'ours'),
      answer('their answer', 'theirs'),
    ]
    expect(await growthOf(lines)).toMatchObject({ anchors: ['a1'], end: 'a1', text: 'a1' })
  })

  test('D-4 counts messages of others after the mark when our prompt follows them', async () => {
    const known = [prompt('known', null, { promptId: '0' }), answer('a0', 'known')]
    const theirs = [prompt('theirs', 'a0', { promptId: '2' }), answer('their answer', 'theirs')]
    const before = Buffer.byteLength(fileOf(known))
    const foreignIn = async (parent: string) => {
      const lines = [...known, ...theirs, prompt('ours', parent), answer('a1', 'ours')]
      return (await growth(fileOf(lines), 'ours', before)).foreignBefore
    }
    expect(await foreignIn('their answer')).toBe(2)
    expect(await foreignIn('a0')).toBe(0)
    // A parked call of the session runs before the prompt: it is our own.
    const own = [...known, answer('late', 'a0'), prompt('ours', 'late')]
    expect((await growth(fileOf(own), 'ours', before)).foreignBefore).toBe(0)
    // Messages that a fork copied do not count as new.
    expect(
      (await growthOf([...known, ...theirs, prompt('ours', 'their answer')])).foreignBefore,
    ).toBe(0)
  })
})

function fileOf(lines: readonly object[]): string {
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

function prompt(uuid: string, parentUuid: string | null, more = {}) {
  const message = { role: 'user', content: uuid }
  return { type: 'user', uuid, parentUuid, message, promptId: '1', promptSource: 'sdk', ...more }
}

function answer(uuid: string, parentUuid: string) {
  const message = { id: uuid, model: 'm', content: [{ type: 'text', text: uuid }] }
  return { type: 'assistant', uuid, parentUuid, message }
}

function growthOf(lines: readonly object[]) {
  return growth(fileOf(lines), 'ours')
}
