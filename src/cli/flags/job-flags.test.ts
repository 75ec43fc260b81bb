import { Command } from 'commander'
import { expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import { addJobFlags, type JobFlags, jobRequestOf } from './job-flags.ts'

const io = { cwd: '/home/me' } as Io

function request(...words: readonly string[]) {
  const command = addJobFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr() {} })
  return jobRequestOf(io, 'work', command.parse(words, { from: 'user' }).opts<JobFlags>())
}

test('F-3 U-1 --on-side-effects says whether a job may start afresh after tools ran, as over HTTP', () => {
  expect(request('--on-side-effects', 'stop')).toMatchObject({ onSideEffects: 'stop' })
  expect(request()).not.toHaveProperty('onSideEffects')
  expect(() => request('--on-side-effects', 'maybe')).toThrow('Allowed choices are brief, stop')
})
