import { describe, expect, test } from 'vitest'
import { buildProgram } from '../start/program.ts'
import { candidatesFor } from './candidates.ts'

const at = (...words: string[]) => candidatesFor(buildProgram(), words)
const valuesAt = (...words: string[]) => at(...words).values.map(({ value }) => value)

describe('what is completed', () => {
  test('verbs, and verbs of verbs', () => {
    expect(valuesAt('')).toEqual(expect.arrayContaining(['send', 'threads', 'serve', 'help']))
    expect(valuesAt('th')).toEqual(['threads'])
    expect(valuesAt('jobs', 're')).toEqual(['retry', 'restore'])
    expect(valuesAt('')).not.toContain('__complete')
  })

  test('flags, with those before every verb', () => {
    expect(valuesAt('send', '--fr')).toEqual(['--fresh-session'])
    expect(valuesAt('jobs', 'ls', '--')).toEqual(
      expect.arrayContaining(['--status', '--no-daemon']),
    )
    expect(valuesAt('--no-d')).toEqual(['--no-daemon'])
  })

  test.each([
    [['runs', 'ls', '--status', 'r'], ['running']],
    [['runs', 'ls', '--status=r'], ['--status=running']],
    [['runs', 'ls', '--status', '=', 'r'], ['running']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['--no-daemon', 'completion', 'z'], ['zsh']],
  ])('values at %j', (words, values) => expect(valuesAt(...words)).toEqual(values))

  test.each([
    [['threads', 'show', 'thr_a'], 'thread', 'thr_a'],
    [['send', '-t', ''], 'thread', ''],
    [['send', '--thread', 'x'], 'thread', 'x'],
    [['why', ''], 'run', ''],
    [['jobs', 'logs', '-f', ''], 'job', ''],
    [['chains', 'approve', ''], 'chain', ''],
    [['sessions', 'show', ''], 'session', ''],
    [['threads', 'show', '--', ''], 'thread', ''],
  ])('ids at %j', (words, kind, prefix) => expect(at(...words).ids).toEqual({ kind, prefix }))

  test.each([
    [['send', '--cwd', ''], 'dirs'],
    [['send', '--instructions', ''], 'files'],
    [['escalate', '-p', ''], 'files'],
    [['config', 'check', ''], 'files'],
  ])('paths at %j', (words, paths) => expect(at(...words).paths).toBe(paths))

  test.each([
    [['send', 'a prompt', '']],
    [['threads', 'show', 'thr_a', '']],
    [['fly', '']],
    [['send', '--', '--fr']],
    [[]],
  ])('nothing wrong at %j', words => {
    expect(() => at(...words)).not.toThrow()
  })
})
