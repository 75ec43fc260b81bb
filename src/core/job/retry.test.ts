import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/properties.ts'
import type { FailureClass } from '../run/run.ts'
import { DEFAULT_JOB_POLICY as POLICY } from './job-policy.ts'
import {
  type Attempt,
  type JobStep,
  nextStep,
  pauseOf,
  stepAfterFailedStart,
  TREATMENTS,
} from './retry.ts'
import { simulateDay } from './retry-day.ts'
import { HAPPENED, stepWords } from './retry-words.ts'

const CLASSES = Object.keys(TREATMENTS) as FailureClass[]
const NOW = 1_000_000_000

const attempt = (outcome: Attempt['outcome'], more: Partial<Attempt> = {}): Attempt => ({
  outcome,
  endedAt: NOW,
  resetsAt: null,
  resumed: false,
  progressed: false,
  toolsRan: 0,
  costUsd: 0,
  ...more,
})

const stepAfter = (attempts: readonly Attempt[], policy = POLICY, random = 0.5): JobStep =>
  nextStep({ attempts, dueAt: NOW - 1_000, now: NOW, random }, policy)

describe('J-2 what follows a start that failed', () => {
  const afterFailed = (inARow: number, policy = POLICY): JobStep =>
    stepAfterFailedStart(
      {
        ...{ message: 'no such directory', hint: 'make it', inARow, how: 'resume' },
        ...{ dueAt: NOW - 1_000, now: NOW, random: 0.5 },
      },
      policy,
    )

  test('is retried five times, after growing pauses, and then never again', () => {
    const steps = [1, 2, 3, 4, 5].map(inARow => afterFailed(inARow))
    const pauses = steps.map(step => (step.do === 'retry' ? step.at - NOW : null))
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
    expect(steps[0]).toMatchObject({ while: 'waiting', reason: { code: 'not-started', inARow: 1 } })
    expect(afterFailed(6)).toMatchObject({
      do: 'stop',
      as: 'failed',
      reason: { code: 'not-started' },
    })
  })

  test('is not retried after the deadline of the job', () => {
    const late = afterFailed(1, { ...POLICY, totalTimeoutMs: 1_500 })
    expect(late).toMatchObject({ do: 'stop', as: 'dead', reason: { code: 'deadline' } })
  })
})

