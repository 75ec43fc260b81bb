import { expect, test } from 'vitest'
import { type Column, tableText } from './table.ts'
import { timesIn } from './time.ts'
import { widthOf } from './width.ts'

type Row = { id: string; at: number | null; cost: string; title: string }

const COLUMNS: readonly Column<Row>[] = [
  { title: 'thread', id: row => row.id },
  { title: 'updated', time: row => row.at },
  { title: 'cost', cell: row => row.cost, align: 'right' },
  { title: 'title', text: row => row.title },
]
const ROWS: readonly Row[] = [
  {
    id: 'thr_aaaaaaaabbbbbbbb',
    at: 0,
    cost: '$1',
    title: 'A health check for the server that says what is wrong',
  },
  { id: 'thr_ccccccccdddddddd', at: null, cost: '$10.50', title: '日本語の題名\n\x1b[31m' },
]
const tableAt = (width: number | null) => {
  return tableText(ROWS, COLUMNS, { width, times: timesIn(() => 0) })
}

test('without a terminal nothing is cut, and control characters are shown', () => {
  expect(tableAt(null).split('\n')).toEqual([
    'thread                updated (UTC)          cost  title',
    'thr_aaaaaaaabbbbbbbb  1970-01-01 00:00:00      $1  A health check for the server that says what is wrong',
    'thr_ccccccccdddddddd  –                    $10.50  日本語の題名 ⏎ ␛[31m',
    '',
  ])
})

test('on a terminal texts are cut first', () => {
  expect(tableAt(90).split('\n')[1]).toBe(
    'thr_aaaaaaaabbbbbbbb  1970-01-01 00:00:00      $1  A health check for the server that say…',
  )
})

test('ids and times become short before a title is cut to nothing', () => {
  expect(tableAt(60).split('\n')).toEqual([
    'thread      updated (UTC)    cost  title',
    'thr_aaaaaa  01-01 00:00        $1  A health check for the s…',
    'thr_cccccc  –              $10.50  日本語の題名 ⏎ ␛[31m',
    '',
  ])
})

test('a path keeps its end', () => {
  const columns: readonly Column<string>[] = [
    { title: 'name', cell: () => '日本語' },
    { title: 'where', text: path => path, keep: 'end' },
  ]
  const text = tableText(['/home/me/.reprise/config.yaml:12'], columns, {
    width: 30,
    times: timesIn(() => 0),
  })
  expect(text).toBe('name    where\n日本語  …eprise/config.yaml:12\n')
})

test.each([200, 100, 80, 60, 40, 20, 5])('no line is wider than %i columns', width => {
  for (const line of tableAt(width).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width)
})

test('wide letters keep the columns straight', () => {
  const columns: readonly Column<string>[] = [
    { title: 'name', text: name => name },
    { title: 'x', cell: () => 'x' },
  ]
  const text = tableText(['日本語', 'ab', '👍'], columns, { width: 80, times: timesIn(() => 0) })
  const places = text
    .trimEnd()
    .split('\n')
    .map(line => widthOf(line.slice(0, line.lastIndexOf('x'))))
  expect(places).toEqual([8, 8, 8, 8])
})
