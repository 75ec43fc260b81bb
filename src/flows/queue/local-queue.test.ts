import { describe, expect, test } from 'vitest'
import { LocalQueue } from './local-queue.ts'

async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false
  void promise.then(() => {
    over = true
  })
  for (let turns = 0; turns < 10; turns++) await Promise.resolve()
  return over
}

describe('the line of turns', () => {
  test('lets one after the other be next, per thread', async () => {
    const line = new LocalQueue()
    const [first, second, third] = ['a', 'b', 'c'].map(id => line.join('one', id))
    const other = line.join('two', 'd')
    expect([first, second, third, other].map(place => place?.ahead)).toEqual([0, 1, 2, 0])
    expect([first, second, third].map(place => place?.behind)).toEqual([null, 'a', 'a'])
    expect(await isOver(first?.isNext as Promise<void>)).toBe(true)
    expect(await isOver(other.isNext)).toBe(true)
    expect(await isOver(second?.isNext as Promise<void>)).toBe(false)
    first?.leave()
    expect(await isOver(second?.isNext as Promise<void>)).toBe(true)
    expect(await isOver(third?.isNext as Promise<void>)).toBe(false)
  })

  test('closes up when one leaves from the middle, and lets nobody pass', async () => {
    const line = new LocalQueue()
    const first = line.join('one', 'a')
    const second = line.join('one', 'b')
    const third = line.join('one', 'c')
    second.leave()
    expect(await isOver(third.isNext)).toBe(false)
    first.leave()
    expect(await isOver(third.isNext)).toBe(true)
    third.leave()
    expect(line.join('one', 'd').ahead).toBe(0)
  })

  test('stays one line while somebody is in it, and begins anew when all have left', async () => {
    const line = new LocalQueue()
    const [first, second] = [line.join('one', 'a'), line.join('one', 'b')]
    first.leave()
    const third = line.join('one', 'c')
    expect([third.ahead, third.behind]).toEqual([1, 'b'])
    second.leave()
    third.leave()
    const anew = line.join('one', 'd')
    expect([anew.ahead, anew.behind, await isOver(anew.isNext)]).toEqual([0, null, true])
  })

  test('calls no listener that has left', async () => {
    const line = new LocalQueue()
    const gone = line.join('one', 'a')
    gone.leave()
    line.wake('a')
    expect(await isOver(gone.woken)).toBe(false)
  })

  test('calls one of them', async () => {
    const line = new LocalQueue()
    const first = line.join('one', 'a')
    const second = line.join('one', 'b')
    line.wake('b')
    line.wake('nobody')
    expect([await isOver(first.woken), await isOver(second.woken)]).toEqual([false, true])
  })
})
