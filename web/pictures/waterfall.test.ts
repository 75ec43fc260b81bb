import { describe, expect, test } from 'vitest'
import { layoutWaterfall, type Span } from './waterfall.ts'

const MINUTE = 60_000
const START = 1_794_890_632_153
const span = (from: number, to: number, kind: Span['kind'] = 'running'): Span => ({
  row: 'tier 1',
  kind,
  from: START + from * MINUTE,
  to: START + to * MINUTE,
})

describe('a waterfall', () => {
  test('puts bars where their times are, over an axis of whole steps', () => {
    const { bars, ticks, whole } = layoutWaterfall(
      [span(0, 1, 'queued'), span(1, 4), span(4, 9, 'held'), span(9, 11.5)],
      600,
    )
    expect(ticks.map(({ label }) => label)).toEqual([
      '0 min',
      '2 min',
      '4 min',
      '6 min',
      '8 min',
      '10 min',
      '12 min',
    ])
    expect(ticks.map(({ x }) => x)).toEqual([0, 100, 200, 300, 400, 500, 600])
    expect(bars.map(({ kind, x, width }) => [kind, x, width])).toEqual([
      ['queued', 0, 50],
      ['running', 50, 150],
      ['held', 200, 250],
      ['running', 450, 125],
    ])
    expect(whole).toEqual({ x: 0, width: 575 })
  })

  const lengths = [
    [0, '0 s', '1 s'],
    [0.5, '0 s', '30 s'],
    [75, '0 min', '75 min'],
    [26 * 60, '0 h', '30 h'],
    [40 * 24 * 60, '0 days', '42 days'],
    [500 * 24 * 60, '0 days', '500 days'],
  ] as const
  test.each(lengths)('of %d minutes has an axis from %s to %s', (minutes, first, last) => {
    const labels = layoutWaterfall([span(0, minutes)], 100).ticks.map(({ label }) => label)
    expect([labels[0], labels.at(-1)]).toEqual([first, last])
    expect(labels.length).toBeLessThanOrEqual(7)
  })

  test('of nothing is empty', () => {
    expect(layoutWaterfall([], 100)).toMatchObject({ bars: [], ticks: [] })
  })
})
