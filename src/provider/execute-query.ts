// L-4, L-5: one call for programs that embed an agent: a prompt in, messages out; sessions, fallbacks and continuation inside.
import type { LocalReprise, Thread, TurnOptions } from '../api.ts'
import { type HistoryMessage, holdsHistory, threadMessages } from './conversation-history.ts'
import { DEFAULT_MAX_TURNS, GO_ON, shouldGoOn } from './go-on.ts'
import { MessageMaker, type ProviderMessage, type ResultMessage } from './provider-message.ts'

export type ExecuteOptions = {
  readonly prompt: string
  readonly cwd: string
  readonly agent?: string
  readonly model?: string
  readonly systemPrompt?: string
  readonly permissionMode?: string
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  /** Model requests in all, over however many runs; 20 when nothing is said. */
  readonly maxTurns?: number
  /** Continued only together with a history that is not empty, and that the session holds. */
  readonly sdkSessionId?: string
  readonly conversationHistory?: readonly HistoryMessage[]
  readonly signal?: AbortSignal
}

export async function* executeQuery(
  reprise: LocalReprise,
  options: ExecuteOptions,
): AsyncGenerator<ProviderMessage, void> {
  const thread = await threadFor(reprise, options)
  const maxTurns = options.maxTurns ?? DEFAULT_MAX_TURNS
  let prompt = options.prompt
  for (let used = 0; used < maxTurns; ) {
    const ended = yield* oneTurn(thread, { prompt, options, maxTurns: maxTurns - used })
    // A run that made no request at all would go on for ever.
    used += Math.max(1, ended.result.num_turns)
    if (!shouldGoOn(ended)) return
    prompt = GO_ON
  }
}

/** 003: an id alone, or a history alone, is no session to resume; nor is one that holds something else than the history. */
async function threadFor(reprise: LocalReprise, options: ExecuteOptions): Promise<Thread> {
  const { cwd: workDir, agent, model, sdkSessionId, conversationHistory = [] } = options
  const named = { ...(agent && { agent }) }
  if (conversationHistory.length === 0) return reprise.threads.create({ workDir, ...named })
  const messages = threadMessages(conversationHistory)
  const request = { workDir, ...named, ...(model && { model }), messages }
  if (sdkSessionId) {
    const thread = await reprise.adopt({ ...request, sessionId: sdkSessionId })
    const said = (await thread.show()).messages.map(({ text }) => text)
    if (holdsHistory(said, conversationHistory)) return thread
  }
  return reprise.adopt(request)
}

async function* oneTurn(
  thread: Thread,
  turn: { readonly prompt: string; readonly options: ExecuteOptions; readonly maxTurns: number },
): AsyncGenerator<ProviderMessage, ResultMessage> {
  const sent = thread.send(turn.prompt, turnOptions(turn.options, turn.maxTurns))
  const maker = new MessageMaker()
  let isRead = false
  try {
    for await (const event of sent) yield* maker.take(event)
    isRead = true
  } finally {
    // Who stops reading does not want the rest of it.
    if (!isRead) await sent.cancel()
  }
  const { run, text } = await sent.result
  const ended = maker.end(run, text)
  yield ended
  return ended
}

function turnOptions(options: ExecuteOptions, maxTurns: number): TurnOptions {
  const { agent, model, systemPrompt, permissionMode, allowedTools, disallowedTools } = options
  return {
    ...(agent && { agent }),
    ...(model && { model }),
    // A query says all of its options each time: what it leaves out does not hold on.
    instructions: systemPrompt ?? '',
    ...(permissionMode && { permissionMode }),
    ...(allowedTools && { allowedTools }),
    ...(disallowedTools && { disallowedTools }),
    ...(options.signal && { signal: options.signal }),
    workDir: options.cwd,
    maxTurns,
  }
}
