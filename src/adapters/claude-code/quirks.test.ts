import { describe, expect, test } from 'vitest'
import { QUIRKS, quirksOf } from './quirks.ts'

describe('the quirks of a version', () => {
  test('M-1 the meaning of the cost changes at 2.1.277', () => {
    expect(quirksOf('2.1.276')).not.toContain('cost-of-session')
    expect(quirksOf('2.1.277')).toContain('cost-of-session')
  })

  test('a quirk that ended is not in force any more', () => {
    expect(quirksOf('2.1.284')).not.toContain('auto-permission-default')
    expect(quirksOf('2.1.300')).toContain('auto-permission-default')
    expect(quirksOf('2.1.309')).not.toContain('auto-permission-default')
  })

  test('H-1 prompts are searched up to 2.1.247', () => {
    expect(quirksOf('2.1.247')).toContain('prompt-scanned')
    expect(quirksOf('2.1.248')).not.toContain('prompt-scanned')
  })

  test('each has a name of its own and says what it is', () => {
    expect(new Set(QUIRKS.map(quirk => quirk.name)).size).toBe(QUIRKS.length)
    for (const { what } of QUIRKS) expect(what).not.toBe('')
  })
})
