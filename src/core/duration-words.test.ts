import { expect, test } from 'vitest'
import { durationWords, tookWords } from './duration-words.ts'

test.each([
  [-5, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [4_200_000, '1 h 10 min'],
  [86_340_000, '23 h 59 min'],
  [86_400_000, '1 d'],
  [426_532_000, '4 d 22 h'],
])('%i ms are %s', (ms, words) => expect(durationWords(ms)).toBe(words))

test.each([
  [0, '0.0 s'],
  [320, '0.3 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [125_000, '2 min 5 s'],
])('what took %i ms took %s', (ms, words) => expect(tookWords(ms)).toBe(words))
