import { expect, test } from 'vitest'
import { SAMPLE_RUN } from '../../test/sample-run.ts'
import { liveRows } from './live-rows.ts'

const run = (id: string, status: 'running' | 'waiting' | 'queued' = 'running') => ({
  ...SAMPLE_RUN,
  id,
  status,
})
const words = (rows: ReturnType<typeof liveRows>) =>
  rows.map(({ run: { id, status }, isOver }) => `${id} ${isOver ? 'over' : status}`)

test('the rows of Live are the open runs, in the order of the list', () => {
  const before = liveRows([], [run('a'), run('b')], false)
  expect(words(before)).toEqual(['a running', 'b running'])
  expect(words(liveRows(before, [run('c'), run('b', 'waiting')], false))).toEqual([
    'c running',
    'b waiting',
  ])
})

test('under the pointer no row moves: it shows its new status, one whose run is over says so, and new ones come below', () => {
  const before = liveRows([], [run('a'), run('b'), run('c')], false)
  const during = liveRows(before, [run('d'), run('c', 'waiting'), run('a')], true)
  expect(words(during)).toEqual(['a running', 'b over', 'c waiting', 'd running'])
  expect(words(liveRows(during, [run('d'), run('e')], true))).toEqual([
    'a over',
    'b over',
    'c over',
    'd running',
    'e running',
  ])
  expect(words(liveRows(during, [run('d')], false))).toEqual(['d running'])
})
