import { expect, test } from 'vitest'
import { askTogether } from './ask-together.ts'

test('J-8 calls of one moment are one call, and each gets its own answer', async () => {
  const asked: (readonly number[])[] = []
  const double = askTogether(async (items: readonly number[]) => {
    asked.push(items)
    return items.map(item => 2 * item)
  })
  expect(await Promise.all([double(1), double(2), double(2)])).toEqual([2, 4, 4])
  expect(await double(3)).toBe(6)
  expect(asked).toEqual([[1, 2, 2], [3]])
})

test('J-8 a later call does not wait for an earlier one that hangs', async () => {
  const hangs = new Promise<readonly number[]>(() => {})
  const ask = askTogether((items: readonly number[]) =>
    items.includes(1) ? hangs : Promise.resolve(items),
  )
  void ask(1)
  await new Promise(resolve => setImmediate(resolve))
  expect(await ask(2)).toBe(2)
})

test('J-8 when the call fails, everybody who took part hears why, and the next call is a new one', async () => {
  let fails = true
  const ask = askTogether(async (items: readonly number[]) => {
    if (fails) throw new Error('away')
    return items
  })
  const both = await Promise.allSettled([ask(1), ask(2)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await ask(3)).toBe(3)
})
