import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkpointIn, keptName, namesForCopy, tokenIn } from './kept-names.ts'

const token = fc.nat(2 ** 31)
const number = fc.integer({ min: 1, max: 999_999_999 })

test('J-10 what a later holder kept sorts after everything of a former one', () => {
  fc.assert(
    fc.property(token, number, token, number, (one, first, two, second) => {
      const [a, b] = [keptName(one, first), keptName(two, second)]
      const order = one - two || first - second
      expect(Math.sign(a < b ? -1 : a > b ? 1 : 0)).toBe(Math.sign(order))
      expect([tokenIn(a), checkpointIn(a)]).toEqual([one, first])
    }),
  )
})

test('J-10 other names are no kept checkpoints', () => {
  for (const name of ['', 'x', '1.2', `${keptName(1, 1)}x`]) expect(checkpointIn(name)).toBeNull()
})

test('J-10 the first checkpoint of a copy sorts after all that came from the thread', () => {
  const late = keptName(5, 9)
  const names = [keptName(5, 7), late, keptName(6, 8), 'x']
  const copied = namesForCopy(names)
  expect(copied).toEqual([
    [keptName(5, 7), keptName(0, 7)],
    [keptName(6, 8), keptName(0, 8)],
  ])
  for (const [, name] of copied) expect(name < keptName(1, 1)).toBe(true)
})
