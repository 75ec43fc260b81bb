import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ModelUsage } from '../../core/run/events.ts'
import { price } from './models.ts'
import { createParser } from './stream/parser.ts'

const RECORDINGS = join(import.meta.dirname, '../../../test/recordings/claude-code')

/** The usage and the cost of each model in each recorded result. */
const reported = readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
  // Subscriptions write to the one-hour cache, which costs more.
  .filter(path => path.endsWith('.jsonl') && !/session|limit/.test(path))
  .flatMap(path => {
    const parser = createParser()
    const lines = readFileSync(join(RECORDINGS, path), 'utf8').split('\n')
    const results = lines
      .flatMap(line => parser.parse(line))
      .filter(event => event.type === 'result')
    return results.flatMap(result =>
      Object.entries(result.models).map(row => [path, ...row] as const),
    )
  })

test('there are reported costs to compare with', () => {
  expect(reported.length).toBeGreaterThan(30)
})

test.each(reported)('M-1 %s: %s costs what was reported', (_, model, { usage, costUsd }) => {
  expect(costOf(model, usage)).toBeCloseTo(costUsd, 9)
})

test('M-1 cache reads of claude-opus-5-5 cost a twentieth of its input', () => {
  // Two turns of one session, which differ by cache reads and five written tokens: $0.002359 apart.
  const usage = { inputTokens: 0, cacheReadTokens: 11_270, cacheWriteTokens: 5, outputTokens: 4 }
  expect(costOf('claude-opus-5-5', usage)).toBeCloseTo(0.002359, 9)
})

// Reported by 2.1.325, each for a first turn of 7,000 tokens out and for the one that resumed it.
test.each([
  ['claude-sonnet-5', [25_719, 0.1342975], [25_719, 0.0228788]],
  ['claude-sonnet-5-5', [16_219, 0.1105475], [16_219, 0.0193569]],
  ['claude-haiku-5-5', [16_929, 0.005616125], [16_929, 0.00105604]],
] as const)(
  'M-1 %s costs what the newest version reports',
  (model, [written, first], [read, second]) => {
    const started = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: written }
    expect(costOf(model, { ...started, outputTokens: 7_000 })).toBeCloseTo(first, 9)
    const resumed = { inputTokens: 0, cacheReadTokens: read, cacheWriteTokens: 7_022 }
    expect(costOf(model, { ...resumed, outputTokens: 18 })).toBeCloseTo(second, 9)
  },
)

test('an unknown model has no price', () => expect(price('opus')).toBeNull())

function costOf(model: string, usage: ModelUsage['usage']): number {
  const of = price(model)
  if (!of) throw new Error(`no price for ${model}`)
  const dollars =
    usage.inputTokens * of.inputUsd +
    usage.cacheReadTokens * of.cacheReadUsd +
    usage.cacheWriteTokens * of.cacheWriteUsd +
    usage.outputTokens * of.outputUsd
  return dollars / 1_000_000
}
