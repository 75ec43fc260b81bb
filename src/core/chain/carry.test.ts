import { expect, test } from 'vitest'
import { type CarryFacts, carryWords, chooseCarry, cutOutput, cutPreview, isLong } from './carry.ts'

const FACTS: CarryFacts = {
  carry: 'auto',
  canWrite: true,
  callWaits: false,
  longOutputs: 2,
  isWarm: false,
  expectedUsd: null,
}

test.each([
  [{}, 'trimmed', 'cache-cold'],
  [{ isWarm: true }, 'whole', 'cache-warm'],
  [{ canWrite: false }, 'whole', 'agent'],
  [{ longOutputs: 0 }, 'whole', 'nothing-long'],
  [{ callWaits: true }, 'whole', 'call-waits'],
  [{ carry: 'trimmed' }, 'trimmed', 'set'],
  [{ carry: 'trimmed', isWarm: true }, 'trimmed', 'set'],
  [{ carry: 'trimmed', longOutputs: 0 }, 'whole', 'nothing-long'],
  [{ carry: 'whole' }, 'whole', 'set'],
  [{ carry: 'whole', callWaits: true }, 'whole', 'set'],
  [{ carry: 'note' }, 'note', 'set'],
  [{ carry: 'note', callWaits: true }, 'whole', 'call-waits'],
] as const)('E-15 with %j a tier gets the conversation %s, because %s', (facts, way, because) => {
  expect(chooseCarry({ ...FACTS, ...facts })).toEqual({ way, because })
})

test.each([
  [{ whole: 0.05, trimmed: 0.02 }, 'trimmed'],
  [{ whole: 0.02, trimmed: 0.05 }, 'whole'],
  [{ whole: 0.02, trimmed: 0.02 }, 'whole'],
] as const)('E-15 M-4 with prices of %j `auto` gives the conversation %s', (expectedUsd, way) => {
  const chosen = { way, because: 'cheaper', expectedUsd } as const
  expect(chooseCarry({ ...FACTS, expectedUsd })).toEqual(chosen)
  expect(carryWords(chosen)).toContain('it is expected to cost less, about $0.0')
  expect(chooseCarry({ ...FACTS, expectedUsd, isWarm: true }).because).toBe('cache-warm')
  expect(chooseCarry({ ...FACTS, expectedUsd, carry: 'trimmed' }).because).toBe('set')
})

test('E-15 an output that is cut keeps its beginning and its end, and says how long it was and where it is', () => {
  const output = `begin${'x'.repeat(4_000)}end`
  expect(isLong(output)).toBe(true)
  const text = cutOutput(output, { path: '/data/outputs/thr_1/abc.txt', hash: 'abcdef0123456789' })
  expect(text).toMatch(/^begin/)
  expect(text).toMatch(/end$/)
  expect(text).toContain('of 4008 characters are left out here')
  expect(text).toContain('(sha256 abcdef012345) is in /data/outputs/thr_1/abc.txt')
  expect(isLong(text)).toBe(false)
})

test('E-15 a part of an output is never called the whole', () => {
  const where = { path: '/data/outputs/thr_1/abc.txt', hash: 'abcdef0123456789' }
  const text = cutOutput('x'.repeat(4_000), { ...where, isPart: true })
  expect(text).toContain('of the 4000 characters that Reprise kept are left out here')
  expect(text).toContain('is in /data/outputs/thr_1/abc.txt; the output itself was longer')
  expect(text).not.toContain('whole')
  expect(isLong(text)).toBe(false)
})

test('E-15 the words of a decision say what a tier got only where somebody chose', () => {
  expect(carryWords(undefined)).toBe('')
  expect(carryWords({ way: 'whole', because: 'set' })).toBe('')
  expect(carryWords({ way: 'note', because: 'set' })).toBe(
    ' (it got a note: the setting `carry` says so)',
  )
  expect(
    carryWords({ way: 'trimmed', because: 'cache-cold', cut: { outputs: 2, chars: 900 } }),
  ).toContain('with 2 long outputs cut by 900 characters: no cache of its model')
})

test('E-15 of a preview the words stay that say where the whole output is, and the path of our copy stands for the preview', () => {
  const head = 'saved to: /outputs/1.txt\n\nPreview:\n'
  expect(cutPreview({ head, path: '/ours/1.txt' })).toBe(`${head}[It is in /ours/1.txt.]`)
})
