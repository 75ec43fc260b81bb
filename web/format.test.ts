import { describe, expect, test } from 'vitest'
import { SAMPLE_RUN } from '../test/sample-run.ts'
import {
  ago,
  bytes,
  clockTime,
  costOfRuns,
  counted,
  duration,
  estimate,
  momentOf,
  money,
  shortCount,
  shortId,
  shortPath,
  sumOfMoney,
  withLocalTimes,
} from './format.ts'

describe('amounts', () => {
  test.each([
    [0, '$0'],
    [0.0001, '< $0.01'],
    [0.01, 'about $0.01'],
    [0.214, 'about $0.21'],
    [2.5, 'about $2.50'],
  ])('an estimate of %s claims no more than cents: %s', (usd, text) =>
    expect(estimate(usd, 'about ')).toBe(text),
  )

  test.each([
    [null, 'not known'],
    [0, '$0'],
    [0.0115, '$0.0115'],
    [2.881, '$2.8810'],
    [1234.5, '$1,235'],
  ])('money(%s) is %s', (usd, text) => expect(money(usd)).toBe(text))

  test.each([
    [null, 'not known'],
    [0, '$0'],
    [0.0021, '$0.0021'],
    [2.5, '$2.50'],
    [1234.5, '$1,234.50'],
  ])('sumOfMoney(%s) is %s', (usd, text) => expect(sumOfMoney(usd)).toBe(text))
})

describe('times', () => {
  test.each([
    [0, '0.0 s'],
    [4_120, '4.1 s'],
    [41_900, '41 s'],
    [60_000, '1 min'],
    [690_000, '11 min 30 s'],
    [4_320_000, '1 h 12 min'],
    [200_000_000, '2 days'],
  ])('duration(%s) is %s', (ms, text) => expect(duration(ms)).toBe(text))

  test.each([
    [10_000, 'now'],
    [50_000, '1 min'],
    [2_460_000, '41 min'],
    [7_200_000, '2 h'],
    [86_400_000, 'yesterday'],
    [3 * 86_400_000, '3 days'],
  ])('%s ms before is %s', (ms, text) => expect(ago(1_000_000_000, 1_000_000_000 + ms)).toBe(text))
})

test('M-1 a cost that no agent has reported is not zero', () => {
  const ended = { ...SAMPLE_RUN, startedAt: 1, endedAt: 2, failure: null }
  const silent = { ...ended, costUsd: null }
  expect(costOfRuns(0, [])).toBe('$0')
  expect(costOfRuns(0, [silent])).toBe('not reported')
  expect(costOfRuns(0.5, [silent, { ...ended, costUsd: 0.5 }])).toBe('$0.50 + not reported')
  expect(costOfRuns(0.5, [{ ...ended, costUsd: 0.5 }])).toBe('$0.50')
})

test('counts, bytes and ids', () => {
  expect([counted(1, 'tool call'), counted(4, 'tool call')]).toEqual([
    '1 tool call',
    '4 tool calls',
  ])
  expect([shortCount(9_999), shortCount(170_400), shortCount(1_250_000)]).toEqual([
    '9,999',
    '170 k',
    '1.3 M',
  ])
  expect([bytes(12), bytes(41_300), bytes(2_000_000)]).toEqual(['12 B', '41 kB', '2.0 MB'])
  expect([shortId('run_1'), shortId('run_abcdefghijkl')]).toEqual(['run_1', 'run_abcd…kl'])
})

test('a moment of another day has its date', () => {
  const at = new Date(2026, 10, 14, 3, 47).getTime()
  expect(momentOf(at, at + 60_000)).toBe(clockTime(at))
  expect(momentOf(at, at + 86_400_000)).toBe('14 Nov 03:47')
})

test('a long path shows its end', () => {
  expect(shortPath('/srv/shop')).toBe('/srv/shop')
  expect(shortPath('/home/somebody/projects/shop/web')).toBe('…/shop/web')
  expect(shortPath('/home/somebody/a-project-with-a-name/shop')).toBe('…/shop')
})

test('times in words become those of the reader', () => {
  const at = Date.parse('2026-11-17T10:33:36.111Z')
  const text = 'Tier 3 rests until 2026-11-17T10:33:36.111Z and 2026-11-17T10:33:36Z.'
  const clock = momentOf(at, at)
  expect(withLocalTimes(text, at)).toBe(`Tier 3 rests until ${clock} and ${clock}.`)
  expect(withLocalTimes('2026-11-17 stays', at)).toBe('2026-11-17 stays')
})
