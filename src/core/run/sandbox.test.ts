import { describe, expect, test } from 'vitest'
import { chooseSandbox, needsPrivileges, notContainedWords, sandboxesFor } from './sandbox.ts'

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

  test('a sandbox that was never tested is refused with the general hint', () => {
    expect(chooseSandbox('bwrap', {})).toEqual({
      kind: 'refuse',
      message: 'the sandbox `bwrap` does not work on this machine ()',
      hint: 'Install bubblewrap (`apt install bubblewrap`), load its AppArmor profile, or allow user namespaces. Run `reprise doctor` to test it again. Or use `--sandbox auto` or `--sandbox none`.',
    })
    expect(chooseSandbox('auto', { namespace: fails('forbidden') })).toMatchObject({
      reason: 'namespace: forbidden',
    })
  })

  test('a run without a sandbox says what cannot be guaranteed', () => {
    expect(notContainedWords('bwrap: missing')).toBe(
      'the run is not contained: processes that its agent detaches can outlive it, and it can read the data directory of Reprise (bwrap: missing)',
    )
  })

  test('the best is tried first', () => {
    expect(sandboxesFor('auto')).toEqual(['bwrap', 'namespace'])
    expect(sandboxesFor('namespace')).toEqual(['namespace'])
    expect(sandboxesFor('none')).toEqual([])
  })

  test.each([
    ['sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', true],
    ['sudo: The no new privileges flag is set', true],
    ['SUDO: THE "NO NEW PRIVILEGES" FLAG IS SET', true],
    ['sudo: a password is required', false],
  ])('sudo that cannot work inside is seen in what a tool gives: %s', (output, isSo) => {
    expect(needsPrivileges(output)).toBe(isSo)
  })
})
