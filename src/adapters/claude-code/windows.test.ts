import { expect, test } from 'vitest'
import { quirksOf } from './quirks.ts'
import { contextWindow } from './windows.ts'

const placeOf = (version: string, env: Record<string, string> = {}) => ({
  runtime: { version, quirks: quirksOf(version) },
  env,
})

const [USUAL, LONG] = [200_000, 1_000_000]

// test/real-agents/windows.test.ts compares this table with what both versions report.
test.each([
  ['opus', USUAL, LONG],
  ['Opus', USUAL, LONG],
  ['opus[1m]', LONG, LONG],
  ['claude-opus-4-5', USUAL, USUAL],
  ['claude-opus-4-8', USUAL, LONG],
  ['claude-opus-4-8[1m]', LONG, LONG],
  ['claude-opus-5-20270101', USUAL, LONG],
  ['claude-sonnet-4-5-20250929', USUAL, USUAL],
  ['claude-sonnet-40', USUAL, LONG],
  ['claude-haiku-4-5-20251001', USUAL, USUAL],
  ['somebody-else[1m]', LONG, LONG],
  ['somebody-else', null, null],
] as const)('D-6 %s takes %s tokens with 2.1.197 and %s with 2.1.325', (model, older, newer) => {
  expect(contextWindow(model, placeOf('2.1.197'))).toBe(older)
  expect(contextWindow(model, placeOf('2.1.325'))).toBe(newer)
})

test('D-6 a version between the tested ones counts as the older one', () => {
  expect(contextWindow('opus', placeOf('2.1.300'))).toBe(USUAL)
})

test('D-6 the environment says which model an alias stands for, and whether there are long windows', () => {
  const of = (model: string, env: Record<string, string>) =>
    contextWindow(model, placeOf('2.1.325', env))
  expect(of('opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-5' })).toBe(USUAL)
  expect(of('opus[1m]', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-5' })).toBe(LONG)
  expect(of('best', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-5[1m]' })).toBe(LONG)
  expect(of('sonnet', { ANTHROPIC_DEFAULT_SONNET_MODEL: 'somebody-else' })).toBeNull()
  expect(of('opus[1m]', { CLAUDE_CODE_DISABLE_1M_CONTEXT: 'true' })).toBe(USUAL)
  expect(of('opus', { CLAUDE_CODE_DISABLE_1M_CONTEXT: '0' })).toBe(LONG)
})
