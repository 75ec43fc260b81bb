// What a turn is expected to use, as it is shown before and kept with its run.
import type { Usage } from '../run/events.ts'
import type { CacheState } from './cache-state.ts'

/** What an estimate rests on. */
export type EstimateBasis = {
  /** How many earlier runs. */
  readonly runs: number
  /** Of this thread, of the same agent in other threads, or of the same tier in earlier chains of the policy. */
  readonly of: 'thread' | 'agent' | 'tier'
}

/** What a whole turn is expected to use: its first request, and those that usually follow. */
export type Estimate = {
  /** What the first request reads. */
  readonly tokens: number
  /** How many of these tokens the model reads from its prompt cache. */
  readonly cachedTokens: number
  /** Tokens of all requests of the turn, by kind. */
  readonly usage: Usage
  /** Of the whole turn, by list prices; `null` where the price of the model is not known. */
  readonly costUsd: number | null
  readonly cache: CacheState
  readonly basis: EstimateBasis
}
