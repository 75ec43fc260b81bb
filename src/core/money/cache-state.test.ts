import { expect, test } from 'vitest'
import { type CacheFacts, cacheStateOf, cacheWords } from './cache-state.ts'

const facts: CacheFacts = { ageMs: 40_000, life: '5m', sameModel: true, sameTools: true }

test.each<readonly [Partial<CacheFacts>, string]>([
  [{}, 'warm: last request 40 s ago, a cache lives 5 min'],
  [{ ageMs: 300_000 }, 'warm: last request 5 min ago, a cache lives 5 min'],
  [{ ageMs: 301_000 }, 'cold: last request 5 min 1 s ago, a cache lives 5 min'],
  [{ ageMs: 301_000, life: '1h' }, 'warm: last request 5 min 1 s ago, a cache lives 1 h'],
  [{ sameModel: false }, 'cold: another model made the last request'],
  [{ sameTools: false }, 'cold: the tools or the program changed since the last request'],
  [{ ageMs: null }, 'cold: there was no request before'],
])('M-4 a cache with %j is %s', (change, words) => {
  expect(cacheWords(cacheStateOf({ ...facts, ...change }))).toBe(words)
})
