// What the first request of a turn reads and costs, before the turn is sent. Every figure is an estimate.
import type { Price } from './ledger.ts'
import { CHARS_PER_TOKEN } from './savings.ts'

/** What a turn reads before the agent says its first word. Answers and tool calls come on top. */
export type Estimate = {
  readonly tokens: number
  /** How many of the tokens the model reads from its prompt cache. */
  readonly cachedTokens: number
  /** By list prices; `null` where the price of the model is not known. */
  readonly costUsd: number | null
}

export const ESTIMATE_FORMULA =
  'about = cached tokens × cache read price + other tokens × cache write price; tokens = what the session held after its last answer, or for a new session what the agent adds to the messages by itself, and the text of the prompt (characters ÷ 4); cached = the same without the last answer, when the agent used that model in the last 5 minutes; what the agent then writes and looks up comes on top'

/** How long a prompt cache lasts with an API key. With a subscription it lasts an hour, and the turn costs less. */
const CACHE_MS = 5 * 60_000

export function isWithinCacheLife(ageMs: number): boolean {
  return ageMs <= CACHE_MS
}

export type Reading = {
  /** What the agent already has before the prompt, as the last request of a run measured it; `null`: not known. */
  readonly heldTokens: number | null
  /** The last answer that is part of it: no request has written it to the cache yet. */
  readonly lastAnswerChars: number
  /** What Reprise sends: the prompt with its catch-up or transcript. */
  readonly sentChars: number
  /** How long ago the agent used this model; `null`: it did not, so the cache holds nothing of it. */
  readonly usedMsAgo: number | null
  readonly price: Price | null
}

export function estimateReading(reading: Reading): Estimate | null {
  const { heldTokens, usedMsAgo, price } = reading
  if (heldTokens === null) return null
  const isWarm = usedMsAgo !== null && isWithinCacheLife(usedMsAgo)
  const tokens = heldTokens + tokensIn(reading.sentChars)
  const cachedTokens = isWarm ? Math.max(0, heldTokens - tokensIn(reading.lastAnswerChars)) : 0
  const costUsd = price && costOf({ tokens, cachedTokens }, price)
  return { tokens, cachedTokens, costUsd }
}

/**
 * What the agent adds to every new session by itself (system prompt, tools): the least that measured contexts held
 * besides their messages. `null`: nothing was measured.
 */
export function overheadTokens(
  measured: readonly { readonly contextTokens: number; readonly messageChars: number }[],
): number | null {
  if (measured.length === 0) return null
  const besides = measured.map(
    ({ contextTokens, messageChars }) => contextTokens - tokensIn(messageChars),
  )
  return Math.max(0, Math.min(...besides))
}

function costOf(
  { tokens, cachedTokens }: Pick<Estimate, 'tokens' | 'cachedTokens'>,
  price: Price,
): number {
  const written = (tokens - cachedTokens) * price.cacheWriteUsd
  return (cachedTokens * price.cacheReadUsd + written) / 1_000_000
}

function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}
