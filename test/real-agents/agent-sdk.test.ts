// L-4, L-5 over the real Agent SDK and its own binary, against the fake model API.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  type AgentSdk,
  ConversationHistory,
  type ExecuteOptions,
  executeQueryWithSdk,
  type ProviderMessage,
} from '../../src/index.ts'
import {
  lastTextOf,
  type ModelApi,
  type ModelRequest,
  realAgentEnv,
  startModelApi,
  textReply,
  textsOf,
  toolReply,
} from '../../src/testing/index.ts'

/** In a variable: its types are there only where the real agents are installed. */
const PACKAGE = '@anthropic-ai/claude-agent-sdk'

let root: string
let api: ModelApi
let sdk: AgentSdk
let mostTurns = Number.POSITIVE_INFINITY

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-sdk-')))
  mkdirSync(join(root, 'project'))
  api = await startModelApi()
  const env = realAgentEnv({ api, home: join(root, 'home') })
  // The SDK itself looks for sessions where this process would have them.
  vi.stubEnv('CLAUDE_CONFIG_DIR', env.CLAUDE_CONFIG_DIR)
  const real = (await import(PACKAGE)) as AgentSdk
  sdk = {
    ...real,
    // What an embedding program says besides: its environment, and how long one run may be.
    query: ({ prompt, options }) => {
      const maxTurns = Math.min(mostTurns, Number(options.maxTurns))
      return real.query({ prompt, options: { ...options, env, maxTurns } })
    },
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await api.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

const echo = (request: ModelRequest) => textReply(`echo: ${lastTextOf(request)}`)

async function query(options: Partial<ExecuteOptions> & { readonly prompt: string }) {
  const messages: ProviderMessage[] = []
  const asked = { cwd: join(root, 'project'), ...options }
  const before = api.turns.length
  for await (const message of executeQueryWithSdk(sdk, asked)) messages.push(message)
  const results = messages.filter(message => message.type === 'result')
  const last = results.at(-1)
  if (!last) throw new Error('a query ends with a result')
  return { messages, results, last, requests: api.turns.slice(before) }
}

async function begun(prompt: string) {
  const first = await query({ prompt })
  const history = new ConversationHistory()
  history.addUserMessage(prompt)
  for (const message of first.messages) {
    if (message.type === 'assistant') history.addAssistantMessage(message.message.content)
  }
  return { first, sdkSessionId: first.last.session_id ?? '', history }
}

const toldIn = ({ requests }: { requests: readonly ModelRequest[] }) =>
  textsOf(requests.at(-1) as ModelRequest)

test('L-4 a query begins a session; with its id and its history it goes on in it', async () => {
  api.respond(echo)
  const { first, sdkSessionId, history } = await begun('the number is 7')
  expect(first.last).toMatchObject({
    is_error: false,
    result: { text: 'echo: the number is 7', session_resumed: false },
  })
  const second = await query({
    prompt: 'which number?',
    sdkSessionId,
    conversationHistory: history.getMessages(),
  })
  expect(second.last).toMatchObject({
    session_id: sdkSessionId,
    result: { session_resumed: true, text: 'echo: which number?' },
  })
  expect(toldIn(second)).toEqual(['the number is 7', 'echo: the number is 7', 'which number?'])
})

test('L-4 a session that holds something else than the history is left alone: the history is told', async () => {
  api.respond(echo)
  const { sdkSessionId } = await begun('the number is 7')
  const other = new ConversationHistory()
  other.addUserMessage('the number is 8')
  other.addAssistantMessage([{ type: 'text', text: 'echo: the number is 8' }])
  const conversationHistory = other.getMessages()
  const answer = await query({ prompt: 'which number?', sdkSessionId, conversationHistory })
  expect(answer.last.session_id).not.toBe(sdkSessionId)
  expect(answer.last.result.session_resumed).toBe(false)
  const told = toldIn(answer).join('\n')
  expect(told).toContain('the number is 8')
  expect(told).not.toContain('the number is 7')
})

test('L-4 a session that was told the history as a transcript is resumed after that', async () => {
  api.respond(echo)
  const { history } = await begun('the number is 7')
  const carried = await query({
    prompt: 'which number?',
    conversationHistory: history.getMessages(),
  })
  const answer = carried.last.result.text
  history.addUserMessage('which number?')
  history.addAssistantMessage([{ type: 'text', text: answer }])
  const next = await query({
    prompt: 'and now?',
    sdkSessionId: carried.last.session_id ?? '',
    conversationHistory: history.getMessages(),
  })
  expect(next.last).toMatchObject({
    session_id: carried.last.session_id,
    result: { session_resumed: true },
  })
})

test('L-4 F-5 a session that is gone: the query goes on with the history, in the same generator', async () => {
  api.respond(echo)
  const { sdkSessionId, history } = await begun('the number is 7')
  const projects = join(root, 'home/.claude/projects')
  for (const project of readdirSync(projects)) {
    rmSync(join(projects, project, `${sdkSessionId}.jsonl`), { force: true })
  }
  const conversationHistory = history.getMessages()
  const wanted = { prompt: 'which number?', sdkSessionId, conversationHistory }
  const looked = await query(wanted)
  expect(looked.last).toMatchObject({ is_error: false, result: { session_resumed: false } })
  expect(toldIn(looked).join('\n')).toContain('the number is 7')
  // Without a look at its file it is the agent that refuses.
  const messages: ProviderMessage[] = []
  const asked = { cwd: join(root, 'project'), ...wanted }
  for await (const message of executeQueryWithSdk(sdk.query, asked)) messages.push(message)
  expect(messages).toContainEqual(expect.objectContaining({ subtype: 'fallback' }))
  expect(messages.at(-1)).toMatchObject({ type: 'result', is_error: false })
})

test('L-5 a run that stopped for its turns goes on in the same session; one that ended its turn does not', async () => {
  mostTurns = 2
  const steps = ['one', 'two', 'three']
  api.respond(request => {
    const step = steps.shift()
    return step ? toolReply('Bash', { command: `echo ${step}`, description: step }) : echo(request)
  })
  const { results, requests } = await query({ prompt: 'count', allowedTools: ['Bash'] })
  mostTurns = Number.POSITIVE_INFINITY
  expect(results.map(({ is_error }) => is_error)).toEqual([true, false])
  expect(new Set(results.map(({ session_id }) => session_id)).size).toBe(1)
  expect(steps).toEqual([])
  const told = textsOf(requests.at(-1) as ModelRequest).join('\n')
  expect(told.split('count')).toHaveLength(2)
  expect(told).toContain('Go on where you stopped.')
})
