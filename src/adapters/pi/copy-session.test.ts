import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fieldsIn } from '../fields.ts'
import { copySession } from './copy-session.ts'
import { sessionFiles } from './session-files.ts'

const RECORDED = new URL('../../../test/recordings/pi/0.87.1/resume.session.jsonl', import.meta.url)
const TEXT = readFileSync(fileURLToPath(RECORDED), 'utf8')
const TARGET = { sessionId: '01a1eaf0-b463-7a32-aa59-f346ec30b17f', workDir: '/here' }
const bytes = (text: string) => new TextEncoder().encode(text)
const copied = (text = TEXT): readonly Record<string, unknown>[] =>
  copySession(bytes(text), TARGET)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

test('V-3 a session travels under the new id and work dir, as one row of messages', () => {
  const [header, ...entries] = copied()
  expect(header).toEqual({
    ...{ type: 'session', version: 3, timestamp: expect.any(String) },
    ...{ id: TARGET.sessionId, cwd: '/here' },
  })
  expect(entries.map(({ message }) => fieldsIn(message)?.role)).toEqual([
    ...['user', 'assistant', 'user', 'assistant'],
  ])
  const ids = entries.map(({ id }) => id)
  expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)])
  const copy = bytes(copySession(bytes(TEXT), TARGET))
  expect(sessionFiles.holds(copy, String(ids.at(-1)))).toBe(true)
})

test('S24 nothing that rules pi travels: no system prompt, tools, models or extensions', () => {
  const extra = { type: 'custom', id: 'x1', parentId: 'a60ea904', customType: 'evil', data: {} }
  const text = JSON.stringify(copied(`${TEXT}${JSON.stringify(extra)}\n`))
  expect(text).not.toMatch(/preamble|toolsAdded|model_change|thinking_level|evil|\/world/)
})

test('V-3 parents that form a circle end', () => {
  const circle = ['a', 'b'].map(id =>
    JSON.stringify({ type: 'label', id, parentId: id === 'a' ? 'b' : 'a' }),
  )
  const message = { role: 'user', content: 'hi' }
  const said = JSON.stringify({ type: 'message', id: 'c', parentId: 'a', message })
  const [, entry] = copied(`${[TEXT.split('\n')[0], ...circle, said].join('\n')}\n`)
  expect(entry).toMatchObject({ id: 'c', parentId: null })
})

test.each(['', 'not a session', '{"type":"message","id":"a"}'])(
  'V-3 a file that begins with %j does not travel',
  text => {
    expect(copySession(bytes(text), TARGET)).toBe('')
  },
)
