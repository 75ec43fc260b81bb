// Whether the prompt cache of a model still holds what a session has read, and why.
import { durationWords } from '../duration-words.ts'

/** How long a prompt cache lasts. What earlier runs paid shows which cache an agent writes to. */
export type CacheLife = '5m' | '1h'

const LIFE_MS: Readonly<Record<CacheLife, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }

export type CacheBecause = 'in-time' | 'too-old' | 'other-model' | 'tools-changed' | 'never-used'

/** An estimate: nobody can ask the provider what its cache holds. */
export type CacheState = {
  readonly state: 'warm' | 'cold'
  readonly because: CacheBecause
  /** How long ago the agent made its last request; `null`: it made none. */
  readonly ageMs: number | null
  readonly lifeMs: number
}

export type CacheFacts = {
  /** `null`: there is no earlier request. */
  readonly ageMs: number | null
  readonly life: CacheLife
  readonly sameModel: boolean
  /** The agent is the same program, and has the same tools. */
  readonly sameTools: boolean
}

export function cacheStateOf({ ageMs, life, sameModel, sameTools }: CacheFacts): CacheState {
  const times = { ageMs, lifeMs: LIFE_MS[life] }
  const cold = (because: CacheBecause): CacheState => ({ state: 'cold', because, ...times })
  if (ageMs === null) return cold('never-used')
  if (!sameModel) return cold('other-model')
  if (!sameTools) return cold('tools-changed')
  return ageMs > LIFE_MS[life] ? cold('too-old') : { state: 'warm', because: 'in-time', ...times }
}

export function cacheWords({ state, because, ageMs, lifeMs }: CacheState): string {
  return `${state}: ${BECAUSE_WORDS[because](durationWords(ageMs ?? 0), durationWords(lifeMs))}`
}

const BECAUSE_WORDS: Readonly<Record<CacheBecause, (age: string, life: string) => string>> = {
  'in-time': (age, life) => `last request ${age} ago, a cache lives ${life}`,
  'too-old': (age, life) => `last request ${age} ago, a cache lives ${life}`,
  'other-model': () => 'another model made the last request',
  'tools-changed': () => 'the tools or the program changed since the last request',
  'never-used': () => 'there was no request before',
}
