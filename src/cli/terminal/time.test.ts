import { expect, test } from 'vitest'
import { timesIn, timesOf } from './time.ts'

const JANUARY = Date.UTC(2026, 0, 31, 13, 5, 9)
const JULY = Date.UTC(2026, 6, 1, 12, 0, 0)
/** As in Berlin. */
const berlin = timesIn(ms => (ms >= Date.UTC(2026, 2, 29) ? 120 : 60), JANUARY)

test('a time is local and names its zone', () => {
  expect(berlin.at(JANUARY)).toBe('2026-01-31 14:05:09 UTC+1')
  expect(berlin.at(JULY)).toBe('2026-07-01 14:00:00 UTC+2')
  expect(berlin.at(null)).toBe('–')
})

test('a cell leaves the zone to the title, unless it has another one', () => {
  expect([berlin.zone, berlin.cell(JANUARY)]).toEqual(['UTC+1', '2026-01-31 14:05:09'])
  expect(berlin.cell(JULY)).toBe('2026-07-01 14:00:00 UTC+2')
  expect([berlin.short(JANUARY), berlin.short(null)]).toEqual(['01-31 14:05', '–'])
})

test.each([
  [0, 'UTC'],
  [-210, 'UTC-3:30'],
  [345, 'UTC+5:45'],
])('%i minutes are the zone %s', (offset, zone) => {
  expect(timesIn(() => offset).zone).toBe(zone)
})

test('--utc is UTC, whatever the machine says', () => {
  expect(timesOf({ env: { REPRISE_UTC: '1' } }).at(JANUARY)).toBe('2026-01-31 13:05:09 UTC')
})
