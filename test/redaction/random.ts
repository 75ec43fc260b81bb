// The same numbers in every run: a corpus that changes could not be held to a figure.

export type Random = {
  below(limit: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  of(alphabet: string, length: number): string
}

export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
export const HEX = '0123456789abcdef'
export const BASE64 = `${LETTERS}+/`
export const URL_SAFE = `${LETTERS}_-`

export function randomFrom(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    // A linear congruential step with the constants of Numerical Recipes; the high bits are the good ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return {
    below,
    pick: items => items[below(items.length)] ?? items[0],
    of: (alphabet, length) =>
      Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  }
}
