// One call for programs that embed an agent: a prompt in, messages out. It handles sessions, fallbacks and continuation.
import type { Turn, TurnOptions } from '../api.ts'
import { reasonWords } from '../core/decide/explain.ts'
import { type ErrorCode, RepriseError } from '../errors.ts'
import { refuseBadQuery } from './check-options.ts'
import type { ExecuteOptions, QueryHost } from './execute-options.ts'
import {
  cancelledBefore,
  MessageMaker,
  type ProviderMessage,
  type ResultMessage,
} from './provider-message.ts'
import { findPlace, type QueryPlace, waitUntilFree } from './query-place.ts'
import { CONTINUE_PROMPT, DEFAULT_MAX_TURNS, shouldContinue } from './unfinished.ts'

/** Another query may take the thread between the check and the prompt; so many attempts are enough. */
const MAX_TRIES = 100

/**
 * Sends one prompt to an agent and yields messages until its result. It resumes the session of the caller where that
 * holds the history of the caller, and falls back to a new session otherwise. Throws only for wrong options.
 *
 * @example
 * ```ts
 * const history = new ConversationHistory()
 * history.addUserMessage('Remember the number 7.')
 * for await (const message of executeQuery(reprise, { prompt: 'Remember the number 7.', cwd: '/srv/app' })) {
 *   if (message.type === 'assistant') history.addAssistantMessage(message.message.content)
 *   if (message.type === 'result') console.log(message.session_id, message.result.text)
 * }
 * ```
 */
export async function* executeQuery(
  reprise: QueryHost,
  options: ExecuteOptions,
): AsyncGenerator<ProviderMessage, void> {
  refuseBadQuery(options)
  try {
    yield* query(reprise, options)
  } catch (error) {
    if (!options.signal?.aborted || !hasCode(error, 'cancelled')) throw error
    yield cancelledBefore(options.sdkSessionId ?? null)
  }
}

async function* query(
  reprise: QueryHost,
  options: ExecuteOptions,
): AsyncGenerator<ProviderMessage, void> {
  const { prompt, maxTurns = DEFAULT_MAX_TURNS } = options
  const { place, sent } = await begin(reprise, { prompt, options, maxTurns })
  let ended = yield* follow(sent, lostWords(options, place))
  for (let used = turnsOf(ended); shouldContinue(ended.result) && used < maxTurns; ) {
    const turn = { prompt: CONTINUE_PROMPT, options, maxTurns: maxTurns - used }
    // Sends before the caller reads the result. Otherwise another query could take the thread meanwhile.
    const next = send({ ...place, after: ended.lastMessageId }, turn)
    if (await isRefused(next)) break
    yield* unlessLeft(next, ended.result)
    ended = yield* follow(next, null)
    used += turnsOf(ended)
  }
  yield ended.result
}

/** When another query was faster, the result so far is the result of this query. The turn reports all other failures. */
async function isRefused(sent: Turn): Promise<boolean> {
  return sent.submitted.then(
    () => false,
    error => isTaken(error) || hasCode(error, 'not-found'),
  )
}

/** A caller that stops reading at a result does not want the continuation. */
async function* unlessLeft(next: Turn, result: ResultMessage): AsyncGenerator<ProviderMessage> {
  let isRead = false
  try {
    yield result
    isRead = true
  } finally {
    if (!isRead) await next.cancel()
  }
}

type Asked = {
  readonly prompt: string
  readonly options: ExecuteOptions
  readonly maxTurns: number
}

/** Two queries of one session never run at once: the second waits, and continues from the history that it knows. */
async function begin(
  reprise: QueryHost,
  asked: Asked,
): Promise<{ readonly place: QueryPlace; readonly sent: Turn }> {
  const { signal } = asked.options
  for (let tries = 1; !signal?.aborted; tries += 1) {
    const place = await findPlace(reprise, asked.options)
    const sent = send(place, asked)
    try {
      await sent.submitted
      return { place, sent }
    } catch (error) {
      if (!isTaken(error) || place.after === null || tries === MAX_TRIES) throw error
    }
    await waitUntilFree(reprise, place.thread.id, signal)
  }
  throw new RepriseError(
    'cancelled',
    'the query was cancelled while it waited',
    'Call executeQuery() again.',
  )
}

function isTaken(error: unknown): boolean {
  return hasCode(error, 'busy') || hasCode(error, 'conflict')
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof RepriseError && error.code === code
}

function send({ thread, after }: QueryPlace, { prompt, options, maxTurns }: Asked): Turn {
  const turn = turnOptions(options, maxTurns)
  return thread.send(prompt, after === null ? turn : { ...turn, after })
}

type Followed = { readonly result: ResultMessage; readonly lastMessageId: string }

/** Yields all messages but the result. `lost` makes the notice for a named session that is not continued. */
async function* follow(
  sent: Turn,
  lost: ((why: string) => string) | null,
): AsyncGenerator<ProviderMessage, Followed> {
  const maker = new MessageMaker()
  let wordsOfLoss = lost
  let isRead = false
  try {
    for await (const event of sent) {
      if (event.type === 'started' && event.decision.action === 'replay' && wordsOfLoss) {
        yield {
          type: 'system',
          subtype: 'fallback',
          words: wordsOfLoss(reasonWords(event.decision.reason)),
        }
      }
      // The turn itself reports a refusal, and the run after it replays too.
      if (event.type === 'started') wordsOfLoss = null
      yield* maker.take(event)
    }
    isRead = true
  } finally {
    // A caller that stops reading does not want the rest.
    if (!isRead) await sent.cancel()
  }
  const { run, text, messageId } = await sent.result
  return { result: maker.end(run, text), lastMessageId: run.answerMessageId ?? messageId }
}

/** The notice about a lost session, also when Reprise knows it before the agent starts. */
function lostWords(
  { sdkSessionId, conversationHistory = [] }: ExecuteOptions,
  { lost }: QueryPlace,
) {
  if (!sdkSessionId || conversationHistory.length === 0) return null
  return (why: string) =>
    `session ${sdkSessionId} is not continued: ${lost ?? why}; the query continues in a new session with the history`
}

/** A run counts at least one request, so that the query cannot continue for ever. */
function turnsOf({ result }: Followed): number {
  return Math.max(1, result.result.num_turns)
}

function turnOptions(options: ExecuteOptions, maxTurns: number): TurnOptions {
  const { agent, model, systemPrompt, permissionMode, allowedTools, disallowedTools } = options
  return {
    ...(agent && { agent }),
    ...(model && { model }),
    // Every query brings all of its options: an earlier value does not stay.
    instructions: systemPrompt ?? '',
    ...(permissionMode && { permissionMode }),
    ...(allowedTools && { allowedTools }),
    ...(disallowedTools && { disallowedTools }),
    ...(options.trust && { trust: options.trust }),
    ...(options.sandbox && { sandbox: options.sandbox }),
    ...(options.signal && { signal: options.signal }),
    workDir: options.cwd,
    maxTurns,
  }
}
