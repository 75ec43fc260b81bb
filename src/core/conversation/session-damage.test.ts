import { expect, test } from 'vitest'
import { DAMAGE_KINDS, damageOf } from './session-damage.ts'

test('V-2 each damage says what is wrong, where, and what a repair does about it', () => {
  for (const kind of DAMAGE_KINDS) {
    const { words, remedy, ...damage } = damageOf(kind, 7)
    expect(damage).toEqual({ kind, line: 7 })
    expect([words, remedy]).not.toContain('')
  }
  expect(damageOf('torn-line', null)).toEqual({
    ...{ kind: 'torn-line', line: null, words: 'the line is torn' },
    remedy: 'the line is left out',
  })
})
