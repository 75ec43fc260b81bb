import { expect, test } from 'vitest'
import { type FeedEvent, listWith } from './event-list.ts'

const event = (position: number) => ({ position, type: 'notice' }) as unknown as FeedEvent
const positions = (events: readonly FeedEvent[]) => events.map(({ position }) => position)

test('what is read after it was heard is listed once, newest first', () => {
  const heard = listWith([], [event(8), event(9)])
  expect(positions(heard)).toEqual([9, 8])
  expect(positions(listWith(heard, [event(6), event(7), event(8)]))).toEqual([9, 8, 7, 6])
})

test('the list is bounded: the oldest go', () => {
  const many = Array.from({ length: 600 }, (_, index) => event(index + 1))
  const listed = listWith([], many)
  expect([listed.length, listed[0]?.position, listed.at(-1)?.position]).toEqual([500, 600, 101])
})
