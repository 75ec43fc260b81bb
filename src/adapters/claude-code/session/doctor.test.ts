import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { countOf } from '../../../../test/counts.ts'
import { DAMAGERS } from '../../../../test/damaged-sessions.ts'
import { fc } from '../../../../test/properties.ts'
import type { Message } from '../../../core/conversation/messages.ts'
import type { KnownPart } from '../../../core/conversation/session.ts'
import { brokenRule } from '../../../testing/model-api/message-rules.ts'
import { fieldsIn, parseFields } from '../../fields.ts'
import { repairSession } from './doctor.ts'
import { chainIn, entriesIn, isMessage } from './session-chain.ts'
import { conversationIn } from './session-conversation.ts'
import { writtenSession } from './written-session.ts'

const NOTHING: KnownPart = { anchors: [], end: null }
const NEW_ID = '7d9c4b52-6f0a-4f9e-8a55-0f5f6a3f3c11'

const repaired = (file: string | Uint8Array, known = NOTHING) =>
  repairSession(typeof file === 'string' ? new TextEncoder().encode(file) : file, {
    sessionId: NEW_ID,
    known,
    model: null,
    uuid: randomUUID,
  })

const recordingOf = (name: string) =>
  readFileSync(`test/recordings/claude-code/${name}.session.jsonl`, 'utf8')

/** What the agent sends of a file: the messages that lead to the last one. */
const sentOf = (text: string) =>
  chainIn(entriesIn(text))
    .toReversed()
    .filter(({ fields }) => isMessage(fields))
    .map(({ fields }) => fieldsIn(fields.message) ?? {})

