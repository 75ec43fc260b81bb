import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BYTES_PER_MB, DEFAULT_WARM, type WarmSettings } from './warm-settings.ts'
import { endsAt, whichToEnd } from './which-to-end.ts'

const NOW = 1_000_000_000
const kept = (id: string, change: Partial<{ age: number; idle: number; memory: number }> = {}) => ({
  id,
  startedAt: NOW - (change.age ?? 0),
  restsSince: NOW - (change.idle ?? 0),
  memoryBytes: (change.memory ?? 100) * BYTES_PER_MB,
})
const ended = (all: readonly ReturnType<typeof kept>[], settings: Partial<WarmSettings> = {}) =>
  whichToEnd(all, { ...DEFAULT_WARM, ...settings }, NOW).map(({ id }) => id)

describe('W-1 which kept processes end', () => {
  test('those that waited too long or are too old', () => {
    const { idleMs, maxAgeMs } = DEFAULT_WARM
    const all = [
      kept('fresh', { idle: idleMs - 1, age: maxAgeMs - 1 }),
      kept('idle', { idle: idleMs }),
      kept('old', { age: maxAgeMs }),
    ]
    expect(ended(all).toSorted()).toEqual(['idle', 'old'])
  })

  test('the least recently used, when there are too many or they need too much memory', () => {
    const all = [kept('first', { idle: 3 }), kept('last', { idle: 1 }), kept('second', { idle: 2 })]
    expect(ended(all, { max: 1 }).toSorted()).toEqual(['first', 'second'])
    expect(ended(all, { maxRssMb: 250 })).toEqual(['first'])
    expect(ended(all, { maxRssMb: 50 }).toSorted()).toEqual(['first', 'last', 'second'])
  })

  test('what stays is always within the bounds, and nothing that stays was used before what ends for lack of room', () => {
    const one = fc.record({
      startedAt: fc.integer({ min: 0, max: NOW }),
      restsSince: fc.integer({ min: 0, max: NOW }),
      memoryBytes: fc.nat(1_000 * BYTES_PER_MB),
    })
    const bounds = fc.record({
      idleMs: fc.integer({ min: 1, max: NOW }),
      max: fc.nat(5),
      maxRssMb: fc.integer({ min: 1, max: 3_000 }),
      maxAgeMs: fc.integer({ min: 1, max: NOW }),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), bounds, (all, settings) => {
        const ending = whichToEnd(all, settings, NOW)
        const staying = all.filter(process => !ending.includes(process))
        expect(staying.length).toBeLessThanOrEqual(settings.max)
        const memory = staying.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
        expect(memory).toBeLessThanOrEqual(settings.maxRssMb * BYTES_PER_MB)
        for (const process of staying) expect(endsAt(process, settings)).toBeGreaterThan(NOW)
        const inTime = ending.filter(process => endsAt(process, settings) > NOW)
        for (const process of inTime)
          for (const other of staying)
            expect(other.restsSince).toBeGreaterThanOrEqual(process.restsSince)
      }),
    )
  })
})