describe('J-4 what follows an attempt', () => {
  test.each<[string, Attempt, object]>([
    ['done', attempt('completed'), { do: 'finish' }],
    ['cancelled', attempt('cancelled'), { do: 'cancel' }],
    ['no credentials', attempt('auth'), { do: 'stop', as: 'failed' }],
    ['a bad request', attempt('bad-request'), { do: 'stop', as: 'failed' }],
    ['its budget', attempt('budget'), { do: 'stop', as: 'failed' }],
    ['no credit', attempt('credit'), { do: 'stop', as: 'failed' }],
    ['a time limit', attempt('too-slow'), { do: 'retry', while: 'waiting', how: 'resume' }],
    ['a crash', attempt('agent-crashed'), { do: 'retry', while: 'waiting', how: 'resume' }],
    ['a restart', attempt('supervisor-died'), { do: 'retry', how: 'resume', at: NOW }],
    ['an ordinary stop', attempt('shutdown'), { do: 'retry', how: 'resume', at: NOW }],
    ['an overload', attempt('overload'), { do: 'retry', how: 'resume', at: NOW + 10_000 }],
    [
      'a limit with a reset time',
      attempt('usage-limit', { resetsAt: NOW + 3_600_000 }),
      { do: 'retry', while: 'parked', at: NOW + 3_630_000 },
    ],
    [
      'a limit without one',
      attempt('usage-limit'),
      { do: 'retry', while: 'parked', at: NOW + 900_000 },
    ],
    [
      'a limit whose reset is over',
      attempt('usage-limit', { resetsAt: NOW - 1 }),
      { do: 'retry', while: 'parked', at: NOW + 900_000 },
    ],
  ])('%s', (_, last, step) => {
    expect(stepAfter([last])).toMatchObject(step)
  })

  test('a restart that follows another one without progress waits like any other failure', () => {
    const died = attempt('supervisor-died')
    expect(stepAfter([died, died])).toMatchObject({ do: 'retry', at: NOW + 20_000 })
    const worked = attempt('supervisor-died', { progressed: true })
    expect(stepAfter([died, died, worked])).toMatchObject({ do: 'retry', at: NOW })
  })

  test.each(['bad-request', 'too-long'] as const)(
    'J-3 %s of a resumed session is tried once without it, then no more',
    class_ => {
      const resumed = attempt(class_, { resumed: true })
      expect(stepAfter([attempt('too-slow', { progressed: true }), resumed])).toMatchObject({
        how: 'fresh',
        reason: { code: 'session-suspect' },
      })
      expect(stepAfter([resumed, attempt(class_)])).toMatchObject({ do: 'stop', as: 'failed' })
    },
  )

  test('J-3 resumes without progress are capped, then it starts afresh; progress counts anew', () => {
    const policy = { ...POLICY, maxAttempts: 20 }
    const start = attempt('too-slow', { progressed: true })
    const fruitless = attempt('too-slow', { resumed: true })
    const fruitful = attempt('too-slow', { resumed: true, progressed: true })
    expect(stepAfter([start, fruitless, fruitless], policy)).toMatchObject({ how: 'resume' })
    expect(stepAfter([start, fruitless, fruitless, fruitless], policy)).toMatchObject({
      how: 'fresh',
      reason: { code: 'resumes-fruitless', count: 3, max: 3 },
    })
    const rescued = [start, fruitless, fruitless, fruitful, fruitless, fruitless]
    expect(stepAfter(rescued, policy)).toMatchObject({ how: 'resume' })
  })

  test('J-3 an outage does not count against the session', () => {
    const resumed = { resumed: true }
    const outage = Array.from({ length: 9 }, () => attempt('network', resumed))
    expect(stepAfter([attempt('too-slow', { progressed: true }), ...outage])).toMatchObject({
      how: 'resume',
    })
  })

  test('I7 attempts are capped, and failures from outside have a cap of their own', () => {
    const slow = attempt('too-slow', { resumed: true, progressed: true })
    expect(stepAfter([slow, slow])).toMatchObject({ do: 'retry' })
    expect(stepAfter([slow, slow, slow])).toEqual({
      do: 'stop',
      as: 'dead',
      reason: { code: 'attempts-used', class: 'too-slow', max: 3 },
    })
    const outages = Array.from({ length: 40 }, () => attempt('overload'))
    expect(stepAfter(outages.slice(1))).toMatchObject({ do: 'retry' })
    expect(stepAfter(outages)).toMatchObject({
      as: 'dead',
      reason: { code: 'waits-used', max: 40 },
    })
  })

  test('M-2 a spent budget stops it, the whole time limit too', () => {
    const paid = attempt('too-slow', { costUsd: 0.6 })
    expect(stepAfter([paid], { ...POLICY, budgetUsd: 0.6 })).toMatchObject({
      as: 'failed',
      reason: { code: 'budget-used', spentUsd: 0.6 },
    })
    expect(stepAfter([paid], { ...POLICY, totalTimeoutMs: 5_000 })).toMatchObject({
      as: 'dead',
      reason: { code: 'deadline' },
    })
  })

  test('F-3 after side effects a fresh start is refused when the policy says so', () => {
    const policy = { ...POLICY, resume: 'never', onSideEffects: 'stop' } as const
    expect(stepAfter([attempt('too-slow', { toolsRan: 2 })], policy)).toMatchObject({
      as: 'dead',
      reason: { code: 'side-effects', toolsRan: 2 },
    })
    expect(stepAfter([attempt('too-slow')], policy)).toMatchObject({ do: 'retry', how: 'fresh' })
  })

  test('F-3 a job that must not start afresh stops when tools ran and no session can be continued', () => {
    const attempts = [attempt('too-slow', { toolsRan: 2 }), attempt('not-continued')]
    const step = stepAfter(attempts, { ...POLICY, onSideEffects: 'stop' })
    expect(step).toMatchObject({ as: 'dead', reason: { code: 'side-effects', toolsRan: 2 } })
    expect(stepWords(step)).toBe(
      'no session was left to go on with; 2 tool calls ran, and it may not start afresh after that',
    )
  })

  test('every step has its words', () => {
    for (const class_ of CLASSES) {
      expect(HAPPENED[class_]).not.toBe('')
      expect(stepWords(stepAfter([attempt(class_)]))).not.toMatch(/undefined|NaN/)
    }
  })
})

describe('J-4 pauses', () => {
  test('grow from the first to the longest, and jitter changes them by its share only', () => {
    const { backoff } = POLICY
    expect([1, 2, 3, 10].map(n => pauseOf(backoff, n, 0.5))).toEqual([
      10_000, 20_000, 40_000, 3_600_000,
    ])
    expect(pauseOf(backoff, 1, 0)).toBe(8_000)
    expect(pauseOf(backoff, 1, 1)).toBe(12_000)
  })
})

describe('J-4 a whole day of one failure', () => {
  test.each(CLASSES)('%s: at most 40 starts, with or without a session', class_ => {
    for (const resumed of [true, false]) {
      for (const resetsAfterMs of [null, 0, 60_000, 5 * 3_600_000]) {
        const day = simulateDay({ class: class_, policy: POLICY, resumed, resetsAfterMs })
        expect(day.starts).toBeLessThanOrEqual(40)
      }
    }
  })

  test('random sequences of failures stay within the same limit', () => {
    const failures = fc.array(
      fc.record({
        outcome: fc.constantFrom(...CLASSES),
        resumed: fc.boolean(),
        progressed: fc.boolean(),
        toolsRan: fc.nat(3),
        resetsAt: fc.option(fc.nat(10_000_000)),
        costUsd: fc.constant(0),
      }),
      { minLength: 1, maxLength: 60 },
    )
    const { maxAttempts, maxWaits } = POLICY
    fc.assert(
      fc.property(failures, fc.double({ min: 0, max: 1, noNaN: true }), (list, random) => {
        let now = 0
        const attempts: Attempt[] = []
        for (const failure of list) {
          attempts.push({ ...failure, endedAt: now })
          const step = nextStep({ attempts, dueAt: 0, now, random }, POLICY)
          if (step.do !== 'retry') return true
          expect(step.at).toBeGreaterThanOrEqual(now)
          now = step.at + 1
        }
        return attempts.length < maxAttempts + maxWaits
      }),
    )
  })
})