describe('the doctor of session files', () => {
  test.each([
    '2.1.197/fork',
    '2.1.197/tool-run',
    '2.1.197/api-error',
    '2.1.325/fork',
    '2.1.325/resumed',
  ])(
    'V-2 finds nothing wrong with a file that the agent wrote (%s), and copies it under the new id',
    name => {
      const text = recordingOf(name)
      const { found, text: copy, lines } = repaired(text)
      // The recordings lack the attachments that some of their lines follow.
      expect(found.filter(({ kind }) => kind !== 'broken-link')).toEqual([])
      expect(lines).toMatchObject({ changed: found.length, added: 0 })
      expect(conversationIn(copy ?? '')).toEqual(expect.arrayContaining([...conversationIn(text)]))
      for (const line of (copy ?? '').trimEnd().split('\n')) {
        expect(parseFields(line)?.sessionId ?? NEW_ID).toBe(NEW_ID)
      }
    },
  )

  test('V-2 finds the call that a killed agent left open', () => {
    const { found } = repaired(recordingOf('2.1.197/killed-then-resumed'))
    expect(found.map(({ kind }) => kind)).toContain('orphan-call')
  })

  test('V-2 leaves out turns that are not ours, and says when our last message is missing', () => {
    const text = session([turn('one', 'first'), turn('two', 'second')])
    const anchors = conversationIn(text).flatMap(({ anchor }) => anchor ?? [])
    const end = anchors[0] ?? null
    const cut = repaired(text, { anchors: anchors.slice(0, 1), end })
    expect(cut.found.map(({ kind }) => kind)).toEqual(['foreign-turns'])
    expect(conversationIn(cut.text ?? '').map(said => said.text)).toEqual(['one', 'first'])
    const lost = repaired(text, { anchors: ['gone'], end: 'gone' })
    expect(lost.found.map(({ kind }) => kind)).toEqual(['known-end-missing'])
    expect(conversationIn(lost.text ?? '')).toHaveLength(4)
  })

  test.each(['', '\n\n', '\0\0\0', '{"type":"mode"}\n', 'null\n', 'no json'])(
    'V-2 repairs nothing where there is no conversation (%j)',
    text => {
      const { found, text: copy } = repaired(text)
      expect(copy).toBeNull()
      expect(found.at(-1)?.kind).toBe('no-conversation')
    },
  )

  test('V-2 a line that is torn behind a block of its message is left out, and the block is no line', () => {
    const text = session([turn('one', 'first'), turn('two', 'second')])
    const block = '{"type":"text","text":"second"}'
    expect(text).toContain(block)
    const { found, text: copy } = repaired(text.slice(0, text.indexOf(block) + block.length))
    expect(found.map(({ kind }) => kind)).toEqual(['torn-line'])
    expect(conversationIn(copy ?? '').map(said => said.text)).toEqual(['one', 'first', 'two'])
  })

  test('V-2 a call that waits at a question is not damage', () => {
    const text = session([turn('one', 'first', 1)])
    const call = /"id":"(toolu_[^"]+)"/.exec(text)?.[1]
    const lines = text.trimEnd().split('\n').slice(0, 2)
    const last = parseFields(lines[1] ?? '')
    const attachment = { type: 'hook_deferred_tool', toolUseID: call }
    const note = { type: 'attachment', uuid: randomUUID(), parentUuid: last?.uuid, attachment }
    expect(repaired(`${[...lines, JSON.stringify(note)].join('\n')}\n`).found).toEqual([])
  })

  describe.each(DAMAGERS)('V-2 $name', ({ name, kinds, damage }) => {
    test('is found; the copy is sound, keeps to the rules of the model API and loses no other text', () => {
      const turns = fc.array(
        fc.record({
          prompt: fc.string({ minLength: 1, maxLength: 8 }),
          answer: fc.string({ minLength: 1, maxLength: 8 }),
          calls: fc.nat({ max: 2 }),
        }),
        { minLength: 2, maxLength: 4 },
      )
      fc.assert(
        fc.property(turns, fc.infiniteStream(fc.nat()), (drawn, picks) => {
          const text = session(
            drawn.map(({ prompt, answer, calls }, index) =>
              turn(`p${index} ${prompt}`, `a${index} ${answer}`, calls),
            ),
          )
          const pick = (count: number) => (picks.next().value ?? 0) % count
          const file = damage(text, pick)
          if (file === null) return
          const before = Buffer.from(file)
          const { found, text: copy } = repaired(file)
          expect(Buffer.from(file).equals(before)).toBe(true)
          expect(found.some(({ kind }) => kinds.includes(kind))).toBe(true)
          if (copy === null) return
          expect(repaired(copy).found).toEqual([])
          expect(brokenRule({ messages: sentOf(copy) })).toBeNull()
          const lost = textsOf(text).filter(said => !textsOf(copy).includes(said))
          expect(lost.length).toBeLessThanOrEqual(lostAtMost(file))
        }),
        { numRuns: name.includes('image') ? 2 : COUNT },
      )
    })
  })
})

/** A file with an image that is too large takes long. */
const COUNT = countOf('REPRISE_DAMAGED_SESSIONS', { usual: 8, storm: 200 })

/** What a torn line held is gone; a cut loses everything behind it. */
function lostAtMost(file: string | Uint8Array): number {
  return typeof file === 'string' ? 1 : Number.MAX_SAFE_INTEGER
}

function textsOf(text: string): readonly string[] {
  return conversationIn(text).flatMap(said => said.text.split('\n\n'))
}

type Turn = { readonly prompt: string; readonly answer: string; readonly calls: number }

function turn(prompt: string, answer: string, calls = 0): Turn {
  return { prompt, answer, calls }
}

function session(turns: readonly Turn[]): string {
  const messages = turns.flatMap(({ prompt, answer, calls }): readonly Message[] => {
    const common = { id: '', interrupted: false, hash: '', runId: null, createdAt: 1_000 }
    const tool = { name: 'Bash', input: '{"command":"ls"}', result: 'a.txt', isError: false }
    const tools = Array.from({ length: calls }, (_, index) => ({ ...tool, id: `call_${index}` }))
    return [
      { ...common, role: 'user', agent: null, text: prompt, tools: [] },
      { ...common, role: 'assistant', agent: 'claude', text: answer, tools },
    ]
  })
  return writtenSession({
    sessionId: 'the-session',
    workDir: '/work',
    version: '2.1.325',
    model: 'claude-haiku-4-5',
    messages,
    maxChars: 1_000_000,
    shortensOutputs: false,
    uuid: randomUUID,
  }).text
}
