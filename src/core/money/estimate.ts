// What a turn reads, writes and costs, before it is sent. Every figure is an estimate.
import type { Usage } from '../run/events.ts'
import type { CacheState } from './cache-state.ts'
import type { Estimate, EstimateBasis } from './estimate-record.ts'
import type { TurnHabits } from './habits.ts'
import { dollarsOf, type Price } from './ledger.ts'
import { CHARS_PER_TOKEN } from './savings.ts'

export type { Estimate } from './estimate-record.ts'

export const ESTIMATE_FORMULA =
  'about = tokens of each kind × list price. The first request reads what the session held after its last answer, or for a new session what the agent adds by itself, and the text that is sent (characters ÷ 4). A warm cache holds all of that but the last answer and the new text. Requests, tool results and answers that follow are the medians of the latest runs of the thread, else of the agent.'

export type Reading = {
  /** What the agent already has before the prompt, as runs measured it; `null`: not known. */
  readonly heldTokens: number | null
  /** How much of it a warm cache holds. */
  readonly keptTokens: number
  /** What Reprise sends: the prompt with its catch-up or transcript, and what it writes into a session. */
  readonly sentChars: number
  readonly cache: CacheState
  /** `null`: no run has reported anything. */
  readonly habits: TurnHabits | null
  readonly price: Price | null
}

/** `null`: the ledger knows too little. */
export function estimateTurn(reading: Reading): Estimate | null {
  const { heldTokens, keptTokens, cache, habits, price } = reading
  if (heldTokens === null || habits === null) return null
  const tokens = heldTokens + tokensOfChars(reading.sentChars)
  const cachedTokens = cache.state === 'warm' ? Math.min(Math.max(0, keptTokens), heldTokens) : 0
  const usage = usageOf({ tokens, cachedTokens }, habits)
  const costUsd = price && dollarsOf(usage, pricedFor(habits, price))
  return { tokens, cachedTokens, usage, costUsd, cache, basis: habits.basis }
}

/** Each later request reads what the one before it has read or written. */
function usageOf(
  { tokens, cachedTokens }: Pick<Estimate, 'tokens' | 'cachedTokens'>,
  { requests, grownTokens, outputTokens, plainShare }: TurnHabits,
): Usage {
  const later = requests - 1
  const grown = later > 0 ? grownTokens : 0
  const readLater = later * tokens + (grown * (later - 1)) / 2
  const fresh = tokens - cachedTokens + grown
  const inputTokens = Math.round(fresh * plainShare)
  return {
    inputTokens,
    cacheReadTokens: cachedTokens + Math.max(0, Math.round(readLater)),
    cacheWriteTokens: fresh - inputTokens,
    outputTokens,
  }
}

function pricedFor({ life }: TurnHabits, price: Price): Price {
  return life === '1h' ? { ...price, cacheWriteUsd: price.cacheWriteHourUsd } : price
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
    ({ contextTokens, messageChars }) => contextTokens - tokensOfChars(messageChars),
  )
  return Math.max(0, Math.min(...besides))
}

/** What an estimate says where there is none. */
export const NOT_KNOWN = 'not known: no earlier run of this agent has told what such a turn reads'

export function basisWords({ runs, of }: EstimateBasis): string {
  const which = runs === 1 ? 'the latest run' : `the latest ${runs} runs`
  return `${which} ${BASIS_WORDS[of]}`
}

const BASIS_WORDS: Record<EstimateBasis['of'], string> = {
  thread: 'of this thread',
  agent: 'of this agent in other threads',
  tier: 'of this tier in earlier chains',
}

export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}
