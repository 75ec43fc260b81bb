import { expect, test } from 'vitest'
import type { JobRequest } from '../../api.ts'
import { DEFAULT_JOB_POLICY } from '../../core/job/job-policy.ts'
import { checkedLabels, checkedPolicy, checkedPriority } from './check-job.ts'

const job = { prompt: 'work', workDir: '/' }

test.each([
  ['a negative first backoff', { backoff: { firstMs: -1 } }, 'backoff.firstMs is -1'],
  ['a negative longest backoff', { backoff: { maxMs: -5 } }, 'backoff.maxMs is -5'],
  ['a backoff that shrinks', { backoff: { factor: 0.5 } }, 'backoff.factor is 0.5'],
  ['a jitter over 1', { backoff: { jitter: 2 } }, 'backoff.jitter is 2'],
  ['a jitter below 0', { backoff: { jitter: -0.1 } }, 'backoff.jitter is -0.1'],
  ['a backoff of NaN', { backoff: { firstMs: Number.NaN } }, 'backoff.firstMs is NaN'],
  ['no attempts at all', { maxAttempts: 0 }, 'maxAttempts is 0, not a number over 0'],
  ['a limit that is a text', { timeoutMs: '5' as unknown as number }, 'timeoutMs is 5'],
  ['a budget without end', { budgetUsd: Number.POSITIVE_INFINITY }, 'budgetUsd is Infinity'],
] satisfies readonly [string, Partial<JobRequest>, string][])(
  'U-4 J-1 %s is refused before the job is stored',
  (_, wrong, message) => {
    const refused = expect.objectContaining({
      code: 'bad-input',
      message: expect.stringContaining(message),
      hint: `Leave ${message.split(' ')[0]} out for the default.`,
    })
    expect(() => checkedPolicy({ ...job, ...wrong })).toThrow(refused)
  },
)

test.each([Number.NaN, 1.5, Number.POSITIVE_INFINITY])(
  'U-4 J-1 priority: %f is refused',
  priority => {
    expect(() => checkedPriority(priority)).toThrow(`priority is ${priority}, not a whole number`)
  },
)

test('J-1 what is not said has its default', () => {
  const policy = checkedPolicy({ ...job, backoff: { firstMs: 0 } })
  expect(policy).toEqual({
    ...DEFAULT_JOB_POLICY,
    backoff: { ...DEFAULT_JOB_POLICY.backoff, firstMs: 0 },
  })
  expect(checkedPriority()).toBe(0)
})

test('J-1 numbers at the edge of what is valid are taken, and `null` is the default', () => {
  const policy = checkedPolicy({
    ...{ ...job, maxAttempts: null as never, timeoutMs: 0.5, carry: 'note' },
    backoff: { factor: 1, jitter: 1, maxMs: 0 },
  })
  const { maxAttempts } = DEFAULT_JOB_POLICY
  expect(policy).toMatchObject({ maxAttempts, timeoutMs: 0.5, carry: 'note' })
  expect(policy.backoff).toMatchObject({ factor: 1, jitter: 1, maxMs: 0 })
  expect(checkedPolicy({ ...job, backoff: { jitter: 0 } }).backoff.jitter).toBe(0)
  expect(checkedPolicy(job)).not.toHaveProperty('carry')
})

const labels = (count: number) => Array.from({ length: count }, (_, at) => `label-${at}`)

test('J-8 labels are taken once each, up to sixteen', () => {
  expect(checkedLabels()).toEqual([])
  expect(checkedLabels(['gpu', 'gpu', 'big.disk'])).toEqual(['gpu', 'big.disk'])
  expect(checkedLabels(labels(16))).toHaveLength(16)
})

test.each<[readonly string[], string, string]>([
  [['gpu', 'no spaces'], '"no spaces" cannot be a label', 'Use letters, digits, '],
  [[7 as never], '7 cannot be a label', 'Use letters, digits, '],
  [labels(17), 'the job names 17 labels', 'Name at most 16.'],
])('U-4 J-8 labels %j are refused', (wrong, message, hint) => {
  const refused = { code: 'bad-input', message, hint: expect.stringContaining(hint) }
  expect(() => checkedLabels(wrong)).toThrow(expect.objectContaining(refused))
})
