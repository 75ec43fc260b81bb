// An estimate of what a cold start would have cost, next to what was measured.
import type { Usage } from '../run/events.ts'
import type { Savings } from '../run/run.ts'
import type { Price } from './ledger.ts'

/** Good enough for English and code; every figure made with it is marked as an estimate. */
export const CHARS_PER_TOKEN = 4

export const SAVINGS_FORMULA =
  'saved = transcript tokens × (cache write price − cache read price); transcript tokens = characters of the transcript a replay would have sent ÷ 4, without the last answer, which a resume writes to the cache too; cold = measured + saved'

export function estimateSavings(run: {
  readonly usage: Usage
  readonly costUsd: number | null
  /** Tokens of the transcript that the session made unnecessary. */
  readonly transcriptChars: number
  readonly price: Price | null
}): Savings {
  const transcriptTokens = Math.ceil(run.transcriptChars / CHARS_PER_TOKEN)
  const perToken = run.price ? (run.price.cacheWriteUsd - run.price.cacheReadUsd) / 1_000_000 : 0
  const savedUsd = transcriptTokens * perToken
  return {
    coldInputTokens: run.usage.inputTokens + run.usage.cacheWriteTokens + transcriptTokens,
    coldCostUsd: (run.costUsd ?? 0) + savedUsd,
    savedUsd,
    estimate: true,
  }
}
