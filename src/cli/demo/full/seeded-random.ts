// Chance that is the same in every full demo, so that its ids, its figures and its order are the same.
import type { Random } from '../../../core/world.ts'
import { systemRandom } from '../../../runner/real-world.ts'

export type SeededRandom = Random & {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number
  /** From now on ids are random. */
  useRealChance(): void
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  let real = false
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const letters = (count: number) =>
    Array.from({ length: count }, () => BASE32[between(0, 31)]).join('')
  const hex = (count: number) =>
    Array.from({ length: count }, () => between(0, 15).toString(16)).join('')
  return {
    between,
    uuid: () =>
      real ? systemRandom.uuid() : `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    promptMark: () => (real ? systemRandom.promptMark() : letters(20)),
    id: prefix => (real ? systemRandom.id(prefix) : `${prefix}_${letters(16)}`),
    useRealChance() {
      real = true
    },
  }
}
