import { expect, test } from 'vitest'
import { layoutLineage } from './lineage.ts'

const session = (
  id: string,
  forkedFrom: string | null,
  createdAt: number,
  lastMessageAt: number,
) => ({
  id,
  forkedFrom,
  createdAt,
  lastMessageAt,
})

test('a fork stands below the session it was cut from, and lives are parts of the whole', () => {
  const rows = layoutLineage([
    session('fork', 'first', 50, 100),
    session('first', null, 0, 40),
    session('alone', null, 80, 80),
  ])
  expect(rows).toEqual([
    { id: 'first', row: 0, from: null, start: 0, end: 0.4 },
    { id: 'fork', row: 1, from: 0, start: 0.5, end: 1 },
    { id: 'alone', row: 2, from: null, start: 0.8, end: 0.8 },
  ])
})

test('a fork of a session that is gone stands alone, and one session needs no span', () => {
  expect(layoutLineage([session('a', 'gone', 5, 5)])).toEqual([
    { id: 'a', row: 0, from: null, start: 0, end: 0 },
  ])
})
