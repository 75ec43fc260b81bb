// Scenarios of the embeddable provider: a prompt in, messages out, a session that goes on by its id and the caller's history.
import { describe, expect, test } from 'vitest'
import type { HistoryMessage } from '../../../src/index.ts'
import { append, fail, say } from '../harness/acts.ts'
import type { Kind } from '../harness/program.ts'
import { focused } from '../threads/continuing.ts'
import { historyScenarios } from './provider-history.ts'
import { protectionScenarios, waitingScenarios } from './provider-protections.ts'
import {
  fallbacks,
  forget,
  type ProviderWorld,
  remember,
  useProvider,
  type Way,
} from './provider-world.ts'

const WAYS: Record<Way, string> = {
  cli: '',
  sdk: ' through the Agent SDK',
  daemon: ' through a daemon (connectReprise)',
}

export function providerScenarios(kind: Kind, way: Way = 'cli'): void {
  describe(`the provider on ${kind}${WAYS[way]}`, () => {
    const world = useProvider(kind, way)
    sessionScenarios(world)
    protectionScenarios(world)
    decisionScenarios(world)
  })
}

/** What to do with a session and a history, and whose turn it is: no agent has a part in that. */
export function decidedProviderScenarios(kind: Kind): void {
  describe(`decisions of the provider on ${kind}`, () =>
    decisionScenarios(useProvider(kind, 'cli')))
}

function decisionScenarios(world: () => ProviderWorld): void {
  historyScenarios(world)
  waitingScenarios(world)
}

/** The scenarios whose outcome depends on the version of the agent and on the way to it. */
export function agentProviderScenarios(kind: Kind, way: Way = 'cli'): void {
  describe(`the provider on ${kind}${WAYS[way]}`, () => {
    const world = useProvider(kind, way)
    sessionScenarios(world)
    protectionScenarios(world)
  })
}

/** The agent's own program has a part in each of these: what it saves, goes on with, refuses and reports. */
function sessionScenarios(world: () => ProviderWorld): void {
  test('L-4 a query without a session id begins one; with id and history it goes on in it', async () => {
    const { first, known } = await world().begun('the number is 7')
    expect(first.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: { text: 'echo: the number is 7', stop_reason: 'end_turn', session_resumed: false },
    })
    expect(first.messages[0]).toMatchObject({ type: 'system', subtype: 'init' })
    const second = await world().query({ prompt: 'which number?', ...known })
    expect(second.result.session_id).toBe(first.result.session_id)
    expect(second.result.result.session_resumed).toBe(true)
    expect(fallbacks(second.messages)).toEqual([])
    expect(await world().modelSaw(second)).toEqual([
      'the number is 7',
      'echo: the number is 7',
      focused('which number?'),
    ])
  })

  test('L-4 a session that we have never seen and that holds more than the history is continued from the shared point', async () => {
    const { known } = await world().begun('the number is 7')
    await world().query({ prompt: 'what nobody knows of', ...known })
    await forget(world().harness, known.sdkSessionId)
    const third = await world().query({ prompt: 'which number?', ...known })
    expect(fallbacks(third.messages)).toEqual([])
    expect(third.result.result.session_resumed).toBe(true)
    expect(await world().modelSaw(third)).toEqual([
      'the number is 7',
      'echo: the number is 7',
      focused('which number?'),
    ])
  })

  test('L-4 F-2 a session that is refused when it is asked gives one notice, and the answer comes from the history', async () => {
    const { known } = await world().begun('the number is 7')
    const file = world().harness.sessionFile(known.sdkSessionId)
    world().harness.programs.beforeNextStart(`mv '${file}' '${file}.lost'`)
    const second = await world().query({ prompt: 'which number?', ...known })
    expect(fallbacks(second.messages)).toHaveLength(1)
    expect(second.result).toMatchObject({ is_error: false })
    expect(second.result.result.text).toBe('echo: which number?')
  })

  test('L-4 an ordinary retry after a failed turn (same id, same history) goes on from the shared point instead of replaying', async () => {
    const { history, known } = await world().begun('the number is 7')
    world().harness.model.plan([fail(500)])
    const failed = await world().query({ prompt: 'which number?', ...known })
    expect(failed.result).toMatchObject({ is_error: true })
    const again = await world().query({ prompt: 'which number?', ...known })
    expect(fallbacks(again.messages)).toEqual([])
    expect(again.result).toMatchObject({ is_error: false, result: { session_resumed: true } })
    expect(await world().modelSaw(again)).toEqual([
      'the number is 7',
      'echo: the number is 7',
      focused('which number?'),
    ])
    remember(history, 'which number?', again.messages)
    const next = await world().query({
      prompt: 'and now?',
      sdkSessionId: again.result.session_id ?? '',
      conversationHistory: history.getMessages(),
    })
    expect(next.result).toMatchObject({
      session_id: again.result.session_id,
      result: { session_resumed: true },
    })
  })

  test('L-4 tool calls and their results are messages; a history that keeps both as they came is resumed', async () => {
    const file = world().harness.path('from-the-provider')
    world().harness.model.plan([append(file, 'done'), say('appended')])
    const { messages, result } = await world().query({
      prompt: 'append it',
      allowedTools: ['Bash'],
    })
    const said = messages.flatMap((message): readonly HistoryMessage[] =>
      message.type === 'assistant' || message.type === 'user' ? [message.message] : [],
    )
    const blocks = said.flatMap(({ content }) => content.map(block => block.type))
    expect(blocks).toEqual(['tool_use', 'tool_result', 'text'])
    expect(result.result.usage.output_tokens).toBeGreaterThan(0)
    const asked: HistoryMessage = { role: 'user', content: [{ type: 'text', text: 'append it' }] }
    const next = await world().query({
      prompt: 'and now?',
      sdkSessionId: result.session_id ?? '',
      conversationHistory: [asked, ...said],
    })
    expect(next.result).toMatchObject({
      session_id: result.session_id,
      result: { session_resumed: true },
    })
  })
}
