// Chance that is the same in every full demo, so that its ids, its figures and its order are the same.
import type { Random } from '../../../core/world.ts'
import { systemRandom } from '../../../runner/real-world.ts'

export type SeededRandom = Random & {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number
  /** The ids that the agents make. */
  agentUuid(): string
  /** From now on all ids are random. */
  useRealChance(): void
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Agents, Reprise and the story draw from numbers of their own: they work at the same time, in no fixed order. */
export function createSeededRandom(seed: number): SeededRandom {
  const ofStory = numbersFrom(seed)
  const ofReprise = numbersFrom(seed + 1)
  const ofAgents = numbersFrom(seed + 2)
  let real = false
  const letters = (count: number) =>
    Array.from({ length: count }, () => BASE32[ofReprise(0, 31)]).join('')
  return {
    between: ofStory,
    uuid: () => (real ? systemRandom.uuid() : uuidFrom(ofReprise)),
    agentUuid: () => (real ? systemRandom.uuid() : uuidFrom(ofAgents)),
    promptMark: () => (real ? systemRandom.promptMark() : letters(20)),
    id: prefix => (real ? systemRandom.id(prefix) : `${prefix}_${letters(16)}`),
    useRealChance() {
      real = true
    },
  }
}

type Numbers = (least: number, most: number) => number

function numbersFrom(seed: number): Numbers {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return (least, most) => least + Math.floor(next() * (most - least + 1))
}

function uuidFrom(numbers: Numbers): string {
  const hex = (count: number) =>
    Array.from({ length: count }, () => numbers(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}
