import { expect, test } from 'vitest'
import { RepriseError } from '../../errors.ts'
import { asRepriseError, exitCodeOf, exitCodeOfChain, exitCodeOfJob } from './exit-code.ts'

const failure = (class_: 'budget' | 'policy-violation' | 'network') => ({
  class: class_,
  message: 'm',
  hint: 'h',
  toolsRan: 0,
  resetsAt: null,
})

test.each([
  ['completed', null, 0],
  ['failed', failure('network'), 1],
  ['failed', null, 1],
  ['interrupted', failure('network'), 1],
  ['cancelled', null, 5],
  ['failed', failure('budget'), 6],
  ['failed', failure('policy-violation'), 6],
] as const)('U-1 a run that ended as %s, because of %j, is exit code %i', (status, why, code) => {
  expect(exitCodeOf({ status, failure: why })).toBe(code)
})

const began = { code: 'begun', tier: 1 } as const
const runFailed = (class_: 'budget' | 'policy-violation' | 'network') =>
  ({ code: 'run-failed', tier: 1, class: class_, message: 'm', toolsRan: 0 }) as const

test.each([
  ['running', began, 0],
  ['resolved', { code: 'agent-resolved', tier: 1 }, 0],
  ['failed', { code: 'agent-failed', tier: 1, reason: null }, 1],
  ['failed', runFailed('network'), 1],
  ['cancelled', { ...runFailed('network'), code: 'run-cancelled' }, 5],
  ['failed', runFailed('budget'), 6],
  ['failed', runFailed('policy-violation'), 6],
  ['held', { code: 'approval-needed', tier: 2 }, 6],
  ['exhausted', { code: 'no-higher-tier', tier: 2, ceiling: 2 }, 6],
] as const)('U-1 a chain that is %s, because of %j, is exit code %i', (status, because, code) => {
  expect(exitCodeOfChain({ status, because })).toBe(code)
})

const dead = { code: 'attempts-used', class: 'network', max: 3 } as const

test.each([
  ['completed', null, 0],
  ['failed', { code: 'not-retried', class: 'auth' }, 1],
  ['dead', dead, 1],
  ['cancelled', null, 5],
  ['waiting', null, 5],
  ['parked', null, 5],
  ['failed', { code: 'budget-used', spentUsd: 2, budgetUsd: 1 }, 6],
  ['failed', { code: 'not-retried', class: 'budget' }, 6],
] as const)('U-1 a job that is %s, because of %j, is exit code %i', (status, reason, code) => {
  const as = status === 'dead' ? 'dead' : 'failed'
  const step = reason === null ? null : ({ do: 'stop', as, reason } as const)
  expect(exitCodeOfJob({ status, step })).toBe(code)
})

test('U-1 an error that nobody foresaw is our fault, and says how to report it', () => {
  const ours = asRepriseError(new TypeError('x is undefined'))
  expect(ours).toMatchObject({ code: 'internal', message: 'unexpected: x is undefined' })
  expect(ours.hint).toContain('REPRISE_DEBUG=1')
  const known = new RepriseError('not-found', 'm', 'h')
  expect(asRepriseError(known)).toBe(known)
})

test.each([
  ['ENOSPC', 'store-full', 'there is no space left on a disk: ENOSPC: it failed', '`df -h`'],
  ['EDQUOT', 'store-full', 'there is no space left on a disk: EDQUOT: it failed', '`df -h`'],
  ['EROFS', 'store-unusable', 'a file cannot be used: EROFS: it failed', '`reprise doctor`'],
  ['EACCES', 'store-unusable', 'a file cannot be used: EACCES: it failed', '`reprise doctor`'],
  ['EPERM', 'store-unusable', 'a file cannot be used: EPERM: it failed', '`reprise doctor`'],
])(
  'U-4 %s of the file system is not our fault, and says what to do',
  (errno, code, message, hint) => {
    const error = Object.assign(new Error(`${errno}: it failed`), { code: errno })
    expect(asRepriseError(error)).toMatchObject({ code, message, exitCode: 70, cause: error })
    expect(asRepriseError(error).hint).toContain(hint)
  },
)
