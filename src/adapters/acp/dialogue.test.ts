// The dialogue over ACP against what the real programs said: it writes what the recording's client wrote, and understands the answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentResult } from '../../core/run/events.ts'
import type { DialogueStep } from '../adapter.ts'
import { type AcpDialogue, type AcpTurn, acpDialogue } from './dialogue.ts'

const RECORDINGS = fileURLToPath(new URL('../../../test/recordings', import.meta.url))
const AGENTS = readdirSync(RECORDINGS).flatMap(agent =>
  readdirSync(join(RECORDINGS, agent))
    .map(version => join(agent, version))
    .filter(folder =>
      readFileSync(join(RECORDINGS, folder, 'turn.jsonl'), 'utf8').startsWith('{"client"'),
    ),
)

const TURN: AcpTurn = {
  prompt: '',
  continuation: { kind: 'new', sessionId: null },
  knownEnds: [],
  workDir: '/world/work',
  model: null,
  mode: null,
  offered: null,
  allows: [],
  permissions: 'ask-user',
  stays: true,
}

type Said = { readonly client?: Message; readonly agent?: Message }
type Message = { id?: unknown; method?: string; params?: Record<string, unknown>; result?: unknown }
type Played = { events: AgentEvent[]; write: string[]; closed: boolean }

