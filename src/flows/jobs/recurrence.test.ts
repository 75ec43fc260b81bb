import { describe, expect, test } from 'vitest'
import { checkedRecurrence, firstTime, nextTime } from './recurrence.ts'

const at = (text: string) => Date.parse(text)
const BERLIN = 'Europe/Berlin'

describe('J-7 the next time of a cron expression', () => {
  test.each([
    // Usual days, in summer and in winter.
    ['0 3 * * 1-5', BERLIN, '2026-07-03T12:00Z', '2026-07-06T01:00Z'],
    ['0 3 * * mon-fri', BERLIN, '2026-12-04T12:00Z', '2026-12-07T02:00Z'],
    ['@daily', 'UTC', '2026-01-01T00:00Z', '2026-01-02T00:00Z'],
    ['*/15 * * * *', 'UTC', '2026-01-01T00:16Z', '2026-01-01T00:30Z'],
    // An hour that is not there in spring: it comes an hour later by the clock on the wall, and only once.
    ['30 2 * * *', BERLIN, '2026-03-28T12:00Z', '2026-03-29T01:30Z'],
    ['30 2 * * *', BERLIN, '2026-03-29T01:31Z', '2026-03-30T00:30Z'],
    // An hour that is there twice in autumn: the first of the two; a time of every hour comes in both.
    ['30 2 * * *', BERLIN, '2026-10-24T12:00Z', '2026-10-25T00:30Z'],
    ['0 * * * *', BERLIN, '2026-10-25T00:00Z', '2026-10-25T01:00Z'],
    ['0 * * * *', BERLIN, '2026-10-25T01:00Z', '2026-10-25T02:00Z'],
  ])('%s in %s, from %s on, is %s', async (cron, timezone, from, expected) => {
    const recurrence = await checkedRecurrence({ cron, timezone })
    const next = await firstTime(recurrence, at(from))
    expect(new Date(next).toISOString()).toBe(new Date(expected).toISOString())
  })

  test('in autumn is not the same time again when the work ends in the second of the two hours', async () => {
    const recurrence = { cron: '30 2 * * *', timezone: BERLIN }
    const times = { lastAt: at('2026-10-25T00:30Z'), now: at('2026-10-25T01:05Z') }
    expect(await nextTime(recurrence, times)).toBe(at('2026-10-26T01:30Z'))
  })

  test('is after now, however many were missed', async () => {
    const times = { lastAt: at('2025-01-01T00:00Z'), now: at('2026-01-01T00:00:30Z') }
    const next = await nextTime({ cron: '* * * * *', timezone: 'UTC' }, times)
    expect(next).toBe(at('2026-01-01T00:01Z'))
  })

  test('is that of the host where no time zone is named', async () => {
    const host = new Intl.DateTimeFormat().resolvedOptions().timeZone
    expect(await checkedRecurrence('0  3 * * *')).toEqual({ cron: '0 3 * * *', timezone: host })
  })
})

test('J-7 even steps that were missed are not made up for', async () => {
  expect(await nextTime({ everyMs: 1_000 }, { lastAt: 5_000, now: 5_000 })).toBe(6_000)
  expect(await nextTime({ everyMs: 1_000 }, { lastAt: 5_000, now: 9_300 })).toBe(10_000)
})

test.each([
  ['', 'is no cron expression'],
  ['* * * *', 'is no cron expression'],
  ['0 0 3 * * *', 'is no cron expression'],
  ['61 * * * *', '"61 * * * *" is no cron expression: Constraint error'],
  ['0 0 30 2 *', 'is no cron expression: Invalid explicit day of month'],
  ['H 3 * * *', 'is no cron expression'],
  ['@every 5m', 'is no cron expression'],
  ['@reboot', 'is no cron expression'],
  ['every day', 'is no cron expression'],
])('J-7 "%s" is refused with a reason', async (cron, words) => {
  const refused = checkedRecurrence({ cron, timezone: 'UTC' })
  await expect(refused).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringContaining(words),
    hint: expect.stringContaining('minute, hour, day, month and weekday'),
  })
})

test('J-7 a time zone that is not there, and steps without a length, are refused', async () => {
  const nowhere = { cron: '0 3 * * *', timezone: 'Mars/Olympus' }
  await expect(checkedRecurrence(nowhere)).rejects.toMatchObject({
    code: 'bad-input',
    message: 'there is no time zone "Mars/Olympus"',
  })
  for (const everyMs of [0, 999, 1.5e3 + 0.5, Number.NaN, 400 * 24 * 3_600_000])
    await expect(checkedRecurrence({ everyMs })).rejects.toMatchObject({ code: 'bad-input' })
})
