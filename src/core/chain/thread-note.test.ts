import { expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import { hashOf, type Message, type ToolUse } from '../conversation/messages.ts'
import { MAX_NOTE_CHARS, noteText, problemOfNote, usableNote } from './handover-note.ts'
import { buildThreadNote } from './thread-note.ts'

const tool = (more: Partial<ToolUse> = {}): ToolUse => ({
  ...{ id: 't', name: 'Bash', input: '{"command":"ls"}', result: 'a.txt', isError: false },
  ...more,
})
const said = (role: 'user' | 'assistant', text: string, more: Partial<Message> = {}): Message => {
  const content = { role, agent: role === 'user' ? null : 'claude-code', text } as const
  const rest = { id: 'msg', tools: [], interrupted: false, runId: null, createdAt: 0 }
  return { ...content, ...rest, hash: hashOf(content), ...more }
}

test('E-15 the note of a thread tells each turn: what was asked, who answered what, and which calls it took', () => {
  const note = buildThreadNote([
    said('user', 'list the files'),
    said('assistant', 'There is one.', { tools: [tool()] }),
    said('user', 'remove it'),
    said('assistant', '', { interrupted: true, tools: [tool({ result: null })], agent: 'codex' }),
    said('user', 'and?'),
  ])
  expect(problemOfNote(note)).toBeNull()
  expect(note).toEqual({
    ...{ version: 1, task: 'list the files', tiers: [], turnsLeftOut: 0 },
    turns: [
      {
        ...{ turn: 1, asked: '(the task)', agent: 'claude-code', answered: 'There is one.' },
        ...{ interrupted: false, toolsLeftOut: 0 },
        tools: [{ name: 'Bash', input: '{"command":"ls"}', result: 'a.txt' }],
      },
      {
        ...{ turn: 2, asked: 'remove it', agent: 'codex', answered: '' },
        ...{ interrupted: true, toolsLeftOut: 0 },
        tools: [{ name: 'Bash', input: '{"command":"ls"}', result: '(how it ended is not known)' }],
      },
      {
        ...{ turn: 3, asked: 'and?', agent: null, answered: '', interrupted: false },
        ...{ tools: [], toolsLeftOut: 0 },
      },
    ],
  })
  expect(noteText(note)).not.toContain('tiers')
})

test('E-15 a thread in which no user has said anything has no usable note', () => {
  expect(usableNote(buildThreadNote([said('assistant', 'hello')]))).toBeNull()
  expect(usableNote(buildThreadNote([said('user', 'hello')]))).not.toBeNull()
})

test('E-15 S20 the note of a thread is bounded, whatever was said in it; the latest turns stay longest', () => {
  const text = fc.string({ maxLength: 3_000 })
  const turn = fc.record({ asked: text, answered: text, results: fc.array(text, { maxLength: 8 }) })
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 30 }), turns => {
      const view = turns.flatMap(({ asked, answered, results }) => [
        said('user', `? ${asked}`),
        said('assistant', answered, { tools: results.map(result => tool({ result })) }),
      ])
      const note = buildThreadNote(view)
      expect(problemOfNote(note)).toBeNull()
      const kept = note.turns ?? []
      expect(kept.length + (note.turnsLeftOut ?? 0)).toBe(turns.length)
      expect(kept.at(-1)?.turn).toBe(turns.length)
    }),
    { numRuns: 100 },
  )
  const many = Array.from({ length: 400 }, (_, at) => [
    said('user', `asked ${at} ${'x'.repeat(900)}`),
    said('assistant', `answered ${at} ${'y'.repeat(900)}`, { tools: [tool({ result: `${at}` })] }),
  ]).flat()
  const note = buildThreadNote(many)
  expect(noteText(note).length).toBeLessThanOrEqual(MAX_NOTE_CHARS)
  expect(noteText(note).length).toBeGreaterThan(MAX_NOTE_CHARS * 0.9)
  expect(note.task).toMatch(/^asked 0 /)
  expect(note.turns?.at(-1)).toMatchObject({ turn: 400, tools: [{ result: '399' }] })
  expect(note.turns?.[0]?.turn).toBe((note.turnsLeftOut ?? 0) + 1)
})
