import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fieldsIn, parseFields } from '../../fields.ts'
import { conversationIn } from './session-conversation.ts'
import { previewHead, trimSession } from './trim-session.ts'

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => parseFields(line) ?? {})

test('E-15 a copy has every result cut in both of its places, and all else as it was, under the new id', () => {
  const file = readFileSync('test/recordings/claude-code/2.1.197/tool-run.session.jsonl')
  const seen: string[] = []
  const text = trimSession(file, {
    sessionId: 'the-copy',
    shorten: output => {
      seen.push(output)
      return `<${output.length}>`
    },
  })
  expect(conversationIn(text)).toEqual(conversationIn(file.toString()))
  expect(linesIn(text).every(({ sessionId = 'the-copy' }) => sessionId === 'the-copy')).toBe(true)
  const before = linesIn(file.toString())
  const results = linesIn(text).filter(({ toolUseResult }) => toolUseResult !== undefined)
  expect(results).toHaveLength(before.filter(({ toolUseResult }) => toolUseResult).length)
  expect(results.length).toBeGreaterThan(0)
  expect(JSON.stringify(results)).toContain(`<${seen[0]?.length}>`)
  expect(fieldsIn(results[0]?.toolUseResult)?.stdout).toMatch(/^<\d+>$/)
})

test('E-15 thoughts are left out, and what followed one follows what it followed', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown) =>
    JSON.stringify({ type, uuid, parentUuid, sessionId: 'a', message: { role: type, content } })
  const file = [
    line('1', null, 'user', 'think'),
    line('2', '1', 'assistant', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
    line('3', '2', 'assistant', [{ type: 'text', text: 'done' }]),
  ].join('\n')
  const copy = trimSession(new TextEncoder().encode(file), { sessionId: 'b', shorten: t => t })
  expect(linesIn(copy).map(({ uuid, parentUuid }) => [uuid, parentUuid])).toEqual([
    ['1', null],
    ['3', '1'],
  ])
})

describe('the preview of an output that the agent keeps in a file', () => {
  const head =
    '<persisted-output>\nOutput too large (39.1KB). Full output saved to: /home/.claude/projects/-work/1/tool-results/b.txt\n\nPreview (first 2KB):\n'
  const text = `${head}line 1\nline 2\n...\n</persisted-output>`

  test('E-15 begins with where all of it is', () => {
    expect(previewHead(text)).toBe(head)
  })

  test.each([
    ['an output that only speaks of one', `see: ${text}`],
    ['one that does not end as the agent ends it', text.replace('</persisted-output>', '')],
    ['one that is longer than a preview', text.replace('line 2', 'x'.repeat(4_000))],
    ['one without a path', text.replace('/home', 'home')],
    [
      'one whose path is not among the outputs that the agent keeps',
      text.replace('/tool-results', ''),
    ],
    [
      'one whose head is longer than what it leads to',
      text.replace('Preview', `Preview${' '.repeat(200)}`),
    ],
  ])('E-15 %s is none', (_, output) => {
    expect(previewHead(output)).toBeNull()
  })
})
