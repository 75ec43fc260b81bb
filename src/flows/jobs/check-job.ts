// Checks a job's numbers and labels before the job is stored; otherwise a bad one would fail only at the next attempt.
import type { JobRequest } from '../../api.ts'
import { DEFAULT_JOB_POLICY, type JobPolicy } from '../../core/job/job-policy.ts'
import { isLabel, LABEL_WORDS } from '../../core/job/label.ts'
import { RepriseError } from '../../errors.ts'

/** Which numbers are valid, and the words that say so. */
type Kind = { readonly words: string; readonly holds: (value: number) => boolean }

const OVER_0: Kind = { words: 'a number over 0', holds: value => value > 0 }
const FROM_0: Kind = { words: 'a number from 0 on', holds: value => value >= 0 }
const FROM_1: Kind = { words: 'a number from 1 on', holds: value => value >= 1 }
const SHARE: Kind = { words: 'a number from 0 to 1', holds: value => value >= 0 && value <= 1 }
const WHOLE: Kind = { words: 'a whole number', holds: Number.isInteger }

const LIMITS = [
  'maxAttempts',
  'maxWaits',
  'timeoutMs',
  'idleTimeoutMs',
  'queueTimeoutMs',
  'totalTimeoutMs',
  'budgetUsd',
] as const

export function checkedPolicy(request: JobRequest): JobPolicy {
  const limits = LIMITS.flatMap(name => {
    const value = request[name]
    return value === undefined || value === null ? [] : [[name, checked(name, value, OVER_0)]]
  })
  return {
    ...DEFAULT_JOB_POLICY,
    ...Object.fromEntries(limits),
    backoff: checkedBackoff(request.backoff),
    resume: request.resume ?? DEFAULT_JOB_POLICY.resume,
    onSideEffects: request.onSideEffects ?? DEFAULT_JOB_POLICY.onSideEffects,
    ...(request.carry !== undefined && { carry: request.carry }),
  }
}

export function checkedPriority(priority = 0): number {
  return checked('priority', priority, WHOLE)
}

const MAX_LABELS = 16

export function checkedLabels(labels: readonly string[] = []): readonly string[] {
  const wrong = labels.find(label => typeof label !== 'string' || !isLabel(label))
  if (wrong !== undefined) {
    const what = `${JSON.stringify(wrong)} cannot be a label`
    throw new RepriseError('bad-input', what, `Use ${LABEL_WORDS}.`)
  }
  if (labels.length <= MAX_LABELS) return [...new Set(labels)]
  const what = `the job names ${labels.length} labels`
  throw new RepriseError('bad-input', what, `Name at most ${MAX_LABELS}.`)
}

function checkedBackoff(given: JobRequest['backoff']): JobPolicy['backoff'] {
  const { firstMs, factor, maxMs, jitter } = { ...DEFAULT_JOB_POLICY.backoff, ...given }
  return {
    firstMs: checked('backoff.firstMs', firstMs, FROM_0),
    factor: checked('backoff.factor', factor, FROM_1),
    maxMs: checked('backoff.maxMs', maxMs, FROM_0),
    jitter: checked('backoff.jitter', jitter, SHARE),
  }
}

function checked(name: string, value: unknown, { words, holds }: Kind): number {
  if (typeof value === 'number' && Number.isFinite(value) && holds(value)) return value
  const what = `${name} is ${String(value)}, not ${words}`
  throw new RepriseError('bad-input', what, `Leave ${name} out for the default.`)
}
