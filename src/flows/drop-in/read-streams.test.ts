// What is read along between a caller and its agent: prompts, output, the end of the error stream, and the file where nobody heard anything.
import { describe, expect, test } from 'vitest'
import { hearOutput, listensTo, promptsOf, resultOfFile, tailOf } from './read-streams.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const FREE = { stdin: false, stdout: false, stderr: false }

describe('W-2 the prompts of a caller', () => {
  function heard(call: object, { stdin = false, calls = {} as object | null } = {}) {
    const prompts: string[] = []
    const promptIn = (line: string) => (line.startsWith('say ') ? line.slice(4) : null)
    const adapter = calls && { calls: { promptIn, ...calls } }
    const found = promptsOf(
      { agent: { adapter: adapter ?? {} } } as never,
      {
        call,
        isTerminal: { ...FREE, stdin },
        record: { heard: (prompt: string) => void prompts.push(prompt) },
      } as never,
    )
    return { ...found, prompts }
  }

  test('in a stream are its messages, line by line; other lines are none', () => {
    const { look, prompts, begun } = heard({ input: 'stream-json', prompt: null })
    look?.bytes(bytes('say one\nother\nsay t'))
    expect(prompts).toEqual(['one'])
    look?.bytes(bytes('wo\n'))
    begun()
    look?.end()
    expect(prompts).toEqual(['one', 'two'])
  })

  test('in a stream are also a last line without its newline, which the agent reads too', () => {
    const { look, prompts } = heard({ input: 'stream-json', prompt: null })
    look?.bytes(bytes('say one'))
    expect(prompts).toEqual([])
    look?.end()
    expect(prompts).toEqual(['one'])
  })

  test('in a stream are none for an agent that takes none, and none from a terminal', () => {
    const mute = heard({ input: 'stream-json', prompt: null }, { calls: null })
    mute.look?.bytes(bytes('say one\n'))
    expect(mute.prompts).toEqual([])
    expect(heard({ input: 'stream-json', prompt: null }, { stdin: true }).look).toBeUndefined()
  })

  test('as text are the arguments and then the input, once, when the input ends or the agent begins', () => {
    const { look, begun, prompts } = heard({ input: 'text', prompt: 'words' })
    look?.bytes(bytes('in'))
    look?.bytes(bytes('put'))
    expect(prompts).toEqual([])
    begun()
    look?.bytes(bytes('too late'))
    look?.end()
    expect(prompts).toEqual(['words\ninput'])
    const alone = heard({ input: 'text', prompt: null })
    alone.look?.bytes(bytes('input'))
    alone.look?.end()
    expect(alone.prompts).toEqual(['input'])
  })

  test('as text are the arguments alone at a terminal, and nothing where nobody said anything', () => {
    const { look, prompts } = heard({ input: 'text', prompt: 'words' }, { stdin: true })
    expect([look, prompts]).toEqual([undefined, ['words']])
    expect(heard({ input: 'text', prompt: null }, { stdin: true }).prompts).toEqual([])
    const empty = heard({ input: 'text', prompt: null })
    empty.look?.end()
    expect(empty.prompts).toEqual([])
  })

  test('S27 as text are no longer than what the agent takes', () => {
    const { look, prompts } = heard({ input: 'text', prompt: null })
    look?.bytes(new Uint8Array(10 * 1024 * 1024).fill(0x78))
    look?.bytes(bytes('more'))
    look?.end()
    expect(prompts[0]?.length).toBe(10 * 1024 * 1024)
  })
})

test.each([
  ['stream-json', false, true],
  ['json', false, true],
  ['text', false, false],
  ['stream-json', true, false],
])('W-2 output as %s, at a terminal: %s, is heard: %s', (output, stdout, expected) => {
  expect(listensTo({ output } as never, { ...FREE, stdout })).toBe(expected)
})

