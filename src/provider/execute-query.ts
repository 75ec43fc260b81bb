// One call for programs that embed an agent: a prompt in, messages out; sessions, fallbacks and continuation inside.
import type { Turn, TurnOptions } from '../api.ts'
import { reasonWords } from '../core/decide/explain.ts'
import { type ErrorCode, RepriseError } from '../errors.ts'
import { refuseBadQuery } from './check-options.ts'
import type { ExecuteOptions, QueryHost } from './execute-options.ts'
import { DEFAULT_MAX_TURNS, GO_ON_PROMPT, shouldGoOn } from './go-on.ts'
import {
  cancelledBefore,
  MessageMaker,
  type ProviderMessage,
  type ResultMessage,
} from './provider-message.ts'
import { findPlace, type QueryPlace, waitUntilFree } from './query-place.ts'

/** Somebody else may take the thread between the look and the prompt; nobody loses that race for ever. */
const MAX_TRIES = 100

/**
 * Sends one prompt to an agent and yields messages until its result. It resumes the session of the caller where that
 * holds the history of the caller, and falls back to a new session otherwise. Throws only for wrong options.
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
  for (let used = turnsOf(ended); shouldGoOn(ended.result) && used < maxTurns; ) {
    const turn = { prompt: GO_ON_PROMPT, options, maxTurns: maxTurns - used }
    // Sent before the result is read: meanwhile the thread would be anybody's.
    const next = send({ ...place, after: ended.lastMessageId }, turn)
    if (await isRefused(next)) break
    yield* unlessLeft(next, ended.result)
    ended = yield* follow(next, null)
    used += turnsOf(ended)
  }
  yield ended.result
}

/** Somebody else was faster: the result that is there is the query's. Whatever else went wrong is told by the turn. */
async function isRefused(sent: Turn): Promise<boolean> {
  return sent.submitted.then(
    () => false,
    error => isTaken(error) || hasCode(error, 'not-found'),
  )
}

/** Who reads no further than a result does not want what goes on. */
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

/** Two queries of one session never run at once: the second waits, and goes on from the point that it knows. */
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
  throw new RepriseError('cancelled', 'the query was cancelled while it waited', 'Send it again.')
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

/** All but the result. `lost` makes the words for a session that the caller named and that is not continued. */
async function* follow(
  sent: Turn,
  lost: ((why: string) => string) | null,
): AsyncGenerator<ProviderMessage, Followed> {
  const maker = new MessageMaker()
  let tell = lost
  let isRead = false
  try {
    for await (const event of sent) {
      if (event.type === 'started' && event.decision.action === 'replay' && tell) {
        yield {
          type: 'system',
          subtype: 'fallback',
          words: tell(reasonWords(event.decision.reason)),
        }
      }
      // A refusal is told by the turn itself, and the run that follows it replays too.
      if (event.type === 'started') tell = null
      yield* maker.take(event)
    }
    isRead = true
  } finally {
    // Who stops reading does not want the rest of it.
    if (!isRead) await sent.cancel()
  }
  const { run, text, messageId } = await sent.result
  return { result: maker.end(run, text), lastMessageId: run.answerMessageId ?? messageId }
}

/** The caller is told what was lost, also when it is clear before the agent is started. */
function lostWords(
  { sdkSessionId, conversationHistory = [] }: ExecuteOptions,
  { lost }: QueryPlace,
) {
  if (!sdkSessionId || conversationHistory.length === 0) return null
  return (why: string) =>
    `session ${sdkSessionId} is not continued: ${lost ?? why}; the query goes on in a new session with the history`
}

/** A run that made no request at all would go on for ever. */
function turnsOf({ result }: Followed): number {
  return Math.max(1, result.result.num_turns)
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
    ...(options.trust && { trust: options.trust }),
    ...(options.sandbox && { sandbox: options.sandbox }),
    ...(options.signal && { signal: options.signal }),
    workDir: options.cwd,
    maxTurns,
  }
}
