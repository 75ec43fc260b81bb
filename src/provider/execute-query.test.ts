// Several queries on one session: which one waits, where each one continues, and that no result is lost.
import { afterEach, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code.ts'
import type { LocalReprise, Thread } from '../api.ts'
import { RepriseError } from '../errors.ts'
import { createReprise } from '../reprise.ts'
import { sqlite } from '../store/sqlite/sqlite.ts'
import type { FakeScript } from '../testing/fake-agent/script.ts'
import { createFakeRunner } from '../testing/fake-runner.ts'
import { smallWorld } from '../testing/in-process-agent.ts'
import { ConversationHistory } from './conversation-history.ts'
import type { ExecuteOptions, QueryHost } from './execute-options.ts'
import { executeQuery } from './execute-query.ts'
import type { ProviderMessage } from './provider-message.ts'
import { CONTINUE_PROMPT } from './unfinished.ts'

let reprise: LocalReprise
afterEach(() => reprise.close())

async function open(script: FakeScript = []) {
  const files = await smallWorld()
  const runner = createFakeRunner({ files, script, hangs: 'until-stopped' })
  const keepText = async (text: string) => {
    await files.write('/kept', text)
    return '/kept'
  }
  reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: '/bin/agent', env: { CLAUDE_CONFIG_DIR: '/config' } })],
    environment: {},
    maxRunning: 1,
    dependencies: { files, runner, keepText },
  })
  return { prompts: () => runner.journal.map(entry => entry.prompt.split('\n').at(-1)) }
}

const ask = (options: Partial<ExecuteOptions> & { prompt: string }, host: QueryHost = reprise) =>
  executeQuery(host, { cwd: '/project', ...options })

/** What a caller knows of a session after its first answer. */
async function known(prompt: string) {
  const history = new ConversationHistory()
  history.addUserMessage(prompt)
  const messages = await Array.fromAsync(ask({ prompt }))
  for (const said of messages) {
    if (said.type === 'assistant') history.addAssistantMessage(said.message.content)
  }
  const sdkSessionId = results(messages)[0]?.session_id ?? ''
  return { sdkSessionId, conversationHistory: history.getMessages() }
}

const results = (messages: readonly ProviderMessage[]) =>
  messages.flatMap(message => (message.type === 'result' ? [message] : []))

test('V-4 L-4 of two queries on one session that wait for a slot, the second continues from the history it knows', async () => {
  await open([{ when: 'hang', do: [{ type: 'hang' }] }])
  const before = await known('the number is 7')
  const going = (await reprise.threads.create({ workDir: '/project' })).send('hang')
  for await (const event of going) if (event.type === 'started') break
  const queries = ['first', 'second'].map(prompt => Array.fromAsync(ask({ prompt, ...before })))
  await expect.poll(async () => (await reprise.runs.list({ status: 'queued' })).length).toBe(1)
  await going.cancel()
  for (const messages of await Promise.all(queries)) {
    expect(results(messages)).toMatchObject([{ is_error: false }])
  }
  const [last] = await reprise.runs.list({ limit: 1 })
  const { messages } = await (await reprise.threads.get(last?.threadId ?? '')).show()
  const [asked] = messages.slice(-2).map(message => message.text)
  const expected = ['the number is 7', 'echo: the number is 7', asked, `echo: ${asked}`]
  expect(messages.map(message => message.text)).toEqual(expected)
})

test('L-4 a query that continues by itself takes its thread before its result is read: another query waits', async () => {
  const { prompts } = await open([{ when: 'much', do: [{ type: 'maxTurns' }] }])
  const before = await known('the number is 7')
  const messages: ProviderMessage[] = []
  let other: Promise<ProviderMessage[]> | null = null
  for await (const message of ask({ prompt: 'much', ...before })) {
    messages.push(message)
    if (message.type !== 'result' || other !== null) continue
    other = Array.fromAsync(ask({ prompt: 'between', ...before }))
    // Another query would be stored by now, if it could.
    for (let looks = 0; looks < 20; looks += 1) await reprise.runs.list({ limit: 1 })
  }
  expect(results(messages).map(({ is_error }) => is_error)).toEqual([true, false])
  expect(results((await other) ?? [])).toMatchObject([{ is_error: false }])
  expect(prompts()).toEqual(['the number is 7', 'much', CONTINUE_PROMPT, 'between'])
})

test.each(['busy', 'conflict', 'not-found'] as const)(
  'L-4 a query that cannot go on because another took the thread (%s) ends with the result that it has',
  async code => {
    await open([{ when: 'much', do: [{ type: 'maxTurns' }] }])
    const messages = await Array.fromAsync(ask({ prompt: 'much' }, refusingToGoOn(code)))
    expect(results(messages)).toMatchObject([{ result: { error: { class: 'max-turns' } } }])
    expect(messages.at(-1)?.type).toBe('result')
  },
)

test('L-4 when the caller stops reading at a result, the continuation is cancelled', async () => {
  await open([
    { when: 'much', do: [{ type: 'maxTurns' }] },
    { when: CONTINUE_PROMPT, do: [{ type: 'hang' }] },
  ])
  for await (const message of ask({ prompt: 'much' })) if (message.type === 'result') break
  const statuses = (await reprise.runs.list({ limit: 10 })).map(run => run.status)
  expect(statuses).toEqual(['cancelled', 'failed'])
})

/** As if somebody else had taken the thread just before. */
function refusingToGoOn(code: 'busy' | 'conflict' | 'not-found'): QueryHost {
  const refusing = (thread: Thread): Thread => ({
    ...thread,
    send: (prompt, options) => {
      if (prompt !== CONTINUE_PROMPT) return thread.send(prompt, options)
      const refused = Promise.reject(new RepriseError(code, 'taken', 'wait'))
      refused.catch(() => {})
      return {
        submitted: refused,
        result: refused,
        cancel: async () => {},
        // biome-ignore lint/correctness/useYield: it is refused before anything happens
        async *[Symbol.asyncIterator]() {
          await refused
        },
      }
    },
  })
  return {
    ...reprise,
    threads: {
      ...reprise.threads,
      create: async options => refusing(await reprise.threads.create(options)),
    },
  }
}
