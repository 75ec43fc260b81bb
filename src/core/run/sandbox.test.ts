import { describe, expect, test } from 'vitest'
import { chooseSandbox, needsPrivileges, sandboxesFor } from './sandbox.ts'

const works = { works: true } as const
const fails = (reason: string) => ({ works: false, reason, hint: 'Install it.' }) as const

describe('E-13 the sandbox of a run', () => {
  test.each([
    ['auto', { bwrap: works }, 'bwrap', null],
    ['auto', { bwrap: fails('missing'), namespace: works }, 'namespace', null],
    [
      'auto',
      { bwrap: fails('missing'), namespace: fails('forbidden') },
      'none',
      'bwrap: missing; namespace: forbidden',
    ],
    ['namespace', { namespace: works }, 'namespace', null],
    ['none', {}, 'none', null],
  ] as const)('%s with %j is %s', (mode, tests, sandbox, reason) => {
    expect(chooseSandbox(mode, tests)).toEqual({ kind: 'use', sandbox, reason })
  })

  test('a sandbox that is asked for by name and does not work refuses the run, with a hint', () => {
    expect(chooseSandbox('bwrap', { bwrap: fails('`bwrap` is not installed') })).toEqual({
      kind: 'refuse',
      message:
        'the sandbox `bwrap` does not work on this machine (bwrap: `bwrap` is not installed)',
      hint: 'Install it. Or use `--sandbox auto` or `--sandbox none`.',
    })
  })

  test('the best is tried first', () => {
    expect(sandboxesFor('auto')).toEqual(['bwrap', 'namespace'])
    expect(sandboxesFor('none')).toEqual([])
  })

  test.each([
    ['sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', true],
    ['sudo: a password is required', false],
  ])('sudo that cannot work inside is seen in what a tool gives: %s', (output, isSo) => {
    expect(needsPrivileges(output)).toBe(isSo)
  })
})