function recordingOf(folder: string, name: string): readonly Said[] {
  const text = readFileSync(join(RECORDINGS, folder, `${name}.jsonl`), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

/** Plays the agent's part, and takes the client's part from the dialogue; what only a person or a runner decides is in the recording. */
function play(said: readonly Said[], change: Partial<AcpTurn> = {}): Played {
  const client = said.flatMap(line => line.client ?? [])
  const prompts = client.filter(({ method }) => method === 'session/prompt').map(promptOf)
  const loaded = client.find(({ method }) => method === 'session/load')?.params?.sessionId
  const continuation = loaded
    ? ({ kind: 'resume', sessionId: String(loaded) } as const)
    : TURN.continuation
  const dialogue = acpDialogue({ ...TURN, continuation, prompt: prompts.shift() ?? '', ...change })
  const played: Played = { events: [], write: [], closed: false }
  const take = ({ events, write, close }: DialogueStep) => {
    played.events.push(...events)
    played.write.push(...write)
    played.closed ||= close === true
  }
  take(dialogue.begin())
  for (const line of said) {
    if (line.agent) take(dialogue.read(JSON.stringify(line.agent)))
    else if (line.client) take(decided(dialogue, line.client, played, prompts))
  }
  return played
}

function decided(dialogue: AcpDialogue, message: Message, played: Played, prompts: string[]) {
  if (message.method === 'session/cancel') return dialogue.interrupt()
  const isNext = message.method === 'session/prompt' && promptOf(message) === prompts[0]
  if (isNext) return dialogue.next(prompts.shift() ?? '')
  const question = played.events.findLast(event => event.type === 'question')
  if (message.result === undefined || question === undefined) return { events: [], write: [] }
  const allowed = JSON.stringify(message.result).match(/reject|cancel/) === null
  return dialogue.answer(question, allowed ? { kind: 'allow' } : { kind: 'deny', message: 'no' })
}

const promptOf = ({ params }: Message) =>
  String((params?.prompt as { text: string }[] | undefined)?.[0]?.text)
const resultOf = ({ events }: Played) =>
  events.findLast((event): event is AgentResult => event.type === 'result')
const textOf = ({ events }: Played) =>
  events.map(event => (event.type === 'text' ? event.text : '')).join('')
const methods = (messages: readonly Message[]) => messages.map(({ method }) => method ?? 'answer')

describe.each(AGENTS)('over ACP, %s', folder => {
  const CASES = readdirSync(join(RECORDINGS, folder))
    .filter(file => file.endsWith('.jsonl'))
    .map(file => file.replace('.jsonl', ''))

  test.each(CASES)('%s: the dialogue writes what the client of the recording wrote', name => {
    const said = recordingOf(folder, name)
    const wrote = methods(play(said).write.map(line => JSON.parse(line)))
    const recorded = methods(said.flatMap(({ client }) => client ?? []))
    // The dialogue ends where it recognises a lost session; the client of the recording went on.
    expect(recorded.slice(0, wrote.length)).toEqual(wrote)
    expect(wrote[0]).toBe('initialize')
  })

  test('a turn names its session and has the text of the answer', () => {
    const played = play(recordingOf(folder, 'turn'))
    const [session] = played.events
    expect(session).toMatchObject({ type: 'session' })
    const results = played.events.filter(event => event.type === 'result')
    expect(results).toMatchObject([
      { ok: true, subtype: 'end_turn' },
      { ok: true, subtype: 'end_turn' },
    ])
    expect(results[0]?.type === 'result' && results[0].text).toContain('I will remember it.')
    expect(textOf(played)).toContain('I will remember it.')
    expect(played.events.filter(event => event.type === 'unknown')).toEqual([])
  })

  test('a loaded session repeats nothing of what was said before', () => {
    const played = play(recordingOf(folder, 'load'))
    if (resultOf(played)?.subtype === 'load-refused') return
    expect(textOf(played)).not.toContain('I will remember it.')
    expect(resultOf(played)).toMatchObject({ ok: true })
  })

  test('a session that lacks the latest prompt is lost, also when the agent says that it was loaded', () => {
    const played = play(recordingOf(folder, 'load'), {
      knownEnds: [{ lastPrompt: 'It never heard this.', send: 'Go on.' }],
    })
    expect(['session-lost', 'load-refused']).toContain(resultOf(played)?.subtype)
    expect(played.write.join('')).not.toContain('session/prompt')
    expect(played.closed).toBe(true)
  })

  test('an unknown session is refused', () => {
    const played = play(recordingOf(folder, 'unknown-session'))
    expect(resultOf(played)).toMatchObject({ ok: false })
    expect(['session-lost', 'load-refused']).toContain(resultOf(played)?.subtype)
    expect(played.write.join('')).not.toContain('session/prompt')
  })

  test('a call of a tool is reported once, with its command and its result', () => {
    const played = play(recordingOf(folder, 'tool'))
    const calls = played.events.filter(event => event.type === 'tool')
    expect(calls).toMatchObject([{ name: 'execute' }])
    expect(calls[0]?.type === 'tool' && calls[0].input).toContain('echo hi')
    const results = played.events.filter(event => event.type === 'tool-result')
    expect(results).toMatchObject([{ isError: false, denied: false }])
    expect(resultOf(played)).toMatchObject({ ok: true, text: expect.any(String) })
  })

  test('a call that was not allowed has not run', () => {
    const played = play(recordingOf(folder, 'tool-refused'))
    const asked = played.events.filter(event => event.type === 'question')
    const results = played.events.filter(event => event.type === 'tool-result')
    if (asked.length > 0) expect(results).toMatchObject([{ isError: true, denied: true }])
  })

  test.each(['error-401', 'error-429', 'error-500'])(
    '%s is a failure, whatever the agent calls it',
    name => {
      const result = resultOf(play(recordingOf(folder, name)))
      expect(result).toMatchObject({ ok: false })
      // An error that the program says as a message is not an answer of the model.
      expect(textOf(play(recordingOf(folder, name)))).toBe('')
    },
  )

  test('a cancelled prompt has not succeeded', () => {
    expect(resultOf(play(recordingOf(folder, 'cancel')))?.ok).not.toBe(true)
  })

  test('a process of one turn gets no more input after the answer', () => {
    const said = recordingOf(folder, 'turn')
    const first = said.findIndex(
      ({ agent, client }) =>
        (agent?.result as { stopReason?: string })?.stopReason !== undefined && !client,
    )
    expect(play(said.slice(0, first + 1), { stays: false }).closed).toBe(true)
    expect(play(said.slice(0, first + 1)).closed).toBe(false)
  })
})

describe('over ACP', () => {
  const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
  const greeting = line({ id: 1, result: { protocolVersion: 1, agentCapabilities: {} } })
  const options = [
    {
      id: 'm',
      category: 'model',
      currentValue: 'small',
      options: [{ value: 'small' }, { value: 'big' }],
    },
    { id: 'o', category: 'mode', currentValue: 'ask', options: [{ options: [{ value: 'plan' }] }] },
  ]
  const opened = line({ id: 2, result: { sessionId: 's', configOptions: options } })
  const begun = (change: Partial<AcpTurn>) => {
    const dialogue = acpDialogue({ ...TURN, prompt: 'Go.', ...change })
    dialogue.begin()
    dialogue.read(greeting)
    return { dialogue, opened: dialogue.read(opened) }
  }
  const permission = line({
    id: 'p',
    method: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'c', kind: 'execute', rawInput: { command: 'ls' } },
      options: [
        { optionId: 'yes', kind: 'allow_once' },
        { optionId: 'no', kind: 'reject_once' },
      ],
    },
  })

  test('a model and a mode are set before the prompt, one after the other', () => {
    const { dialogue, opened: first } = begun({ model: 'big', mode: 'plan' })
    expect(first.events).toMatchObject([{ type: 'session', model: 'big', permissionMode: 'plan' }])
    expect(first.write.join('')).toContain('"configId":"m","value":"big"')
    expect(dialogue.read(line({ id: 3, result: {} })).write.join('')).toContain('"value":"plan"')
    expect(dialogue.read(line({ id: 4, result: {} })).write.join('')).toContain('session/prompt')
  })

  test('a model that the agent does not offer fails before the prompt', () => {
    const { opened: first } = begun({ model: 'huge' })
    expect(first).toMatchObject({
      close: true,
      // The session itself is in order.
      events: [{ type: 'session' }, { ok: false, subtype: 'setting-refused' }],
    })
    expect(first.write).toEqual([])
  })

  test('A-2 what pi-acp says about itself when it opens a session is no answer, and no success', () => {
    const note = 'pi v0.87.1\n---\n\n## Skills\n- /home/me/401.md\n'
    const dialogue = acpDialogue({ ...TURN, prompt: 'Go.' })
    const about = { agentInfo: { name: 'pi-acp', version: '0.0.34' } }
    dialogue.begin()
    dialogue.read(line({ id: 1, result: { protocolVersion: 1, ...about } }))
    const _meta = { piAcp: { startupInfo: note } }
    dialogue.read(line({ id: 2, result: { sessionId: 's', _meta } }))
    const said = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: note } }
    const params = { sessionId: 's', update: said }
    expect(dialogue.read(line({ method: 'session/update', params })).events).toEqual([
      { type: 'notice', code: 'agent-warning', text: note.trim() },
    ])
    // The model could not be reached, which pi-acp does not say.
    const { events } = dialogue.read(line({ id: 3, result: { stopReason: 'end_turn' } }))
    expect(events).toMatchObject([{ ok: false, text: null, apiErrorStatus: null }])
  })

  test('permissions are refused, ruled on or asked for, as the turn says', () => {
    const refused = begun({ permissions: 'refuse' }).dialogue.read(permission)
    expect(refused.write.join('')).toContain('"optionId":"no"')
    const { dialogue } = begun({ permissions: 'ask-us' })
    expect(dialogue.read(permission).events).toMatchObject([
      { type: 'tool', name: 'execute', input: '{"command":"ls"}' },
      { type: 'call-asked', requestId: 'p', id: 'c', name: 'execute' },
    ])
    expect(dialogue.rule('p', { kind: 'pass' }).write.join('')).toContain('"optionId":"yes"')
    expect(dialogue.rule('p', { kind: 'pass' }).write).toEqual([])
  })

  test('a call that was refused and never mentioned again has not run', () => {
    const { dialogue } = begun({ permissions: 'refuse' })
    dialogue.read(permission)
    const { events } = dialogue.read(line({ id: 3, result: { stopReason: 'end_turn' } }))
    expect(events[0]).toEqual({
      type: 'tool-result',
      id: 'c',
      isError: true,
      denied: true,
      text: '',
    })
  })

  test.each([
    ['dollars', { amount: 0.25, currency: 'USD' }, 0.25],
    ['another currency', { amount: 0.25, currency: 'EUR' }, null],
    ['zero, for a model without a price', { amount: 0, currency: 'USD' }, null],
  ])('M-1 a cost that the agent does not know is not zero: %s', (_, cost, expected) => {
    const { dialogue } = begun({})
    const update = { sessionUpdate: 'usage_update', used: 5, size: 10, cost }
    dialogue.read(line({ method: 'session/update', params: { sessionId: 's', update } }))
    const { events } = dialogue.read(line({ id: 3, result: { stopReason: 'end_turn' } }))
    expect(events.at(-1)).toMatchObject({
      totalCostUsd: expected,
      context: { tokens: 5, window: 10 },
    })
  })

  test.each([-100, 1e300, 2.5, '7', null])(
    'M-1 %j tokens are no number of tokens, and count as not said',
    strange => {
      const { dialogue } = begun({})
      const usage = { inputTokens: strange, cachedReadTokens: strange, outputTokens: 7 }
      const { events } = dialogue.read(line({ id: 3, result: { stopReason: 'end_turn', usage } }))
      expect(events.at(-1)).toMatchObject({
        usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7 },
      })
    },
  )

  test('U-3 an agent prepares the turn until it has its prompt, and works from then on', () => {
    const dialogue = acpDialogue(TURN)
    expect(dialogue.begin()).toMatchObject({ stage: 'prepares' })
    expect(dialogue.read(greeting)).toMatchObject({ stage: 'prepares' })
    const opened = dialogue.read(line({ id: 2, result: { sessionId: 's' } }))
    expect(opened).toMatchObject({ stage: 'works', write: [expect.stringContaining('prompt')] })
  })

  test('M-1 of a turn with calls opencode reports its last request alone, which is not taken for the whole turn', () => {
    const usageOf = (name: string) =>
      resultOf(play(recordingOf(join('opencode', '1.18.33'), name)))?.usage.outputTokens
    expect([usageOf('turn'), usageOf('tool')]).toEqual([expect.any(Number), 0])
    expect(usageOf('turn')).toBeGreaterThan(0)
  })

  test('lines that are no messages, and answers that nobody waits for, change nothing', () => {
    const { dialogue } = begun({})
    expect(dialogue.read('Loading…')).toMatchObject({ events: [{ type: 'unknown' }], write: [] })
    for (const strange of [
      '',
      '[]',
      '{}',
      line({ id: 99, result: {} }),
      line({ id: 'x', error: {} }),
    ])
      expect(dialogue.read(strange).write).toEqual([])
    const asked = dialogue.read(line({ id: 7, method: 'fs/read_text_file', params: {} }))
    expect(asked.write.join('')).toContain('-32601')
  })

  test('an agent of another version of the protocol, or one that cannot load, is refused', () => {
    const newer = acpDialogue(TURN)
    newer.begin()
    const answer = newer.read(line({ id: 1, result: { protocolVersion: 2 } }))
    expect(answer).toMatchObject({ close: true, events: [{ subtype: 'protocol-unknown' }] })
    const continuation = { kind: 'resume', sessionId: 's' } as const
    const old = acpDialogue({ ...TURN, continuation })
    old.begin()
    expect(old.read(greeting).events).toMatchObject([{ subtype: 'load-refused' }])
  })
})
