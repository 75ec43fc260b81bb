// Scenarios of the embeddable provider: a prompt in, messages out, a session that goes on by its id and the caller's history.
import { describe, expect, test } from 'vitest'
import {
  ConversationHistory,
  type ExecuteOptions,
  executeQuery,
  type LocalReprise,
  type ProviderMessage,
  type ResultMessage,
} from '../../src/index.ts'
import { append, say } from './acts.ts'
import { expectInOrder, focused } from './continuing.ts'
import type { Harness } from './harness.ts'
import type { Kind } from './program.ts'
import { useHarness } from './threads.ts'

export function providerScenarios(kind: Kind): void {
  describe(`the provider on ${kind}`, () => {
    const world = useHarness(kind)
    const local = () => world().reprise as LocalReprise

    const query = async (options: Partial<ExecuteOptions> & { prompt: string }) => {
      const messages: ProviderMessage[] = []
      const asked = { cwd: world().workDir, ...options }
      for await (const message of executeQuery(local(), asked)) messages.push(message)
      const result = messages.findLast(
        (message): message is ResultMessage => message.type === 'result',
      )
      if (!result) throw new Error('a query ends with a result')
      return { messages, result }
    }
    const told = async ({ result }: { result: ResultMessage }) => {
      const [run] = await world().reprise.runs.list({ sessionId: result.session_id ?? '' })
      return world().saw({ run: { id: run?.id ?? '' } })
    }

    test('L-4 a query without a session id begins one; with id and history it goes on in it', async () => {
      const history = new ConversationHistory()
      const first = await query({ prompt: 'the number is 7' })
      expect(first.result).toMatchObject({
        subtype: 'success',
        is_error: false,
        result: { text: 'echo: the number is 7', stop_reason: 'end_turn', session_resumed: false },
      })
      expect(first.messages[0]).toMatchObject({ type: 'system', subtype: 'init' })
      remember(history, 'the number is 7', first.messages)
      const second = await query({
        prompt: 'which number?',
        sdkSessionId: first.result.session_id ?? '',
        conversationHistory: history.getMessages(),
      })
      expect(second.result.session_id).toBe(first.result.session_id)
      expect(second.result.result.session_resumed).toBe(true)
      expect(await told(second)).toEqual([
        'the number is 7',
        'echo: the number is 7',
        focused('which number?'),
      ])
    })

    test('L-4 an id without a history is not resumed; a history without an id is told', async () => {
      const first = await query({ prompt: 'one' })
      const alone = await query({ prompt: 'two', sdkSessionId: first.result.session_id ?? '' })
      expect(alone.result.session_id).not.toBe(first.result.session_id)
      expect(await told(alone)).toEqual(['two'])
      const history = new ConversationHistory()
      remember(history, 'one', first.messages)
      const carried = await query({ prompt: 'three', conversationHistory: history.getMessages() })
      expect(carried.result.result.session_resumed).toBe(false)
      expectInOrder((await told(carried)).join('\n'), ['one', 'echo: one', 'three'])
    })

    test('L-4 a session that holds something else than the history is left alone: the history is told', async () => {
      const first = await query({ prompt: 'the number is 7' })
      const edited = new ConversationHistory()
      edited.addUserMessage('the number is 8')
      edited.addAssistantMessage([{ type: 'text', text: 'echo: the number is 8' }])
      const second = await query({
        prompt: 'which number?',
        sdkSessionId: first.result.session_id ?? '',
        conversationHistory: edited.getMessages(),
      })
      expect(second.result.session_id).not.toBe(first.result.session_id)
      expect(second.result.result.session_resumed).toBe(false)
      const saw = (await told(second)).join('\n')
      expectInOrder(saw, ['the number is 8', 'echo: the number is 8', 'which number?'])
      expect(saw).not.toContain('the number is 7')
    })

    test('L-4 a session that we have never seen is resumed if its file is there', async () => {
      const first = await query({ prompt: 'the number is 7' })
      const history = new ConversationHistory()
      remember(history, 'the number is 7', first.messages)
      const sessionId = first.result.session_id ?? ''
      await forget(world(), sessionId)
      const second = await query({
        prompt: 'which number?',
        sdkSessionId: sessionId,
        conversationHistory: history.getMessages(),
      })
      expect(second.result).toMatchObject({
        session_id: sessionId,
        result: { session_resumed: true },
      })
      expect((await told(second)).at(-1)).toBe(focused('which number?'))
    })

    test('L-4 F-5 a session that is not there: the query goes on with the history, in the same generator', async () => {
      const history = new ConversationHistory()
      history.addUserMessage('the number is 7')
      history.addAssistantMessage([{ type: 'text', text: 'noted' }])
      const answer = await query({
        prompt: 'which number?',
        sdkSessionId: '00000000-0000-4000-8000-00000000dead',
        conversationHistory: history.getMessages(),
      })
      expect(answer.result).toMatchObject({ is_error: false, result: { session_resumed: false } })
      expectInOrder((await told(answer)).join('\n'), ['the number is 7', 'noted', 'which number?'])
    })

    test('L-4 F-2 a session refused while it is asked: told, and answered with the history', async () => {
      const first = await query({ prompt: 'the number is 7' })
      const history = new ConversationHistory()
      remember(history, 'the number is 7', first.messages)
      const file = world().sessionFile(first.result.session_id ?? '')
      world().programs.beforeNextStart(`mv '${file}' '${file}.lost'`)
      const second = await query({
        prompt: 'which number?',
        sdkSessionId: first.result.session_id ?? '',
        conversationHistory: history.getMessages(),
      })
      expect(second.messages).toContainEqual(
        expect.objectContaining({ type: 'system', subtype: 'fallback' }),
      )
      expect(second.result).toMatchObject({ is_error: false })
      expect(second.result.result.text).toBe('echo: which number?')
    })

    test('L-4 tool calls and their results are messages; the history holds both', async () => {
      const file = world().path('from-the-provider')
      world().model.plan([append(file, 'done'), say('appended')])
      const { messages, result } = await query({ prompt: 'append it', allowedTools: ['Bash'] })
      const blocks = messages.flatMap(message =>
        message.type === 'assistant' || message.type === 'user' ? message.message.content : [],
      )
      expect(blocks.map(block => block.type)).toEqual(['tool_use', 'tool_result', 'text'])
      expect(result.result.usage.output_tokens).toBeGreaterThan(0)
    })
  })
}

/** As an embedding program would keep it. */
function remember(
  history: ConversationHistory,
  prompt: string,
  messages: readonly ProviderMessage[],
): void {
  history.addUserMessage(prompt)
  for (const message of messages) {
    if (message.type === 'assistant') history.addAssistantMessage(message.message.content)
  }
}

/** Our thread goes, and with it all we know; the agent's own file stays. */
async function forget(world: Harness, sessionId: string): Promise<void> {
  const [run] = await world.reprise.runs.list({ sessionId })
  const thread = await world.reprise.threads.get(run?.threadId ?? '')
  await thread.remove()
}
