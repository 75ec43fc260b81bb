import { describe, expect, test } from 'vitest'
import { type Slot, Slots } from './slots.ts'

/** What has been granted so far, in order. */
function queueOf(slots: Slots, names: readonly string[]) {
  const granted: string[] = []
  const tickets = new Map(names.map(name => [name, slots.join()]))
  for (const [name, ticket] of tickets) void ticket.slot.then(() => granted.push(name))
  return { granted, tickets }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

function taken(slots: Slots): Slot {
  const slot = slots.tryTake()
  if (!slot) throw new Error('no slot was free')
  return slot
}

describe('slots', () => {
  test('U-3 no more are out than may run at a time, and the first to ask is the first to get one', async () => {
    const slots = new Slots(2)
    const first = taken(slots)
    const second = taken(slots)
    expect(slots.tryTake()).toBe(null)
    const { granted } = queueOf(slots, ['a', 'b', 'c'])
    first.release()
    await settled()
    expect(granted).toEqual(['a'])
    second.release()
    second.release()
    await settled()
    expect([granted, slots.running]).toEqual([['a', 'b'], 2])
  })

  test('a newcomer takes no free slot before those that wait', async () => {
    const slots = new Slots(1)
    const slot = taken(slots)
    const { tickets } = queueOf(slots, ['a'])
    slot.release()
    expect(slots.tryTake()).toBe(null)
    ;(await tickets.get('a')?.slot)?.release()
    expect(slots.tryTake()).not.toBe(null)
  })

  test('a waiter that leaves gives its position back, or the slot that came too late', async () => {
    const slots = new Slots(1)
    const slot = taken(slots)
    const { granted, tickets } = queueOf(slots, ['a', 'b', 'c'])
    tickets.get('a')?.leave()
    slot.release()
    tickets.get('b')?.leave()
    await settled()
    expect([granted, slots.running]).toEqual([['b', 'c'], 1])
  })

  test('T-7 a run that waits for an answer lends its slot, and goes on at once when it is answered', async () => {
    const slots = new Slots(1)
    const asking = taken(slots)
    const { granted } = queueOf(slots, ['a', 'b'])
    asking.lend()
    await settled()
    expect(granted).toEqual(['a'])
    asking.takeBack()
    expect(slots.running).toBe(2)
    asking.release()
    await settled()
    expect([granted, slots.running]).toEqual([['a'], 1])
  })

  test('T-7 what is lent, taken back and released counts once, in whatever order that happens', () => {
    const slots = new Slots(1)
    const asking = taken(slots)
    asking.takeBack()
    expect(slots.running).toBe(1)
    for (const _ of [1, 2]) {
      asking.lend()
      asking.lend()
      expect(slots.running).toBe(0)
      asking.takeBack()
      asking.takeBack()
      expect(slots.running).toBe(1)
    }
    asking.lend()
    asking.release()
    asking.lend()
    asking.takeBack()
    expect(slots.running).toBe(0)
    // What was lent has been given back: the next one may lend too.
    const next = taken(slots)
    next.lend()
    expect(slots.running).toBe(0)
    next.release()
  })

  test('a slot that is free is granted at once, and why nobody gets one is said', async () => {
    const slots = new Slots(1)
    expect(slots.waitReason()).toBeNull()
    const slot = await slots.join().slot
    expect(slots.waitReason()).toEqual({ code: 'no-slot', running: 1, max: 1 })
    slot.release()
    expect(slots.waitReason()).toBeNull()
  })

  test('T-7 no more slots are lent than may run: agents that wait need memory too', async () => {
    const slots = new Slots(2)
    const asking = [taken(slots), taken(slots)]
    for (const slot of asking) slot.lend()
    const more = taken(slots)
    more.lend()
    expect(slots.running).toBe(1)
    more.release()
    for (const slot of asking) slot.release()
    expect(slots.running).toBe(0)
  })
})
