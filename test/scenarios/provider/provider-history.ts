// Scenarios of the history that a query hands over, beside what its session holds.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConversationHistory, type HistoryMessage, type Run } from '../../../src/index.ts'
import { call, say } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import { expectInOrder, focused } from '../threads/continuing.ts'
import { fallbacks, forget, type ProviderWorld, remember } from './provider-world.ts'

/** Each is decided before the agent starts. What it gets then is a new session or a resume, as everywhere. */
export function historyScenarios(world: () => ProviderWorld): void {
  test('L-4 an id without a history is not resumed; a history without an id goes into the prompt', async () => {
    const { first, known } = await world().begun('one')
    const { sdkSessionId, conversationHistory } = known
    const alone = await world().query({ prompt: 'two', sdkSessionId })
    expect(alone.result.session_id).not.toBe(first.result.session_id)
    expect(await world().modelSaw(alone)).toEqual(['two'])
    const carried = await world().query({ prompt: 'three', conversationHistory })
    expect(carried.result.result.session_resumed).toBe(false)
    expect(fallbacks([...alone.messages, ...carried.messages])).toEqual([])
    expectInOrder((await world().modelSaw(carried)).join('\n'), ['one', 'echo: one', 'three'])
  })

  test('L-4 F-5 a session that holds something else than the history is left alone: the history goes into the prompt, with a `fallback` message before the agent starts', async () => {
    const { first, known } = await world().begun('the number is 7')
    const edited = new ConversationHistory()
    edited.addUserMessage('the number is 8')
    edited.addAssistantMessage([{ type: 'text', text: 'echo: the number is 8' }])
    const second = await world().query({
      prompt: 'which number?',
      sdkSessionId: known.sdkSessionId,
      conversationHistory: edited.getMessages(),
    })
    expect(second.result.session_id).not.toBe(first.result.session_id)
    expect(second.result.result.session_resumed).toBe(false)
    expect(second.messages[0]).toMatchObject({ type: 'system', subtype: 'fallback' })
    expect(fallbacks(second.messages)).toEqual([
      expect.stringContaining(`${known.sdkSessionId} is not continued: it holds something else`),
    ])
    const saw = (await world().modelSaw(second)).join('\n')
    expectInOrder(saw, ['the number is 8', 'echo: the number is 8', 'which number?'])
    expect(saw).not.toContain('the number is 7')
  })

  test('L-4 a session that we have never seen is resumed if its file is there', async () => {
    const { known } = await world().begun('the number is 7')
    await forget(world().harness, known.sdkSessionId)
    const second = await world().query({ prompt: 'which number?', ...known })
    expect(second.result).toMatchObject({
      session_id: known.sdkSessionId,
      result: { session_resumed: true },
    })
    expect((await world().modelSaw(second)).at(-1)).toBe(focused('which number?'))
  })

  test('L-4 a session that we have never seen and that holds something else than the history is left alone', async () => {
    const { history, known } = await world().begun('the number is 7')
    await forget(world().harness, known.sdkSessionId)
    const [asked] = history.getMessages()
    const other: HistoryMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: 'I did not hear you.' }],
    }
    const second = await world().query({
      prompt: 'which number?',
      sdkSessionId: known.sdkSessionId,
      conversationHistory: asked ? [asked, other] : [],
    })
    expect(fallbacks(second.messages)).toHaveLength(1)
    expect(second.result.session_id).not.toBe(known.sdkSessionId)
    expect((await world().modelSaw(second)).join('\n')).toContain('I did not hear you.')
  })

  test('L-4 a session that got the history as a transcript, and that we have never seen, is resumed', async () => {
    const { history, known } = await world().begun('the number is 7')
    const { conversationHistory } = known
    const carried = await world().query({ prompt: 'which number?', conversationHistory })
    remember(history, 'which number?', carried.messages)
    const sdkSessionId = carried.result.session_id ?? ''
    await forget(world().harness, sdkSessionId)
    const next = await world().query({
      prompt: 'and now?',
      sdkSessionId,
      conversationHistory: history.getMessages(),
    })
    expect(next.result).toMatchObject({
      session_id: sdkSessionId,
      result: { session_resumed: true },
    })
  })

  test('L-4 F-5 a session that is not there: a `fallback` message, and the query goes on with the history in the same generator', async () => {
    const history = new ConversationHistory()
    history.addUserMessage('the number is 7')
    history.addAssistantMessage([{ type: 'text', text: 'noted' }])
    const sdkSessionId = '00000000-0000-4000-8000-00000000dead'
    const answer = await world().query({
      prompt: 'which number?',
      sdkSessionId,
      conversationHistory: history.getMessages(),
    })
    expect(fallbacks(answer.messages)).toEqual([expect.stringContaining(sdkSessionId)])
    expect(answer.messages[0]).toMatchObject({ type: 'system', subtype: 'fallback' })
    expect(answer.result).toMatchObject({ is_error: false, result: { session_resumed: false } })
    const saw = (await world().modelSaw(answer)).join('\n')
    expectInOrder(saw, ['the number is 7', 'noted', 'which number?'])
  })

  test('L-4 F-5 the results of tools are in a replay, in whichever message of the history they stand', async () => {
    const text = (words: string) => ({ type: 'text' as const, text: words })
    const uses = (id: string, command: string) => ({
      type: 'tool_use' as const,
      tool_use: { id, name: 'Bash', input: JSON.stringify({ command }) },
    })
    const gave = (tool_use_id: string, content: string) => ({
      type: 'tool_result' as const,
      tool_result: { tool_use_id, content, is_error: false },
    })
    const answer = await world().query({
      prompt: 'which number?',
      conversationHistory: [
        { role: 'user', content: [text('look it up')] },
        { role: 'assistant', content: [uses('t1', 'cat one')] },
        { role: 'user', content: [gave('t1', 'the number is 7')] },
        { role: 'assistant', content: [uses('t2', 'cat two'), gave('t2', 'the number is 8')] },
        { role: 'assistant', content: [text('one of them')] },
      ],
    })
    const saw = await world().modelSaw(answer)
    const known = ['look it up', 'cat one', 'the number is 7', 'cat two', 'the number is 8']
    for (const words of [...known, 'one of them', 'which number?']) {
      expect(saw.join('\n')).toContain(words)
    }
    // A session that was written has each of them as a message of its own.
    expect(saw).toHaveLength(7)
    expect(saw.at(-1)).toBe('which number?')
  })

  test('L-2 L-4 the messages of an archive are a history: its `tool_result` has `tool_use_id`, and a replay has the result', async () => {
    const { harness } = world()
    const note = harness.path('from-the-archive')
    writeFileSync(note, 'the number is 7')
    harness.model.plan([call('Read', { file_path: note }, 'the number is 7'), say('read')])
    const first = await world().query({ prompt: 'read it', allowedTools: ['Read'] })
    const conversationHistory = await archivedMessages(harness, await world().runOf(first))
    const blocks = conversationHistory.flatMap(({ content }) => content)
    expect(blocks).toContainEqual({
      type: 'tool_result',
      tool_result: {
        tool_use_id: expect.stringMatching(/./),
        content: expect.stringContaining('the number is 7'),
        is_error: false,
      },
    })
    const texts = await world().modelSaw(
      await world().query({ prompt: 'which number?', conversationHistory }),
    )
    expect(texts.join('\n')).toContain('the number is 7')
  })
}

/** The messages of the archive that the run's session was put into. */
async function archivedMessages(
  { reprise }: Harness,
  { threadId, sessionId }: Run,
): Promise<readonly HistoryMessage[]> {
  const sessions = await reprise.sessions.list({ threadId: threadId ?? '' })
  const session = sessions.find(found => found.sessionId === sessionId)
  const { path } = await reprise.sessions.archive(session?.id ?? '')
  return JSON.parse(readFileSync(join(path, 'session.json'), 'utf8')).messages
}
