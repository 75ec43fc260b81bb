import { describe, expect, test } from 'vitest'
import { permissionRule } from '../calls/permission-rule.ts'
import { keysOf, permissionChoices, readPermission } from './permission-choices.ts'
import type { GivenAnswer } from './question.ts'

const rule = permissionRule({ kind: 'command', tool: 'Bash', value: 'npm test' })

describe('T-7 the choices of a permission', () => {
  test('say what exactly would be allowed for the run', () => {
    expect(permissionChoices({ rule }).map(({ words }) => words)).toEqual([
      'Allow once',
      'Allow for this run: Bash commands that are exactly `npm test`',
      'Deny',
      'Deny with a reason',
    ])
    expect(keysOf({ rule })).toBe('y, r, n or w')
  })

  test('leave out the run where a call can be allowed only once', () => {
    expect(permissionChoices({}).map(({ choice }) => choice)).toEqual(['once', 'deny', 'why'])
    expect(keysOf({})).toBe('y, n or w')
  })
})

describe('T-7 what is typed at a permission', () => {
  const answers: readonly (readonly [string, GivenAnswer])[] = [
    ['y', { allow: true }],
    ['YES', { allow: true }],
    [' y ', { allow: true }],
    ['r', { allow: true, for: 'run' }],
    ['Run', { allow: true, for: 'run' }],
    ['n', { allow: false }],
    ['no', { allow: false }],
    ['no, not on a Sunday', { allow: false, message: 'not on a Sunday' }],
    ['n: use yarn', { allow: false, message: 'use yarn' }],
    ['use yarn instead', { allow: false, message: 'use yarn instead' }],
    ['nothing of that', { allow: false, message: 'nothing of that' }],
  ]
  test.each(answers)('%j is an answer', (typed, given) => {
    expect(readPermission({ rule }, typed)).toEqual({ kind: 'given', given })
  })

  test.each(['w', 'why'])('%j asks for the reason', typed => {
    expect(readPermission({ rule }, typed)).toEqual({ kind: 'reason' })
  })

  const again = ['1', '12', '1, 2', 'x', 'ok', 'yes please', 'sure', 'allow for this run']
  test.each(again)('%j is neither a choice nor a reason, and is asked again', typed => {
    expect(readPermission({ rule }, typed)).toEqual({
      kind: 'again',
      why: `"${typed}" is not a choice: type y, r, n or w, or a sentence that says why not`,
    })
  })

  test('the run cannot be chosen for a call that can be allowed only once', () => {
    const why = 'this call can be allowed only once: type y, n or w'
    expect(readPermission({}, 'r')).toEqual({ kind: 'again', why })
  })
})