test('W-2 what the agent says is heard line by line and at its end; with its first word it has read its prompt', () => {
  const notes: unknown[] = []
  const reader = {
    read: (line: string) => (line === 'quiet' ? [] : [{ type: 'text', text: line }]),
    end: () => [{ type: 'text', text: 'the end' }],
  }
  const adapter = { calls: { reader: () => reader } }
  const record = { said: (events: readonly { text: string }[]) => notes.push(...events) }
  const prompts = { begun: () => notes.push('begun') }
  const call = { output: 'stream-json' }
  const given = { call, record, prompts }
  const { bytes: push, end } = hearOutput({ agent: { adapter } } as never, given as never)
  push(bytes('quiet\n'))
  expect(notes).toEqual([])
  push(bytes('one\ntw'))
  end()
  expect(notes.filter(note => note !== 'begun')).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'tw' },
    { type: 'text', text: 'the end' },
  ])
  expect(notes[0]).toBe('begun')
  const mute = hearOutput({ agent: { adapter: {} } } as never, given as never)
  notes.length = 0
  mute.bytes(bytes('one\n'))
  mute.end()
  expect(notes).toEqual([])
})

test('S27 of the error stream only the end is kept, with whole characters', () => {
  const tail = tailOf()
  const euro = bytes('€')
  tail.bytes(euro.subarray(0, 1))
  tail.bytes(euro.subarray(1))
  tail.end()
  expect(tail.text()).toBe('€')
  tail.bytes(bytes(`${'x'.repeat(64 * 1024)}end`))
  expect(tail.text()).toBe(`${'x'.repeat(64 * 1024 - 3)}end`)
})

describe('W-2 where nobody heard the agent, the file of its session says whether it answered', () => {
  type Given = {
    readonly code?: number
    readonly served?: object
    readonly growth?: object
    readonly costUsd?: number
    readonly adapter?: object
  }
  async function result(given: Given = {}) {
    const places: object[] = []
    const sessionFiles = {
      growth: async (place: object) => {
        places.push(place)
        return { complete: true, text: 'done', requests: [{ model: 'sonnet' }], ...given.growth }
      },
      mark: async () => ({ costUsd: given.costUsd ?? 0.5 }),
    }
    const agent = { fullEnv: {}, adapter: given.adapter ?? { sessionFiles } }
    const session = { kind: 'new', sessionId: null }
    const served = { agent, sessionId: 's', source: null, workDir: '/w', mark: {}, session }
    const exit = { code: given.code ?? 0 }
    const found = await resultOfFile(
      {} as never,
      { ...served, ...given.served } as never,
      exit as never,
    )
    return { found, places }
  }

  test('an answer there is a session and a result', async () => {
    const { found, places } = await result()
    expect(found).toMatchObject([
      { type: 'session', sessionId: 's', model: 'sonnet' },
      { type: 'result', ok: true, text: 'done', totalCostUsd: 0.5, turns: 1, unasked: false },
    ])
    expect(places).toEqual([{ sessionId: 's', workDir: '/w', env: {} }])
    const unknown = await result({ costUsd: 0, growth: { requests: [] } })
    expect(unknown.found).toMatchObject([{ model: null }, { totalCostUsd: null }])
  })

  test('the file of a session that was resumed is where that session was', async () => {
    const session = { kind: 'resume', sessionId: 's' }
    const resumed = await result({ served: { session, source: { workDir: '/before' } } })
    expect(resumed.places).toMatchObject([{ workDir: '/before' }])
    expect((await result({ served: { session } })).places).toMatchObject([{ workDir: '/w' }])
    const fork = { session: { kind: 'fork' }, source: { workDir: '/before' } }
    expect((await result({ served: fork })).places).toMatchObject([{ workDir: '/w' }])
  })

  test.each<[string, Given]>([
    ['it failed', { code: 1 }],
    ['nobody knows its session', { served: { sessionId: null } }],
    ['nobody can read its sessions', { adapter: {} }],
    ['its answer is not whole', { growth: { complete: false } }],
  ])('nothing is known when %s', async (_, given) => {
    expect((await result(given)).found).toEqual([])
  })
})
