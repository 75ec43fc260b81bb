import { expect, test } from 'vitest'
import { fc } from '../../test/properties.ts'
import { windowOf } from './row-window.ts'

test('a short list is drawn whole', () => {
  expect(windowOf({ total: 30, rowHeight: 36, above: 0, height: 800 })).toEqual({
    first: 0,
    end: 30,
    before: 0,
    after: 0,
  })
})

test('of a long list only what is in view is drawn, and some around it', () => {
  const { first, end } = windowOf({ total: 10_000, rowHeight: 36, above: 36_000, height: 800 })
  expect([first, end]).toEqual([990, 1_040])
})

test('every row in view is drawn, and the heights add up, wherever one scrolls', () => {
  fc.assert(
    fc.property(
      fc.nat(5_000),
      fc.nat(200_000),
      fc.integer({ min: 1, max: 2_000 }),
      (total, above, height) => {
        const rowHeight = 36
        const shown = windowOf({ total, rowHeight, above, height })
        expect(shown.before + (shown.end - shown.first) * rowHeight + shown.after).toBe(
          total * rowHeight,
        )
        const firstInView = Math.floor(above / rowHeight)
        const lastInView = Math.floor((above + height) / rowHeight)
        for (const row of [firstInView, lastInView]) {
          if (row < total) expect(row >= shown.first && row < shown.end).toBe(true)
        }
      },
    ),
  )
})
