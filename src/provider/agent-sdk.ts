// L-4 over the Agent SDK: the caller brings its `query`, so that the SDK is needed only by those who use it. Nothing is stored:
// no thread, no vault, no leases; what is left is the resume condition, the fallback inside the generator, and the continuation.
import { hashOf, type Message } from '../core/messages.ts'
import { composePrompt } from '../core/prompt.ts'
import { type HistoryMessage, holdsHistory, threadMessages } from './conversation-history.ts'
import type { ExecuteOptions } from './execute-query.ts'
import { DEFAULT_MAX_TURNS, GO_ON, shouldGoOn } from './go-on.ts'
import type { ProviderMessage, ResultMessage } from './provider-message.ts'
import { messagesFrom, wasRefused, wordsOf } from './sdk-message.ts'

/** What is used of `@anthropic-ai/claude-agent-sdk`: its `query`, and what tells whether a session holds a history. */
export type AgentSdk = {
  readonly query: SdkQuery
  getSessionMessages(sessionId: string, options: { dir: string }): Promise<readonly unknown[]>
}

export type SdkQuery = (request: {
  readonly prompt: string
  readonly options: Record<string, unknown>
}) => AsyncIterable<unknown>

/** About six tenths of a window of 200,000 tokens. */
const MAX_PROMPT_CHARS = 480_000

export async function* executeQueryWithSdk(
  sdk: SdkQuery | AgentSdk,
  options: ExecuteOptions,
): AsyncGenerator<ProviderMessage, void> {
  const query = typeof sdk === 'function' ? sdk : sdk.query
  const history = options.conversationHistory ?? []
  const maxTurns = options.maxTurns ?? DEFAULT_MAX_TURNS
  let session = await sessionFor(sdk, options)
  let prompt = session || history.length === 0 ? options.prompt : replayed(options, null)
  for (let used = 0; used < maxTurns; ) {
    const turn = { prompt, session, options, maxTurns: maxTurns - used }
    const ended = yield* oneQuery(query, turn)
    if (ended === 'refused') {
      const words = `session ${session} could not be continued; the query goes on in a new one with the history`
      yield { type: 'system', subtype: 'fallback', words }
      prompt = replayed(options, session)
      session = null
      continue
    }
    used += Math.max(1, ended.result.num_turns)
    if (!shouldGoOn(ended) || ended.session_id === null) return
    session = ended.session_id
    prompt = GO_ON
  }
}

/** With `query` alone, the caller's word for it has to do. */
async function sessionFor(
  sdk: SdkQuery | AgentSdk,
  { sdkSessionId, conversationHistory: history = [], cwd: dir }: ExecuteOptions,
): Promise<string | null> {
  if (!sdkSessionId || history.length === 0) return null
  if (typeof sdk === 'function') return sdkSessionId
  const said = await sdk.getSessionMessages(sdkSessionId, { dir })
  return holdsHistory(said.map(wordsOf), history) ? sdkSessionId : null
}

type Asked = {
  readonly prompt: string
  readonly session: string | null
  readonly options: ExecuteOptions
  readonly maxTurns: number
}

/** The SDK throws after a result that is an error: what it has said already counts. */
async function* oneQuery(
  query: SdkQuery,
  asked: Asked,
): AsyncGenerator<ProviderMessage, ResultMessage | 'refused'> {
  let result: ResultMessage | null = null
  let hasBegun = false
  try {
    for await (const raw of query({ prompt: asked.prompt, options: sdkOptions(asked) })) {
      for (const message of messagesFrom(raw, asked.session !== null)) {
        if (message.type === 'result') {
          if (!hasBegun && asked.session !== null && wasRefused(message)) return 'refused'
          result ??= message
        } else if (message.type !== 'system') hasBegun = true
        yield message
      }
    }
  } catch (error) {
    if (!result && asked.session !== null && !hasBegun && isNotFound(error)) return 'refused'
    if (!result) throw error
  }
  if (result) return result
  throw new Error('the Agent SDK ended without a result')
}

function sdkOptions({ session, options, maxTurns }: Asked): Record<string, unknown> {
  const { model, systemPrompt, permissionMode, allowedTools, disallowedTools, signal } = options
  const abortController = new AbortController()
  signal?.addEventListener('abort', () => abortController.abort())
  return {
    cwd: options.cwd,
    maxTurns,
    permissionMode: permissionMode ?? 'default',
    abortController,
    ...(model && { model }),
    ...(systemPrompt && { systemPrompt }),
    ...(allowedTools && { allowedTools: [...allowedTools] }),
    ...(disallowedTools && { disallowedTools: [...disallowedTools] }),
    ...(session && { resume: session }),
  }
}

/** F-5: told honestly what it lost. */
function replayed(
  { prompt, conversationHistory = [], agent = 'claude-code' }: ExecuteOptions,
  lost: string | null,
): string {
  const reason = lost
    ? ({ code: 'resume-refused', sessionId: lost, detail: 'it is not there' } as const)
    : ({ code: 'no-session', agent } as const)
  const view = messagesOf(conversationHistory, agent)
  const mark = crypto.randomUUID().replaceAll('-', '')
  const parts = { view, message: prompt, instructions: null, mark, maxChars: MAX_PROMPT_CHARS }
  return composePrompt({ action: 'replay', reason, checks: [] }, parts).text
}

function messagesOf(history: readonly HistoryMessage[], agent: string): readonly Message[] {
  return threadMessages(history).map(({ role, text, tools = [] }, index) => {
    const content = { role, agent: role === 'user' ? null : agent, text }
    const hash = hashOf(content)
    const rest = { tools, interrupted: false, runId: null, createdAt: 0 }
    return { ...content, ...rest, id: `message-${index}`, hash }
  })
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && /No conversation found|not found/i.test(error.message)
}
